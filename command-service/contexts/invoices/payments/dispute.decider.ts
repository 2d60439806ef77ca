import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import type { OrderStatus } from '#events/invoice.fields.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { formatMoney } from '#values/money.ts';
import { moveOrders } from '../order-desk/order-moves.state.ts';
import { isHeldByProvider } from '../holds.state.ts';
import { type Dispute, disputeOf, isHoldable, isKeptOnHold } from './disputes.state.ts';
import { isHeldForOffer } from '../post-purchase/post-purchase.state.ts';
import type { InvoiceContext } from '../invoice.context.ts';
import { noted, ofExisting, type InvoiceRules } from '../invoice-rules.ts';
import { nameOf, type KnownInvoice } from '../invoice.state.ts';
import type { DisputeCommand, NoteCallback, OpenDispute, ResolveDispute } from './dispute.commands.ts';

const { DisputeOpened, DisputeResolved } = invoiceEvents.create;

const moved = (
  invoice: KnownInvoice,
  orderIds: readonly string[],
  to: OrderStatus,
  { today: day }: InvoiceContext,
): InvoiceEvent[] =>
  moveOrders(invoice, (orderId, from) => (orderIds.includes(orderId) ? to : from), { day });

const open = (invoice: KnownInvoice, command: OpenDispute, context: InvoiceContext): InvoiceEvent[] => {
  const { now } = context;
  const { provider, paymentId, disputeId, amount, reason } = command;
  if (disputeOf(invoice, provider, disputeId)) return [];
  const payment = invoice.payments.find((made) => made.paymentId === paymentId);
  if (!payment) throw new Rejection('invalid-request', 'There is no such payment of this invoice.');
  const { currency } = invoice.content;
  const { orderStatuses, disputes } = invoice;
  const toHold = Object.keys(orderStatuses).filter((orderId) =>
    isHoldable(orderStatuses[orderId] ?? 'Pending'),
  );
  // What another dispute holds, this one holds too: the last of them releases it. The same goes for holds of an offer
  // or a provider, which may end earlier.
  const heldAlready = Object.keys(orderStatuses).filter(
    (orderId) =>
      orderStatuses[orderId] === 'OnHold' &&
      (isKeptOnHold(disputes, orderId) ||
        isHeldForOffer(invoice, orderId) ||
        isHeldByProvider(invoice, orderId)),
  );
  const over = formatMoney(amount ?? payment.amount, currency);
  const text =
    `${provider}: the payer disputes payment ${payment.transactionId} over ${over} (${disputeId})` +
    `${reason === null ? '' : `: ${reason}`}. What has not been shipped is on hold.`;
  const { transactionId } = payment;
  return [
    DisputeOpened({
      ...nameOf(invoice),
      ...{ disputeId, paymentId, provider, transactionId, amount, currency, reason },
      heldOrderIds: [...toHold, ...heldAlready],
      openedAt: now,
    }),
    ...noted(
      invoice,
      { noteId: derivedId('dispute-opened', provider, disputeId), text, author: provider },
      now,
    ),
    ...moved(invoice, toHold, 'OnHold', context),
  ];
};

/** Orders that only this dispute holds. */
const heldBy = (invoice: KnownInvoice, { provider, disputeId, heldOrderIds }: Dispute) => {
  const { disputes, orderStatuses } = invoice;
  const others = disputes.filter((other) => !(other.provider === provider && other.disputeId === disputeId));
  return heldOrderIds.filter(
    (orderId) =>
      orderStatuses[orderId] === 'OnHold' &&
      !isKeptOnHold(others, orderId) &&
      !isHeldForOffer(invoice, orderId) &&
      !isHeldByProvider(invoice, orderId),
  );
};

const resolve = (invoice: KnownInvoice, command: ResolveDispute, context: InvoiceContext): InvoiceEvent[] => {
  const { now } = context;
  const { provider, disputeId, outcome } = command;
  const dispute = disputeOf(invoice, provider, disputeId);
  if (!dispute) throw new Rejection('invalid-request', 'There is no such dispute of this invoice.');
  if (dispute.status !== 'opened') return [];
  const { paymentId, amount } = dispute;
  const noteId = derivedId('dispute-resolved', provider, disputeId);
  const text = `${provider}: dispute ${disputeId} was ${outcome}.`;
  const isOpen = invoice.status === 'open';
  return [
    DisputeResolved({ ...nameOf(invoice), disputeId, paymentId, provider, amount, outcome, resolvedAt: now }),
    ...noted(invoice, { noteId, text, author: provider }, now),
    // Orders of a lost dispute stay on hold: staff decide.
    ...(outcome === 'won' && isOpen
      ? moved(invoice, heldBy(invoice, dispute), invoice.isConfirmed ? 'ReadyToFulfill' : 'Pending', context)
      : []),
  ];
};

const noteCallback = (
  invoice: KnownInvoice,
  { noteId, text, provider: author }: NoteCallback,
  { now }: InvoiceContext,
): InvoiceEvent[] => noted(invoice, { noteId, text, author }, now);

/** Callbacks that move no money: disputes and notes. */
export const disputeRules: InvoiceRules<DisputeCommand> = {
  OpenDispute: ofExisting(open),
  ResolveDispute: ofExisting(resolve),
  NoteCallback: ofExisting(noteCallback),
};
