import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { defined } from '#kernel/defined.ts';
import { Rejection } from '#kernel/rejection.ts';
import { balanceOnceClosed, cancelInvoice, deleteInvoice } from './close-invoice.ts';
import { confirmSale } from './confirm-sale.ts';
import { createInvoice } from './create-invoice.ts';
import type {
  ClearInvoice,
  ExpireInvoice,
  GiveUpInvoice,
  SaleCommand,
  SupersedeInvoice,
  VoidInvoice,
} from './invoice.commands.ts';
import type { InvoiceContext, Moment } from './invoice.context.ts';
import { ofExisting, type InvoiceRules } from './invoice-rules.ts';
import { nameOf, type InvoiceState, type KnownInvoice } from './invoice.state.ts';
import { editInvoice } from './order-desk/edit-invoice.state.ts';
import { moveOrders } from './order-desk/order-moves.state.ts';
import { toBeCaptured } from './payments/authorizations.state.ts';
import { voidedSessions } from './payments/payment-sessions.state.ts';
import { isBeingSoldOnAccount } from './payments/purchase-orders.state.ts';
import { isExpired } from './unpaid-invoice.state.ts';

const { InvoiceCancelled, InvoiceCleared, InvoiceSuperseded, InvoiceVoided } = invoiceEvents.create;

const beingSettled = (): Rejection =>
  new Rejection(
    'payment-unknown',
    'A payment of this order is still being settled. Wait a moment and try again.',
  );

/** Errors: Rejection `payment-unknown`, `invoice-already-paid`. */
const refuseIfPaying = (invoice: KnownInvoice): void => {
  if (invoice.openAttempt || invoice.pending || isBeingSoldOnAccount(invoice)) throw beingSettled();
  if (invoice.payments.length > 0 || invoice.purchaseOrder !== null || toBeCaptured(invoice).length > 0)
    throw new Rejection('invoice-already-paid', 'This order has been paid already.');
};

const supersede = (
  invoice: KnownInvoice,
  { placementId }: SupersedeInvoice,
  { now, today }: InvoiceContext,
): InvoiceEvent[] => {
  // An expired invoice is closed already, and releases what it holds itself.
  if (invoice.status !== 'open') return [];
  refuseIfPaying(invoice);
  return [
    InvoiceSuperseded({
      ...nameOf(invoice),
      supersededBy: placementId,
      ...defined({ isEdited: invoice.edits > 0 || undefined }),
    }),
    ...moveOrders(invoice, () => 'Cancelled', { day: today, isSilent: true }),
    ...voidedSessions(invoice.sessions, now),
  ];
};

/** It was never a sale: what still arrives for it is owed back. */
const closedUnpaid = (invoice: KnownInvoice, { now, today }: Moment): InvoiceEvent[] => [
  InvoiceCancelled({
    ...nameOf(invoice),
    reason: null,
    cancelledAt: now,
    balance: balanceOnceClosed(invoice),
  }),
  ...moveOrders(invoice, () => 'Cancelled', { day: today, isSilent: true }),
  ...voidedSessions(invoice.sessions, now),
];

const expire = (invoice: KnownInvoice, _: ExpireInvoice, context: InvoiceContext): InvoiceEvent[] =>
  isExpired(invoice, Date.parse(context.now), context.unpaid) ? closedUnpaid(invoice, context) : [];

const giveUp = (invoice: KnownInvoice, _: GiveUpInvoice, context: InvoiceContext): InvoiceEvent[] => {
  if (invoice.status !== 'open') return [];
  refuseIfPaying(invoice);
  if (invoice.heldUntil !== null) throw beingSettled();
  return closedUnpaid(invoice, context);
};

const clear = (
  { isToBeCleared }: KnownInvoice,
  _: ClearInvoice,
  { now: clearedAt }: InvoiceContext,
): InvoiceEvent[] => (isToBeCleared ? [InvoiceCleared({ clearedAt })] : []);

const voidNumber = (state: InvoiceState, { type: _, ...data }: VoidInvoice): InvoiceEvent[] =>
  state.status === 'none' ? [InvoiceVoided(data)] : [];

export const saleRules: InvoiceRules<SaleCommand> = {
  CreateInvoice: createInvoice,
  SupersedeInvoice: ofExisting(supersede),
  ConfirmSale: ofExisting(confirmSale),
  ExpireInvoice: ofExisting(expire),
  GiveUpInvoice: ofExisting(giveUp),
  CancelInvoice: ofExisting(cancelInvoice),
  DeleteInvoice: ofExisting(deleteInvoice),
  EditInvoice: ofExisting(editInvoice),
  ClearInvoice: ofExisting(clear),
  VoidInvoice: voidNumber,
};
