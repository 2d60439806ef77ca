import { metaOf } from '#command/engine/request-meta.ts';
import { addressResponse } from '#contracts/basket-response.ts';
import { entityParams } from '#contracts/management.contract.ts';
import {
  changedAddress,
  changedAddressBody,
  changedPurchaseOrder,
  noteResponse,
  noteBody,
  purchaseOrderBody,
} from '#contracts/order-desk.contract.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import type { Address } from '#values/address.ts';
import type { OrderDesk } from './order-desk.actions.ts';

const common = { base: 'management', service: 'command', caller: admin, file: import.meta.url } as const;
const errors = ['invalid-request', 'invoice-not-found', 'cancelled'] as const;

const addressRoute = (desk: OrderDesk, which: 'billing' | 'shipping', path: string): Route =>
  route({
    ...common,
    method: 'PUT',
    path,
    summary: `Put the ${which} address of an invoice right: the given fields are replaced, no amount changes`,
    schemas: { params: entityParams, body: changedAddressBody },
    response: changedAddress,
    errors,
    handle: async (request) => {
      const changes = request.body as Partial<Address>;
      const { id } = request.params;
      const { address, position } = await desk.changeAddress(id, which, changes, metaOf(request));
      return ok(addressResponse(address), { position });
    },
  });

/** Corrections and notes by staff (docs/rules/manual-orders.md#order-desk). */
export const orderDeskRoutes = (desk: OrderDesk): readonly Route[] => [
  addressRoute(desk, 'billing', '/orders/{id}/billing-address'),
  addressRoute(desk, 'shipping', '/orders/{id}/shipping-address'),
  route({
    ...common,
    method: 'PUT',
    path: '/orders/{id}/purchase-order',
    summary: 'Put the purchase order number of an invoice right; null takes it off',
    schemas: { params: entityParams, body: purchaseOrderBody },
    response: changedPurchaseOrder,
    errors,
    handle: async (request) => {
      const { purchaseOrder } = request.body;
      const position = await desk.changePurchaseOrder(request.params.id, purchaseOrder, metaOf(request));
      return ok({ purchaseOrder }, { position });
    },
  }),
  route({
    ...common,
    method: 'POST',
    path: '/orders/{id}/notes',
    summary: 'Write a note on an invoice; markup is kept as text',
    schemas: { params: entityParams, body: noteBody },
    response: noteResponse,
    errors,
    isIdempotent: true,
    handle: async (request) => {
      const { text, isVisibleToCustomer, visibleToCustomer } = request.body;
      const given = { text, isVisibleToCustomer: isVisibleToCustomer ?? visibleToCustomer ?? false };
      const { position, ...note } = await desk.note(request.params.id, given, metaOf(request));
      return ok(note, { position });
    },
  }),
];
