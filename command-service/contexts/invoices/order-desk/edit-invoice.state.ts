import { isAwaited } from '#events/awaited-payments.ts';
import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import type { OrderStatus } from '#events/invoice.fields.ts';
import { isShippable } from '#events/shipment-view.ts';
import { defined } from '#kernel/defined.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isSameJson } from '#kernel/same-json.ts';
import { awaitingBalance, invoiceBalance, type InvoiceBalance } from '#values/invoice-balance.ts';
import { canMove } from '#values/order-transitions.ts';
import { scale, type Minor } from '#values/money.ts';
import { voidedAuthorizations } from '../payments/authorization-events.state.ts';
import { isCovered } from '../payments/authorizations.state.ts';
import { paymentOfNothing } from '../payments/captured-payment.state.ts';
import { refuseWhileOwed } from '../close-invoice.ts';
import { saleOf } from '../closing.state.ts';
import type { EditInvoice } from '../invoice.commands.ts';
import type { KnownInvoice } from '../invoice.state.ts';
import { moveOrders } from './order-moves.state.ts';
import { voidedSessions } from '../payments/payment-sessions.state.ts';
import { isOnAccount } from '../payments/purchase-orders.state.ts';
import { leftToShip } from '../fulfilment/shipments.state.ts';

const { InvoiceEdited } = invoiceEvents.create;

const isSent = (status: OrderStatus): boolean => status === 'Shipped' || status === 'Completed';

/**
 * Why an invoice cannot be edited; null where it can (docs/rules/invoice-editing.md#which-invoices). One without orders
 * can.
 */
export const cannotEditReason = ({
  status,
  orderStatuses,
}: Pick<KnownInvoice, 'status' | 'orderStatuses'>): string | null => {
  if (status === 'deleted') return 'The invoice is deleted.';
  if (status !== 'open') return 'The invoice is cancelled.';
  const statuses = Object.values(orderStatuses);
  if (statuses.some((one) => one === 'Shipped' || one === 'PartiallyShipped'))
    return 'Goods of this invoice have been shipped.';
  return statuses.length > 0 && statuses.every(isSent) ? 'Everything of this invoice is completed.' : null;
};

/** Units of each line that are in a shipment: the line cannot have fewer. */
export const shippedUnits = (invoice: KnownInvoice): ReadonlyMap<string, number> =>
  new Map(
    invoice.content.orders.flatMap(({ orderId, lines }) => {
      const left = new Map(leftToShip(invoice, orderId).map(({ lineId, quantity }) => [lineId, quantity]));
      return lines
        .filter(isShippable)
        .map(({ id, quantity }): [string, number] => [id, quantity - (left.get(id) ?? 0)])
        .filter(([, sent]) => sent > 0);
    }),
  );

/** Closed orders: their lines no longer change. */
export const closedOrderIds = ({ orderStatuses }: KnownInvoice): readonly string[] =>
  Object.keys(orderStatuses).filter((orderId) => orderStatuses[orderId] === 'Cancelled');

/** Orders that are sent completely: nothing can be added to them. */
export const completedOrderIds = ({ orderStatuses }: KnownInvoice): readonly string[] =>
  Object.keys(orderStatuses).filter((orderId) => orderStatuses[orderId] === 'Completed');

/** Someone else has edited the invoice since this edit was read. */
export const editedMeanwhile = (version: number): Rejection =>
  new Rejection(
    'invoice-edited-meanwhile',
    'This invoice was edited meanwhile. Load it again before you change it.',
    { version },
  );

/** Errors: Rejections `invoice-not-editable`, `payment-unknown`. */
export const refuseEdit = (invoice: KnownInvoice): void => {
  if (invoice.status === 'deleted') throw new Rejection('invoice-not-found', 'There is no such invoice.');
  const reason = cannotEditReason(invoice);
  if (reason !== null) throw new Rejection('invoice-not-editable', reason);
  refuseWhileOwed(invoice);
};

/** A shipment may have taken units since that the edit removes. */
const refuseBelowShipped = (invoice: KnownInvoice, content: EditInvoice['content']): void => {
  const units = new Map(
    content.orders.flatMap(({ lines }) => lines.map(({ id, quantity }) => [id, quantity] as const)),
  );
  for (const [lineId, sent] of shippedUnits(invoice))
    if ((units.get(lineId) ?? 0) < sent) throw editedMeanwhile(invoice.edits);
};

const unitsIn = ({ orders }: EditInvoice['content'], orderId: string): ReadonlyMap<string, number> =>
  new Map(
    orders
      .filter((order) => order.orderId === orderId)
      .flatMap(({ lines }) => lines.map(({ id, quantity }) => [id, quantity] as const)),
  );

/** An order that the edit changes may have been cancelled since, or one that it adds to completed. */
const refuseOfClosed = (invoice: KnownInvoice, content: EditInvoice['content']): void => {
  const closed = closedOrderIds(invoice);
  for (const id of [...closed, ...completedOrderIds(invoice)]) {
    const [before, after] = [unitsIn(invoice.content, id), unitsIn(content, id)];
    const isMore = [...after].some(([lineId, units]) => units > (before.get(lineId) ?? 0));
    const isLess = [...before].some(([lineId, units]) => units > (after.get(lineId) ?? 0));
    if (isMore || (isLess && closed.includes(id))) throw editedMeanwhile(invoice.edits);
  }
};

/** A lower total first lowers what was given back. */
const balanceAfter = ({ balance, content, awaited }: KnownInvoice, total: Minor): InvoiceBalance => {
  const lowered = Math.max(0, content.amounts.total - total);
  const givenBack = Math.max(0, balance.givenBack - lowered);
  const after = invoiceBalance(total, balance.amountPaid, balance.amountRefunded, givenBack);
  // Sessions for another amount end with the edit.
  const still = total === content.amounts.total ? awaited : awaited && { ...awaited, sessionIds: [] };
  return awaitingBalance(after, isAwaited(still));
};

const returnsChanged = ({ balance, returns }: KnownInvoice, { givenBack }: InvoiceBalance): Minor =>
  balance.givenBack === givenBack ? 0 : scale(returns, givenBack, balance.givenBack) - returns;

/** The money is there or set aside. */
const isMoneyThere = ({ payments, authorizations }: KnownInvoice, { balanceDue }: InvoiceBalance): boolean =>
  (payments.length > 0 && balanceDue === 0) || isCovered({ authorizations }, balanceDue);

/** New orders may be sent if the rest of the sale may; otherwise they wait like the rest. */
const statusOfNew = (invoice: KnownInvoice, balance: InvoiceBalance): OrderStatus => {
  const { isConfirmed, purchaseOrder, content } = invoice;
  const isReleased =
    isMoneyThere(invoice, balance) || purchaseOrder !== null || content.accountTerms !== undefined;
  return isConfirmed && isReleased ? 'ReadyToFulfill' : 'Pending';
};

const statusOfOrder = (
  invoice: KnownInvoice,
  orderId: string,
  isEmptied: boolean,
  newOne: OrderStatus,
): OrderStatus => {
  const before = invoice.orderStatuses[orderId] ?? newOne;
  return isEmptied && canMove(before, 'Cancelled') ? 'Cancelled' : before;
};

const statusesAfter = (
  invoice: KnownInvoice,
  { changedOrderIds, emptiedOrderIds }: EditInvoice,
  newOne: OrderStatus,
): Record<string, OrderStatus> =>
  Object.fromEntries(
    changedOrderIds.map((orderId): [string, OrderStatus] => [
      orderId,
      statusOfOrder(invoice, orderId, emptiedOrderIds.includes(orderId), newOne),
    ]),
  );

/** Orders that have not been announced yet. */
const openedBy = (
  { content: { orders: before } }: KnownInvoice,
  { orders }: EditInvoice['content'],
): { openedOrderIds?: string[] } => {
  const known = new Set(before.map(({ orderId }) => orderId));
  const openedOrderIds = orders.map(({ orderId }) => orderId).filter((id) => !known.has(id));
  return openedOrderIds.length > 0 ? { openedOrderIds } : {};
};

/** The money of an unannounced sale is there: it is to be announced. */
const paidBy = (invoice: KnownInvoice, balance: InvoiceBalance): { isPaid?: true } =>
  !invoice.isConfirmed && isMoneyThere(invoice, balance) ? { isPaid: true } : {};

/**
 * Edits an invoice in one event; what follows from it joins the same append. A repeat has no effect. Errors: those of
 * `refuseEdit`, and `invoice-edited-meanwhile`.
 */
export const editInvoice = (
  invoice: KnownInvoice,
  command: EditInvoice,
  { now, today }: { readonly now: string; readonly today: string },
  /** The difference is paid in the same append: it is never owed, and its orders are released there. */
  { isPaidAtOnce = false }: { readonly isPaidAtOnce?: boolean } = {},
): InvoiceEvent[] => {
  const { editId, after, content, difference, stock, reason, by, emptiedOrderIds } = command;
  if (invoice.editIds.includes(editId)) return [];
  refuseEdit(invoice);
  // Pending stock moves refer to the lines before the edit.
  if (invoice.edits !== after || invoice.stockMoves.length > 0) throw editedMeanwhile(invoice.edits);
  refuseBelowShipped(invoice, content);
  refuseOfClosed(invoice, content);
  if (isSameJson(content, invoice.content)) return [];
  const { invoiceNumber, isConfirmed, sessions } = invoice;
  const { total } = content.amounts;
  // Nothing was paid and nothing is due: it is paid like an order of zero, also where a hold was to pay it.
  const isSoldOnAccount = isConfirmed && invoice.authorizations.length === 0;
  const isFree = total === 0 && invoice.payments.length === 0 && !isSoldOnAccount;
  const balanceNow = balanceAfter(invoice, total);
  const balance = isFree ? { ...balanceNow, paymentStatus: 'Unpaid' as const } : balanceNow;
  const isOwed = isConfirmed && !isPaidAtOnce && (isOnAccount(invoice) || balance.balanceDue > 0);
  return [
    InvoiceEdited({
      invoiceNumber,
      businessDay: invoice.content.businessDay,
      editId,
      placementId: invoice.placementId,
      version: invoice.edits + 1,
      content,
      balance,
      totalBefore: invoice.content.amounts.total,
      difference: { ...difference, returns: returnsChanged(invoice, balance) },
      orderStatuses: statusesAfter(invoice, command, isPaidAtOnce ? 'OnHold' : statusOfNew(invoice, balance)),
      stock: stock.map((change) => ({ ...change })),
      ...paidBy(invoice, balance),
      ...(isConfirmed
        ? { isOfSale: true as const, saleBefore: saleOf(invoice), ...openedBy(invoice, content) }
        : {}),
      ...defined({ isOnAccount: isOwed || undefined }),
      reason,
      by,
      editedAt: now,
    }),
    ...moveOrders(
      invoice,
      (orderId, from) =>
        emptiedOrderIds.includes(orderId) && canMove(from, 'Cancelled') ? 'Cancelled' : from,
      { day: today, reason: 'Its last line was taken out.' },
    ),
    // Open sessions for the previous total are void.
    ...(total === invoice.content.amounts.total ? [] : voidedSessions(sessions, now)),
    ...(balance.balanceDue === 0 ? voidedAuthorizations(invoice, by, now) : []),
    ...(isFree ? [paymentOfNothing({ ...invoice, content }, now, invoice)] : []),
  ];
};
