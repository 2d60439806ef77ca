import { metaOf } from '#command/engine/request-meta.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { cancelled, cancelOrderBody, deleted, deleteOrdersBody } from '#contracts/orders.contract.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import type { Cancellation } from './cancellation.actions.ts';

const common = {
  base: 'management',
  service: 'command',
  caller: admin,
  file: import.meta.url,
  method: 'POST',
  isIdempotent: true,
} as const;

/** Cancelling and deleting, by the invoice's id (docs/rules/orders.md#cancelling). */
export const cancellationRoutes = (actions: Cancellation): readonly Route[] => [
  route({
    ...common,
    path: '/orders/{id}/cancel',
    summary: 'Cancel an invoice with its orders; nothing is refunded',
    schemas: { params: entityParams, body: cancelOrderBody },
    response: cancelled,
    errors: ['invalid-request', 'invoice-not-found', 'invoice-deleted', 'payment-unknown', 'cancelled'],
    handle: async (request) => {
      const { cancelledOrderCount, isNews, position } = await actions.cancel(
        request.params.id,
        request.body.reason,
        metaOf(request),
      );
      const errorMessage = isNews ? null : 'The invoice is cancelled already.';
      return ok({ success: true, cancelledOrderCount, errorMessage }, { position });
    },
  }),
  route({
    ...common,
    path: '/orders/delete',
    summary: 'Delete invoices: lists and reports forget them, the log does not',
    schemas: { body: deleteOrdersBody },
    response: deleted,
    errors: ['invalid-request'],
    handle: async (request) => {
      const { position, ...done } = await actions.remove(request.body.ids, metaOf(request));
      return ok(done, { position });
    },
  }),
];
