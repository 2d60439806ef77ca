import { metaOf } from '#command/engine/request-meta.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { manualPaymentBody, paymentRow } from '#contracts/payments.contract.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import { toDecimal } from '#values/money.ts';
import type { PaymentActions } from './payments.actions.ts';

/** Payments as the backoffice records them (docs/rules/payments.md#promises). */
export const invoicePaymentRoutes = (actions: PaymentActions): readonly Route[] => [
  route({
    base: 'management',
    service: 'command',
    caller: admin,
    file: import.meta.url,
    method: 'POST',
    path: '/invoices/{id}/payments/manual',
    summary: 'Record money that has arrived for an invoice, in its currency',
    schemas: { params: entityParams, body: manualPaymentBody },
    answer: paymentRow,
    errors: [
      'invalid-request',
      'invoice-not-found',
      'invoice-already-paid',
      'invoice-cancelled',
      'payment-unknown',
    ],
    isIdempotent: true,
    handle: async (request) => {
      const { paymentMethod: method, amount: decimal, description } = request.body;
      const given = { method, amount: decimal, description: description ?? null };
      const recorded = await actions.recordManually(request.params.id, given, metaOf(request));
      const { paymentId: id, amount, currency, transactionId, position } = recorded;
      const is = { parentPaymentId: null, paymentType: 'Payment', paymentSuccess: true, status: 'Completed' };
      return ok({ id, ...is, transactionId, amount: toDecimal(amount, currency) }, { position });
    },
  }),
];
