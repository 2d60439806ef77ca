import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import type { Decider } from '#kernel/decider.ts';
import { Rejection } from '#kernel/rejection.ts';
import { invoiceBalance } from '#values/invoice-balance.ts';
import { paymentOfNothing } from './payments/captured-payment.state.ts';
import { balanceOnceClosed, cancelInvoice, deleteInvoice } from './close-invoice.ts';
import { confirmSale } from './confirm-sale.ts';
import { editInvoice } from './order-desk/edit-invoice.state.ts';
import type { CreateInvoice, InvoiceCommand, SupersedeInvoice } from './invoice.commands.ts';
import {
  initialInvoice,
  invoiceSubject,
  isKnown,
  onInvoiceEvents,
  type InvoiceState,
  type KnownInvoice,
} from './invoice.state.ts';
import { moveOrders } from './order-desk/order-moves.state.ts';
import { voidedSessions } from './payments/payment-sessions.state.ts';
import { isBeingSoldOnAccount } from './payments/purchase-orders.state.ts';
import { isExpired, type UnpaidLimits } from './unpaid-invoice.state.ts';

export interface InvoiceContext {
  /** ISO instant. */
  readonly now: string;
  /** The business day of now. */
  readonly today: string;
  readonly unpaid: UnpaidLimits;
}

const { InvoiceCancelled, InvoiceCleared, InvoiceCreated, InvoiceSuperseded, InvoiceVoided } =
  invoiceEvents.create;

const known = (state: InvoiceState): KnownInvoice => {
  if (!isKnown(state)) throw new Rejection('invoice-not-found', 'There is no such invoice.');
  return state;
};

/** The first events of an invoice. */
export const createInvoice = (state: InvoiceState, command: CreateInvoice, now: string): InvoiceEvent[] => {
  if (state.status === 'void') throw new Rejection('cancelled', `No invoice: ${state.reason}.`);
  if (state.status !== 'none') return [];
  const { type: _, ...data } = command;
  const { total } = command.content.amounts;
  const isFree = total === 0;
  const balance = isFree
    ? { ...invoiceBalance(0, 0, 0), paymentStatus: 'Unpaid' as const }
    : invoiceBalance(total, 0, 0);
  const created = InvoiceCreated({ ...data, balance });
  return isFree ? [created, paymentOfNothing(command, now)] : [created];
};

const supersede = (
  state: InvoiceState,
  { placementId }: SupersedeInvoice,
  { now, today }: InvoiceContext,
): InvoiceEvent[] => {
  const invoice = known(state);
  // What has expired meanwhile is closed already, and holds nothing that it does not give back itself.
  if (invoice.status !== 'open') return [];
  if (invoice.openAttempt || invoice.pending || isBeingSoldOnAccount(invoice)) {
    throw new Rejection(
      'payment-unknown',
      'A payment of this order is still being settled. Wait a moment and try again.',
    );
  }
  if (invoice.payments.length > 0 || invoice.purchaseOrder !== null)
    throw new Rejection('invoice-already-paid', 'This order has been paid already.');
  const { invoiceNumber, content } = invoice;
  return [
    InvoiceSuperseded({
      invoiceNumber,
      businessDay: content.businessDay,
      supersededBy: placementId,
      ...(invoice.edits > 0 ? { isEdited: true as const } : {}),
    }),
    ...moveOrders(invoice, () => 'Cancelled', { day: today }),
    ...voidedSessions(invoice.sessions, now),
  ];
};

const expire = (state: InvoiceState, { now, today, unpaid }: InvoiceContext): InvoiceEvent[] => {
  const invoice = known(state);
  if (!isExpired(invoice, Date.parse(now), unpaid)) return [];
  const { invoiceNumber, content } = invoice;
  return [
    InvoiceCancelled({
      invoiceNumber,
      businessDay: content.businessDay,
      reason: 'expired',
      cancelledAt: now,
      balance: balanceOnceClosed(invoice),
    }),
    ...moveOrders(invoice, () => 'Cancelled', { day: today }),
    ...voidedSessions(invoice.sessions, now),
  ];
};

/** Invoices and their orders: created by a placement, superseded by the next one, confirmed when paid, else expired. */
export const invoiceDecider: Decider<InvoiceState, InvoiceCommand, InvoiceEvent, InvoiceContext> = {
  category: 'invoice',
  initial: initialInvoice,
  decide: (state, command, context) => {
    const { now } = context;
    switch (command.type) {
      case 'CreateInvoice':
        return createInvoice(state, command, now);
      case 'SupersedeInvoice':
        return supersede(state, command, context);
      case 'ConfirmSale':
        return confirmSale(known(state), command, context);
      case 'ExpireInvoice':
        return expire(state, context);
      case 'CancelInvoice':
        return cancelInvoice(known(state), command, context);
      case 'DeleteInvoice':
        return deleteInvoice(known(state), command, context);
      case 'EditInvoice':
        return editInvoice(known(state), command, context);
      case 'ClearInvoice':
        return known(state).isToBeCleared ? [InvoiceCleared({ clearedAt: now })] : [];
      case 'VoidInvoice': {
        const { type: _, ...data } = command;
        return state.status === 'none' ? [InvoiceVoided(data)] : [];
      }
    }
  },
  on: onInvoiceEvents,
  remembersCommands: true,
  subject: invoiceSubject,
};
