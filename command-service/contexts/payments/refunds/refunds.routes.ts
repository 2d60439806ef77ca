import { Rejection } from '#kernel/rejection.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { metaOf } from '#command/engine/request-meta.ts';
import { entityParams } from '#contracts/management.contract.ts';
import {
  paymentRow,
  refundBody,
  refundPreview,
  refundPreviewBody,
  type RefundBody,
  type RefundPreviewBody,
} from '#contracts/payments.contract.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import { formatMoney, percentOf, toDecimal } from '#values/money.ts';
import type { KnownInvoice, Payment } from '../../invoices/invoice.state.ts';
import { claimedOf } from '../../invoices/refunds/refunds.state.ts';
import type { OrderShipmentsApi } from '../../invoices/fulfilment/shipment.commands.ts';
import { paymentOf } from '../../invoices/refunds/refund-events.state.ts';
import { invoiceOfPayment } from '../invoice-of-payment.ts';
import { inMinor } from './amount-in-minor.ts';
import type { MadeRefund, Refunds } from './refunds.actions.ts';

interface RefundRouteDeps {
  readonly refunds: Refunds;
  readonly find: OrderShipmentsApi['invoiceOf'];
}

const common = {
  base: 'management',
  service: 'command',
  caller: admin,
  file: import.meta.url,
  method: 'POST',
} as const;

/** The invoice of a payment, of a refund too. Errors: `entity-not-found`, also for one that is deleted. */
const invoiceOf = async ({ refunds, find }: RefundRouteDeps, paymentId: string) => {
  const { invoiceId, invoice } = await invoiceOfPayment({ find, load: refunds.load }, paymentId);
  const isMoney =
    invoice.payments.some((made) => made.paymentId === paymentId) ||
    invoice.refunds.some(({ refundId }) => refundId === paymentId);
  if (!isMoney) throw new Rejection('refund-not-possible', 'Only a payment that succeeded can be refunded.');
  return { invoiceId, invoice };
};

const rowOf = ({ refund, invoice }: MadeRefund) => ({
  id: refund.refundId,
  parentPaymentId: refund.paymentId,
  paymentType: refund.paymentType,
  amount: -toDecimal(refund.amount, invoice.content.currency),
  transactionId: refund.transactionId,
  paymentSuccess: refund.status === 'done',
  status: refund.status === 'done' ? 'Completed' : 'Pending',
});

const refund = async (deps: RefundRouteDeps, paymentId: string, body: RefundBody, meta: CommandMeta) => {
  const { invoiceId, invoice } = await invoiceOf(deps, paymentId);
  const { reason, isManualRefund } = body;
  const amount = inMinor(body.amount, invoice.content.currency);
  const wanted = { amount, reason, isManual: isManualRefund ?? false };
  return deps.refunds.refundByStaff(invoiceId, paymentId, wanted, meta);
};

const wantedOf = (
  { content }: KnownInvoice,
  payment: Payment,
  left: number,
  body: RefundPreviewBody,
): number => {
  const { percentage } = body;
  const amount = inMinor(body.amount, content.currency);
  if (amount !== null) return amount;
  return percentage === null || percentage === undefined
    ? left
    : Math.min(left, percentOf(payment.amount, percentage));
};

const preview = async (deps: RefundRouteDeps, paymentId: string, body: RefundPreviewBody) => {
  const { invoice } = await invoiceOf(deps, paymentId);
  const { currency } = invoice.content;
  const payment = paymentOf(invoice, paymentId);
  const left = payment.amount - claimedOf(invoice.refunds, paymentId);
  const requested = wantedOf(invoice, payment, left, body);
  const can = deps.refunds.canOf(payment.provider);
  return {
    paymentId,
    refundableAmount: toDecimal(left, currency),
    requestedAmount: toDecimal(requested, currency),
    currencyCode: currency,
    supportsPartialRefund: can.partialRefunds,
    supportsRefund: can.refunds,
    providerAlias: payment.provider,
    formattedRefundableAmount: formatMoney(left, currency),
    formattedRequestedAmount: formatMoney(requested, currency),
  };
};

/** Money that goes back, by staff (docs/rules/refunds.md). */
export const refundRoutes = (deps: RefundRouteDeps): readonly Route[] => [
  route({
    ...common,
    path: '/payments/{id}/refund',
    summary: 'Give back money of a payment',
    schemas: { params: entityParams, body: refundBody },
    response: paymentRow,
    errors: [
      'invalid-request',
      'entity-not-found',
      'invoice-not-found',
      'refund-not-possible',
      'refund-declined',
      'provider-unavailable',
      'cancelled',
    ],
    isIdempotent: true,
    handle: async (request) => {
      const made = await refund(deps, request.params.id, request.body, metaOf(request));
      return ok(rowOf(made), { position: made.position });
    },
  }),
  route({
    ...common,
    path: '/payments/{id}/preview-refund',
    summary: 'Show what of a payment can be given back; nothing is',
    schemas: { params: entityParams, body: refundPreviewBody },
    response: refundPreview,
    errors: ['invalid-request', 'entity-not-found', 'refund-not-possible'],
    handle: async (request) => ok(await preview(deps, request.params.id, request.body)),
  }),
];
