import { metaOf } from '#command/engine/request-meta.ts';
import { entityParams } from '#contracts/management.contract.ts';
import {
  batchMarkPaidResponse,
  batchMarkPaidBody,
  batchMarkPaidRefusal,
  manualPaymentBody,
  paymentRow,
} from '#contracts/payments.contract.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import { management } from '#http/surfaces/management.ts';
import { shopErrors } from '#http/surfaces/shop-errors.ts';
import type { ErrorForm } from '#http/surfaces/surface.ts';
import { toDecimal } from '#values/money.ts';
import type { MarkedPaid } from './charging/manual-payments.ts';
import type { PaymentActions } from './payments.actions.ts';

const resultOf = ({ invoiceId, payment, message }: MarkedPaid) => ({
  invoiceId,
  success: payment !== null,
  paymentId: payment?.paymentId ?? null,
  amount: payment && toDecimal(payment.amount, payment.currency),
  message,
});

/** Of a body that is wrong nothing was paid: its 400 says so as that of a batch of which nothing could be. */
const batchErrors: ErrorForm = {
  name: 'BatchError',
  schema: batchMarkPaidRefusal,
  write: (failure) => {
    const { status, code, message, details } = failure;
    if (status !== 400) return shopErrors.write(failure);
    const { errors: messages = [message] } = details;
    const nothing = { successCount: 0, messages, paymentIds: [], results: [] };
    return { json: { success: false, code, message, ...nothing, ...details } };
  },
};

const batchRoute = (actions: PaymentActions): Route =>
  route({
    base: { ...management, errors: batchErrors },
    service: 'command',
    caller: admin,
    file: import.meta.url,
    method: 'POST',
    path: '/orders/batch-mark-paid',
    summary:
      'Record a payment for each invoice, of all that is due; 400 with the same body where none could be',
    schemas: { body: batchMarkPaidBody },
    response: batchMarkPaidResponse,
    errors: ['invalid-request', 'none-paid'],
    isIdempotent: true,
    handle: async (request) => {
      const { invoiceIds, paymentMethod: method, reference, dateReceived: receivedAt } = request.body;
      const money = { method, reference, receivedAt };
      const { results: marked, position } = await actions.markPaid(invoiceIds, money, metaOf(request));
      const results = marked.map(resultOf);
      const paymentIds = results.flatMap(({ paymentId }) => paymentId ?? []);
      const messages = results
        .filter(({ success }) => !success)
        .map((one) => `${one.invoiceId}: ${one.message}`);
      const successCount = paymentIds.length;
      const json = { success: successCount > 0, successCount, messages, paymentIds, results };
      if (successCount > 0) return ok(json, { position });
      const code = 'none-paid';
      return { status: 400, code, json: { ...json, code, message: messages.join('; ') }, position };
    },
  });

/** Payments as the backoffice records them (docs/rules/payments.md#promises). */
export const invoicePaymentRoutes = (actions: PaymentActions): readonly Route[] => [
  batchRoute(actions),
  route({
    base: 'management',
    service: 'command',
    caller: admin,
    file: import.meta.url,
    method: 'POST',
    path: '/invoices/{id}/payments/manual',
    summary: 'Record money that has arrived for an invoice, in its currency',
    schemas: { params: entityParams, body: manualPaymentBody },
    response: paymentRow,
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
