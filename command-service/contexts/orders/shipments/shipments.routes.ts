import { idOfCreated } from '#command/engine/command-meta.ts';
import { metaOf } from '#command/engine/request-meta.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { shipment as shipmentSchema } from '#contracts/shipment-fields.ts';
import { shipmentResponse } from '#contracts/shipment-response.ts';
import {
  changeShipmentBody,
  createShipmentBody,
  movedOrder,
  orderParams,
  orderStatusBody,
  shipmentStatusBody,
} from '#contracts/shipments.contract.ts';
import { admin, created, noContent, ok, route, type Route } from '#http/route.ts';
import type { ShippedInvoice, ShippedShipment } from '../../invoices/fulfilment/shipment.commands.ts';
import type { Shipments } from './shipments.actions.ts';
import { orderOf } from '../../invoices/fulfilment/shipments.state.ts';

const common = {
  base: 'management',
  service: 'command',
  caller: admin,
  file: import.meta.url,
  isIdempotent: true,
} as const;

const responseOf = ({ invoice, shipment }: ShippedShipment) =>
  shipmentResponse(shipment, orderOf(invoice, shipment.orderId), invoice.shippingAddress);

const orderResponse = ({ invoiceId, invoice }: ShippedInvoice, orderId: string) => ({
  id: orderId,
  invoiceId,
  status: invoice.orderStatuses[orderId],
  shipments: invoice.shipments
    .filter((shipment) => shipment.orderId === orderId)
    .map((shipment) => shipmentResponse(shipment, orderOf(invoice, orderId), invoice.shippingAddress)),
});

const createRoute = (actions: Shipments): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/orders/{orderId}/shipments',
    summary: 'Pack units of an order; they leave the stock',
    schemas: { params: orderParams, body: createShipmentBody },
    response: shipmentSchema,
    status: 201,
    errors: ['invalid-request', 'entity-not-found', 'sale-not-confirmed', 'invoice-cancelled', 'cancelled'],
    handle: async (request) => {
      const { lineItems: lines, ...tracking } = request.body;
      const meta = metaOf(request);
      const shipmentId = idOfCreated('shipment', meta);
      const { orderId } = request.params;
      const done = await actions.createShipment({ shipmentId, orderId, lines, ...tracking }, meta);
      return created(`/orders/${done.invoiceId}/fulfillment-summary`, responseOf(done), {
        position: done.position,
      });
    },
  });

const changeRoutes = (actions: Shipments): readonly Route[] => [
  route({
    ...common,
    method: 'PUT',
    path: '/shipments/{id}',
    summary: 'Change the tracking or the delivery of a shipment; what is null or left out stays',
    schemas: { params: entityParams, body: changeShipmentBody },
    response: shipmentSchema,
    errors: ['invalid-request', 'entity-not-found', 'cancelled'],
    handle: async (request) => {
      const change = { shipmentId: request.params.id, ...request.body };
      const done = await actions.changeShipment(change, metaOf(request));
      return ok(responseOf(done), { position: done.position });
    },
  }),
  route({
    ...common,
    method: 'PUT',
    path: '/shipments/{id}/status',
    summary: 'Move a shipment; its order follows',
    schemas: { params: entityParams, body: shipmentStatusBody },
    response: shipmentSchema,
    errors: ['invalid-request', 'entity-not-found', 'status-not-possible', 'cancelled'],
    handle: async (request) => {
      const change = { shipmentId: request.params.id, ...request.body };
      const done = await actions.setShipmentStatus(change, metaOf(request));
      return ok(responseOf(done), { position: done.position });
    },
  }),
  route({
    ...common,
    method: 'DELETE',
    path: '/shipments/{id}',
    summary: 'Delete a shipment; its units are back, and to be sent still',
    schemas: { params: entityParams },
    status: 204,
    errors: ['entity-not-found', 'status-not-possible', 'cancelled'],
    handle: async (request) => {
      const { position } = await actions.deleteShipment(request.params.id, metaOf(request));
      return noContent({ position });
    },
  }),
];

const moveRoute = (actions: Shipments): Route =>
  route({
    ...common,
    method: 'PUT',
    path: '/orders/{orderId}/status',
    summary: 'Move an order; to Shipped or Completed ships what is left of it',
    schemas: { params: orderParams, body: orderStatusBody },
    response: movedOrder,
    errors: [
      'invalid-request',
      'entity-not-found',
      'status-not-possible',
      'sale-not-confirmed',
      'invoice-cancelled',
      'payment-unknown',
      'cancelled',
    ],
    handle: async (request) => {
      const { orderId } = request.params;
      const { status, reason } = request.body;
      const why = reason ? { reason } : {};
      const done = await actions.moveOrder({ orderId, status, ...why }, metaOf(request));
      return ok(orderResponse(done, orderId), { position: done.position });
    },
  });

/** Goods on their way (docs/rules/shipments.md). */
export const shipmentRoutes = (actions: Shipments): readonly Route[] => [
  createRoute(actions),
  ...changeRoutes(actions),
  moveRoute(actions),
];
