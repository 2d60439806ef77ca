import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import type { OrderStatus } from '#events/invoice.fields.ts';
import type { Decider } from '#kernel/decider.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { formatMoney } from '#values/money.ts';
import { moveOrders } from '../order-desk/order-moves.state.ts';
import { isHeldByProvider } from '../holds.state.ts';
import { type Dispute, disputeOf, isHoldable, isKeptOnHold } from './disputes.state.ts';
import { isHeldForOffer } from '../post-purchase/post-purchase.state.ts';
import {
  initialInvoice,
  invoiceSubject,
  isKnown,
  onInvoiceEvents,
  type InvoiceState,
  type KnownInvoice,
} from '../invoice.state.ts';
import type { DisputeCommand, NoteCallback, OpenDispute, ResolveDispute } from './dispute.commands.ts';

export interface DisputeContext {
  /** ISO instant. */
  readonly now: string;
  /** The business day of now. */
  readonly today: string;
}

const { DisputeOpened, DisputeResolved, InvoiceNoted } = invoiceEvents.create;

const known = (state: InvoiceState): KnownInvoice => {
  if (!isKnown(state)) throw new Rejection('invoice-not-found', 'There is no such invoice.');
  return state;
};

const nameOf = ({ invoiceNumber, content }: KnownInvoice) => ({
  invoiceNumber,
  businessDay: content.businessDay,
});

const moved = (
  invoice: KnownInvoice,
  orderIds: readonly string[],
  to: OrderStatus,
  { today: day }: DisputeContext,
): InvoiceEvent[] =>
  moveOrders(invoice, (orderId, from) => (orderIds.includes(orderId) ? to : from), { day });

const noted = (
  { noteIds }: KnownInvoice,
  { noteId, text, provider }: Omit<NoteCallback, 'type'>,
  now: string,
): InvoiceEvent[] =>
  noteIds.includes(noteId)
    ? []
    : [InvoiceNoted({ noteId, text, isVisibleToCustomer: false, author: provider, notedAt: now })];

const open = (state: InvoiceState, command: OpenDispute, context: DisputeContext): InvoiceEvent[] => {
  const { now } = context;
  const invoice = known(state);
  const { provider, paymentId, disputeId, amount, reason } = command;
  if (disputeOf(invoice, provider, disputeId)) return [];
  const payment = invoice.payments.find((made) => made.paymentId === paymentId);
  if (!payment) throw new Rejection('invalid-request', 'There is no such payment of this invoice.');
  const { currency } = invoice.content;
  const { orderStatuses, disputes } = invoice;
  const toHold = Object.keys(orderStatuses).filter((orderId) =>
    isHoldable(orderStatuses[orderId] ?? 'Pending'),
  );
  // What another dispute keeps on hold is kept by this one, too: the last of them lets it go. So is what waits for an
  // offer or for its provider, which may be over before.
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
    ...noted(invoice, { noteId: derivedId('dispute-opened', provider, disputeId), text, provider }, now),
    ...moved(invoice, toHold, 'OnHold', context),
  ];
};

/** Orders that this dispute holds, and nothing else. */
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

const resolve = (state: InvoiceState, command: ResolveDispute, context: DisputeContext): InvoiceEvent[] => {
  const { now } = context;
  const invoice = known(state);
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
    ...noted(invoice, { noteId, text, provider }, now),
    // What is lost stays on hold: staff decide what becomes of it.
    ...(outcome === 'won' && isOpen
      ? moved(invoice, heldBy(invoice, dispute), invoice.isConfirmed ? 'ReadyToFulfill' : 'Pending', context)
      : []),
  ];
};

/** What providers tell of an invoice's payments beside money: disputes, and what is only noted. */
export const disputeDecider: Decider<InvoiceState, DisputeCommand, InvoiceEvent, DisputeContext> = {
  category: 'invoice',
  initial: initialInvoice,
  decide: (state, command, context) => {
    switch (command.type) {
      case 'OpenDispute':
        return open(state, command, context);
      case 'ResolveDispute':
        return resolve(state, command, context);
      case 'NoteCallback': {
        const { type: _, ...note } = command;
        return noted(known(state), note, context.now);
      }
    }
  },
  on: onInvoiceEvents,
  remembersCommands: true,
  subject: invoiceSubject,
};
