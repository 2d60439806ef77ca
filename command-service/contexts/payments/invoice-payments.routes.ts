import { metaOf } from '#command/engine/request-meta.ts';
import { manualPaymentBody, paymentRow, type ManualPaymentBody } from '#contracts/orders.contract.ts';
import { entityParams } from '#contracts/management.contract.ts';
import { admin, ok, route, type Route, type RouteRequest } from '#http/route.ts';
import { refuseProblems } from '#kernel/entity.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isAmountIn, toDecimal, toMinor } from '#values/money.ts';
import { isKnown, type KnownInvoice } from '../orders/invoice.state.ts';
import type { Settlement } from './settle-payment.ts';

type Request = RouteRequest<{ readonly id: string }, unknown, ManualPaymentBody>;

const known = async (settlement: Settlement, invoiceId: string): Promise<KnownInvoice> => {
  const invoice = await settlement.load(invoiceId);
  if (!isKnown(invoice)) throw new Rejection('invoice-not-found', 'There is no such invoice.');
  return invoice;
};

const recordManually = (settlement: Settlement) => async (request: Request) => {
  const { params, body } = request;
  const { currency } = (await known(settlement, params.id)).content;
  if (!isAmountIn(body.amount, currency))
    refuseProblems([`amount: an amount with the decimals of ${currency} was expected`]);
  const meta = metaOf(request);
  const recorded = await settlement.record(
    params.id,
    {
      type: 'RecordManualPayment',
      method: body.paymentMethod,
      amount: toMinor(body.amount, currency),
      description: body.description ?? null,
    },
    meta,
  );
  const [event] = recorded.events;
  if (event?.type !== 'PaymentCaptured') throw new Error(`no payment of invoice ${params.id} was recorded`);
  const position = Math.max(recorded.position, await settlement.settle(params.id, meta));
  const { paymentId: id, amount, transactionId } = event.data;
  const row = { id, parentPaymentId: null, paymentType: 'Payment', transactionId, paymentSuccess: true };
  return ok({ ...row, amount: toDecimal(amount, currency) }, { position });
};

/** Payments as the backoffice records them (docs/rules/payments.md#promises). */
export const invoicePaymentRoutes = (settlement: Settlement): readonly Route[] => [
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
    handle: recordManually(settlement),
  }),
];
