import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { InvoiceContext } from '../invoice.context.ts';
import { ifKnown, type InvoiceRules } from '../invoice-rules.ts';
import { isKnown, nameOf, type InvoiceState, type KnownInvoice } from '../invoice.state.ts';
import { dueInStoreCurrency, outstandingToNote } from './owed.state.ts';
import { awaitingPayment, payable, refuseWhileOwed } from './invoice-money.state.ts';
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
  context: InvoiceContext,
): InvoiceEvent[] => {
  const standing = isKnown(state) ? (state.orderRequest ?? state.purchaseOrder) : null;
  if (standing?.purchaseOrderNumber === purchaseOrderNumber) return [];
  const invoice = payable(state, context);
  if (invoice.purchaseOrder)
    throw new Rejection('already-on-account', 'This invoice stands under another purchase order already.');
  refuseWhileOwed(invoice);
  const { content, balance, orderRequests } = invoice;
  return [
    PurchaseOrderRequested({
      ...nameOf(invoice),
      requestId: derivedId('purchase-order', context.invoiceId, orderRequests),
      purchaseOrderNumber,
      amount: balance.balanceDue,
      amountInStoreCurrency: dueInStoreCurrency(invoice),
      currency: content.currency,
      requestedAt: context.now,
    }),
  ];
};

/** An invoice closed or paid since is not sold on account: the claim is released. */
const accept = (
  invoice: KnownInvoice,
  { requestId, dueDate }: AcceptPurchaseOrder,
  { now }: InvoiceContext,
): InvoiceEvent[] => {
  const { status, balance, orderRequest } = invoice;
  if (orderRequest?.requestId !== requestId) return [];
  if (status !== 'open') throw new Rejection('invoice-cancelled', 'This invoice has been closed meanwhile.');
  if (balance.balanceDue === 0)
    throw new Rejection('invoice-already-paid', 'This invoice has been paid meanwhile.');
  return [
    PurchaseOrderAccepted({
      ...nameOf(invoice),
      requestId,
      purchaseOrderNumber: orderRequest.purchaseOrderNumber,
      dueDate,
      balance: awaitingPayment(invoice),
      acceptedAt: now,
    }),
  ];
};

const refuse = (
  { orderRequest }: KnownInvoice,
  { requestId, code, message }: RefusePurchaseOrder,
  { now }: InvoiceContext,
): InvoiceEvent[] =>
  orderRequest?.requestId === requestId
    ? [PurchaseOrderRefused({ requestId, code, message, refusedAt: now })]
    : [];

/** Notes only what is still true: a command that changed it notes the new amount itself. */
const note = (invoice: KnownInvoice, { amount }: NoteOutstanding): InvoiceEvent[] =>
  outstandingToNote(invoice)?.amount === amount ? [OutstandingNoted({ amount })] : [];

/** Selling on account (docs/rules/purchase-orders.md). */
export const purchaseOrderRules: InvoiceRules<PurchaseOrderCommand> = {
  RequestPurchaseOrder: request,
  AcceptPurchaseOrder: ifKnown(accept),
  RefusePurchaseOrder: ifKnown(refuse),
  NoteOutstanding: ifKnown(note),
};
