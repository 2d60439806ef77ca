import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import type { ClosedSale } from '#events/invoice.fields.ts';
import { laterSourceTypeOf } from '#events/sale-figures.ts';
import { Rejection } from '#kernel/rejection.ts';
import { closedBalance, type InvoiceBalance } from '#values/invoice-balance.ts';
import { canMove } from '#values/order-transitions.ts';
import { saleOf } from './closing.state.ts';
import { perhapsTaken } from './fulfilment/fulfilments.state.ts';
import type { CancelInvoice, DeleteInvoice } from './invoice.commands.ts';
import type { Moment } from './invoice.context.ts';
import { isSold, type KnownInvoice } from './invoice.state.ts';
import { moveOrders } from './order-desk/order-moves.state.ts';
import { voidedAuthorizations } from './payments/authorization-events.state.ts';
import { isBeingCaptured } from './payments/authorizations.state.ts';
import { voidedSessions } from './payments/payment-sessions.state.ts';
import { unpackedAll } from './fulfilment/shipment-rules.ts';
import { isBeingAddedTo } from './post-purchase/post-purchase.state.ts';
import { isBeingSoldOnAccount, isOnAccount } from './payments/purchase-orders.state.ts';

const { InvoiceCancelled, InvoiceDeleted } = invoiceEvents.create;

/**
 * A closed invoice takes no charge, so a pending outcome comes first. So does the sale of one just paid, part of which
 * may be recorded already.
 */
export const refuseWhileOwed = (invoice: KnownInvoice): void => {
  const { openAttempt, pending, isConfirmed } = invoice;
  const isBeingSold = isBeingSoldOnAccount(invoice) || (isSold(invoice) && !isConfirmed);
  const isOwed = openAttempt !== null || pending !== null || isBeingCaptured(invoice);
  if (!isOwed && !isBeingSold && !isBeingAddedTo(invoice)) return;
  throw new Rejection(
    'payment-unknown',
    'A payment of this order is still being settled. Wait a moment and try again.',
  );
};

export const balanceOnceClosed = ({ content, balance }: KnownInvoice): InvoiceBalance =>
  closedBalance(content.amounts.total, balance.amountPaid, balance.amountRefunded, balance.givenBack);

/** What closing it takes out of reports and discount figures; nothing for an invoice that was never a sale. */
const soldOf = (invoice: KnownInvoice): { sale?: ClosedSale } =>
  invoice.isConfirmed ? { sale: saleOf(invoice) } : {};

const accountOf = (invoice: KnownInvoice): { isOnAccount?: true } =>
  isOnAccount(invoice) ? { isOnAccount: true } : {};

const isToBeCancelled = (from: KnownInvoice['orderStatuses'][string]): boolean =>
  from !== 'Cancelled' && from !== 'Completed' && canMove(from, 'Cancelled');

/** Cancels the invoice and every order that can still be cancelled (docs/rules/orders.md#cancelling). */
export const cancelInvoice = (
  invoice: KnownInvoice,
  { reason, by }: CancelInvoice,
  context: Moment,
  whyOfOrders = `Invoice cancelled: ${reason}`,
): InvoiceEvent[] => {
  const { now, today } = context;
  if (invoice.status === 'deleted') throw new Rejection('invoice-deleted', 'This invoice is deleted.');
  if (invoice.status !== 'open') return [];
  refuseWhileOwed(invoice);
  const { invoiceNumber, content, orderStatuses } = invoice;
  const orderIds = Object.keys(orderStatuses).filter((id) =>
    isToBeCancelled(orderStatuses[id] ?? 'Cancelled'),
  );
  return [
    InvoiceCancelled({
      invoiceNumber,
      businessDay: content.businessDay,
      reason,
      cancelledAt: now,
      cancelledBy: by,
      orderIds,
      balance: balanceOnceClosed(invoice),
      ...accountOf(invoice),
      ...soldOf(invoice),
    }),
    ...moveOrders(invoice, (orderId, from) => (orderIds.includes(orderId) ? 'Cancelled' : from), {
      day: today,
      reason: whyOfOrders,
    }),
    ...perhapsTaken(invoice, orderIds, now),
    ...unpackedAll(invoice, context),
    ...voidedSessions(invoice.sessions, now),
    ...voidedAuthorizations(invoice, by, now),
  ];
};

/** Under which its payments, what is authorised and its refunds are listed. */
export const paymentIdsOf = ({ payments, authorizations, refunds }: KnownInvoice): ReadonlySet<string> =>
  new Set([
    ...[...payments, ...authorizations].map(({ paymentId }) => paymentId),
    ...refunds.map(({ refundId }) => refundId),
  ]);

/** Takes an invoice out of lists and reports (docs/rules/orders.md#deleting). */
export const deleteInvoice = (
  invoice: KnownInvoice,
  { by }: DeleteInvoice,
  context: Moment,
): InvoiceEvent[] => {
  if (invoice.status === 'deleted') return [];
  const { invoiceNumber, content, orderStatuses, status, completedDays } = invoice;
  const isOpen = status === 'open';
  // A closed invoice waits for no outcome: money that arrives later is an overpayment.
  if (isOpen) refuseWhileOwed(invoice);
  const unshipped = Object.keys(orderStatuses).filter((id) =>
    isToBeCancelled(orderStatuses[id] ?? 'Cancelled'),
  );
  return [
    InvoiceDeleted({
      invoiceNumber,
      businessDay: content.businessDay,
      deletedBy: by,
      deletedAt: context.now,
      balance: balanceOnceClosed(invoice),
      orderIds: isOpen ? unshipped : [],
      paymentIds: [...paymentIdsOf(invoice)],
      wasCancelled: !isOpen,
      completedDays: Object.values(completedDays),
      ...laterSourceTypeOf(content),
      ...accountOf(invoice),
      ...soldOf(invoice),
    }),
    ...(isOpen
      ? [
          ...unpackedAll(invoice, context),
          ...voidedSessions(invoice.sessions, context.now),
          ...voidedAuthorizations(invoice, by, context.now),
        ]
      : []),
  ];
};
