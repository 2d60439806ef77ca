import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import type { Decider } from '#kernel/decider.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import {
  initialInvoice,
  invoiceSubject,
  isKnown,
  onInvoiceEvents,
  type InvoiceState,
} from '../invoice.state.ts';
import { dueInStoreCurrency, outstandingToNote } from './owed.state.ts';
import { awaitingPayment, payable, refuseWhileOwed, type PaymentContext } from './invoice-money.state.ts';
import type {
  AcceptPurchaseOrder,
  NoteOutstanding,
  PurchaseOrderCommand,
  RefusePurchaseOrder,
  RequestPurchaseOrder,
} from './purchase-order.commands.ts';

const { OutstandingNoted, PurchaseOrderAccepted, PurchaseOrderRefused, PurchaseOrderRequested } =
  invoiceEvents.create;

const request = (
  state: InvoiceState,
  { purchaseOrderNumber }: RequestPurchaseOrder,
  context: PaymentContext,
): InvoiceEvent[] => {
  const standing = isKnown(state) ? (state.orderRequest ?? state.purchaseOrder) : null;
  if (standing?.purchaseOrderNumber === purchaseOrderNumber) return [];
  const invoice = payable(state, context);
  if (invoice.purchaseOrder)
    throw new Rejection('already-on-account', 'This invoice stands under another purchase order already.');
  refuseWhileOwed(invoice);
  const { invoiceNumber, content, balance, orderRequests } = invoice;
  return [
    PurchaseOrderRequested({
      invoiceNumber,
      businessDay: content.businessDay,
      requestId: derivedId('purchase-order', context.invoiceId, orderRequests),
      purchaseOrderNumber,
      amount: balance.balanceDue,
      amountInStoreCurrency: dueInStoreCurrency(invoice),
      currency: content.currency,
      requestedAt: context.now,
    }),
  ];
};

/** Closed or paid meanwhile, it is not sold on account: the claim goes back. */
const accept = (
  state: InvoiceState,
  { requestId, dueDate }: AcceptPurchaseOrder,
  { now }: PaymentContext,
): InvoiceEvent[] => {
  if (!isKnown(state) || state.orderRequest?.requestId !== requestId) return [];
  const { status, invoiceNumber, content, balance, orderRequest } = state;
  if (status !== 'open') throw new Rejection('invoice-cancelled', 'This invoice has been closed meanwhile.');
  if (balance.balanceDue === 0)
    throw new Rejection('invoice-already-paid', 'This invoice has been paid meanwhile.');
  return [
    PurchaseOrderAccepted({
      invoiceNumber,
      businessDay: content.businessDay,
      requestId,
      purchaseOrderNumber: orderRequest.purchaseOrderNumber,
      dueDate,
      balance: awaitingPayment(state),
      acceptedAt: now,
    }),
  ];
};

const refuse = (
  state: InvoiceState,
  { requestId, code, message }: RefusePurchaseOrder,
  { now }: PaymentContext,
): InvoiceEvent[] =>
  isKnown(state) && state.orderRequest?.requestId === requestId
    ? [PurchaseOrderRefused({ requestId, code, message, refusedAt: now })]
    : [];

/** Nothing is noted that is not so any more: whoever changed it notes it. */
const note = (state: InvoiceState, { amount }: NoteOutstanding): InvoiceEvent[] =>
  isKnown(state) && outstandingToNote(state)?.amount === amount ? [OutstandingNoted({ amount })] : [];

/** Selling on account: the third set of rules of an invoice's stream (docs/rules/purchase-orders.md). */
export const purchaseOrderDecider: Decider<InvoiceState, PurchaseOrderCommand, InvoiceEvent, PaymentContext> =
  {
    category: 'invoice',
    initial: initialInvoice,
    decide: (state, command, context) => {
      switch (command.type) {
        case 'RequestPurchaseOrder':
          return request(state, command, context);
        case 'AcceptPurchaseOrder':
          return accept(state, command, context);
        case 'RefusePurchaseOrder':
          return refuse(state, command, context);
        case 'NoteOutstanding':
          return note(state, command);
      }
    },
    on: onInvoiceEvents,
    remembersCommands: true,
    subject: invoiceSubject,
  };
