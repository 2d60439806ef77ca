import { awaitedAfter, isAwaited } from '#events/awaited-payments.ts';
import type { InvoiceContent, OrderStatus } from '#events/invoice.fields.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { DataSubject } from '#kernel/decider.ts';
import type { Evolution } from '#kernel/evolution.ts';
import { Rejection } from '#kernel/rejection.ts';
import { awaitingBalance } from '#values/invoice-balance.ts';
import { onClosingEvents, standing, type Closing } from './closing.state.ts';
import { onConversionEvents, unsuggested, type Suggested } from './conversions.state.ts';
import { nothingToDownload, onDownloadEvents, type Downloading } from './downloads/downloads.state.ts';
import { nothingSubmitted, onFulfilmentEvents, type Fulfilling } from './fulfilment/fulfilments.state.ts';
import { nothingShipped, onShipmentEvents, type Shipping } from './fulfilment/shipments.state.ts';
import { nothingHeld, onHoldEvents, type Holding } from './holds.state.ts';
import type { InvoiceEventOf, Part } from './invoice-part.state.ts';
import { onEditEvents, unedited, type Edits } from './order-desk/edits.state.ts';
import {
  onAddressEvents,
  orderRefusedFor,
  orderRequested,
  type RefusedInvoice,
  type RequestedInvoice,
  type Written,
} from './order-desk/order-desk.state.ts';
import { onReminderEvents, unreminded, type Remindable } from './order-desk/reminders.state.ts';
import {
  isCovered,
  nothingAuthorized,
  onAuthorizationEvents,
  type Authorizing,
} from './payments/authorizations.state.ts';
import { onDisputeEvents, type Disputed } from './payments/disputes.state.ts';
import { onPaymentEvents, unpaid, type Paying, type Payment } from './payments/payments.state.ts';
import { notOnAccount, onAccountEvents, type OnAccount } from './payments/purchase-orders.state.ts';
import { nothingOffered, onPostPurchaseEvents, type Offering } from './post-purchase/post-purchase.state.ts';
import { claimedOf, onRefundEvents, type ClaimingRefund, type Refunding } from './refunds/refunds.state.ts';
import { nothingShown, onShownEvents, type ShownToBuyer } from './shown-to-buyer.state.ts';

export type { Payment };

export interface KnownInvoice
  extends
    Authorizing,
    Closing,
    Disputed,
    Downloading,
    Edits,
    Fulfilling,
    Holding,
    Offering,
    OnAccount,
    Paying,
    Refunding,
    Remindable,
    Shipping,
    ShownToBuyer,
    Suggested,
    Written {
  readonly placementId: string;
  readonly invoiceNumber: string;
  readonly content: InvoiceContent;
  readonly orderStatuses: Readonly<Record<string, OrderStatus>>;
}

/** The state of an invoice's stream: the invoice with its orders and money. */
export type InvoiceState =
  | { readonly status: 'none' }
  | { readonly status: 'void'; readonly reason: string }
  | RequestedInvoice
  | RefusedInvoice
  | KnownInvoice;

const isRequested = (state: InvoiceState): state is RequestedInvoice => state.status === 'requested';

export const isKnown = (state: InvoiceState): state is KnownInvoice =>
  state.status !== 'none' && state.status !== 'void' && state.status !== 'refused' && !isRequested(state);

/** Nothing is left to pay, whatever was refunded since (docs/rules/orders.md#balance). */
export const isPaidInFull = (state: InvoiceState): boolean =>
  state.status === 'open' && state.payments.length > 0 && state.balance.balanceDue === 0;

/** What is left to pay is set aside, and can be captured (docs/rules/authorizations.md). */
export const isAuthorized = (state: InvoiceState): boolean =>
  state.status === 'open' && isCovered(state, state.balance.balanceDue);

/** The sale stands: paid, with its money set aside, or on account. */
export const isSold = (state: InvoiceState): boolean =>
  state.status === 'open' && (isPaidInFull(state) || state.purchaseOrder !== null || isAuthorized(state));

/**
 * Payments that arrived when nothing was due, as far as no refund of them has been started
 * (docs/rules/refunds.md#money-that-is-owed-back).
 */
export const owedPayments = ({
  payments,
  refunds,
}: {
  readonly payments: readonly Payment[];
  readonly refunds: readonly ClaimingRefund[];
}): readonly Payment[] =>
  payments.filter(
    ({ paymentId, amount, isOverpayment }) =>
      isOverpayment &&
      claimedOf(refunds, paymentId) < amount &&
      !refunds.some((refund) => refund.paymentId === paymentId && refund.isOwed),
  );

export const noInvoice = (): Rejection => new Rejection('invoice-not-found', 'There is no such invoice.');

/** Also a deleted one. Errors: Rejection `invoice-not-found`. */
export const existingInvoice = (state: InvoiceState): KnownInvoice => {
  if (!isKnown(state)) throw noInvoice();
  return state;
};

/** An invoice that staff see. Errors: Rejection `invoice-not-found`, also for one that was deleted. */
export const visibleInvoice = (state: InvoiceState, notFound = noInvoice): KnownInvoice => {
  if (!isKnown(state) || state.status === 'deleted') throw notFound();
  return state;
};

/** What identifies the invoice in each of its events. */
export const nameOf = ({ invoiceNumber, content }: Pick<KnownInvoice, 'invoiceNumber' | 'content'>) => ({
  invoiceNumber,
  businessDay: content.businessDay,
});

export const initialInvoice = (): InvoiceState => ({ status: 'none' });

/** Without a customer, what is personal stands under the key of the basket. */
export const invoiceSubject = (id: string, state: InvoiceState): DataSubject => {
  if (!isKnown(state) && !isRequested(state)) return { id };
  const { customerId, basketId } = state.content;
  return { id: customerId ?? basketId ?? id };
};

const created = (state: InvoiceState, { data }: InvoiceEventOf<'InvoiceCreated'>): InvoiceState => {
  if (isKnown(state)) return state;
  const { placementId, invoiceNumber, content, balance, email, billingAddress, shippingAddress } = data;
  return {
    ...{ placementId, invoiceNumber, content, balance, email, billingAddress, shippingAddress },
    isForgotten: false,
    customerName: billingAddress?.name ?? null,
    billingCountryCode: billingAddress?.countryCode ?? null,
    orderStatuses: Object.fromEntries(content.orders.map((order) => [order.orderId, 'Pending' as const])),
    refunds: [],
    disputes: [],
    ...nothingAuthorized,
    ...{ ...standing, ...unpaid, ...notOnAccount, ...unreminded, ...nothingShown, ...nothingHeld },
    ...{ ...nothingShipped, ...nothingSubmitted, ...unedited, ...nothingToDownload, ...nothingOffered },
    ...{ ...unsuggested, shownUpsells: data.shownUpsells ?? [] },
    pages: content.pages ?? null,
  };
};

/** Updates where money may still come from, and the payment status that follows. */
const awaiting = (invoice: KnownInvoice, event: InvoiceEvent): KnownInvoice => {
  const awaited = awaitedAfter(invoice.awaited, event);
  const balance = awaitingBalance(invoice.balance, isAwaited(awaited));
  return awaited === invoice.awaited && balance === invoice.balance
    ? invoice
    : { ...invoice, awaited, balance };
};

type Change = (invoice: KnownInvoice, event: never) => Partial<KnownInvoice>;
type TypesOf<One> = One extends unknown ? keyof One & InvoiceEvent['type'] : never;
type Together<One> = Pick<Evolution<InvoiceState, InvoiceEvent>, TypesOf<One>>;

/** Joins the parts: each event changes the fields of all. An invoice that does not exist stays unchanged. */
const together = <Parts extends readonly Part<KnownInvoice>[]>(...parts: Parts): Together<Parts[number]> => {
  const changes = Map.groupBy(
    parts.flatMap((part): [string, Change][] => Object.entries(part)),
    ([type]) => type,
  );
  const evolutions = [...changes].map(([type, ofType]) => [
    type,
    (state: InvoiceState, event: InvoiceEvent): InvoiceState => {
      if (!isKnown(state)) return state;
      const after = { ...state };
      for (const [, change] of ofType) Object.assign(after, change(state, event as never));
      return awaiting(after, event);
    },
  ]);
  return Object.fromEntries(evolutions) as unknown as Together<Parts[number]>;
};

export const onInvoiceEvents: Evolution<InvoiceState, InvoiceEvent> = {
  ManualOrderRequested: (state, event) => (state.status === 'none' ? orderRequested(event) : state),
  ManualOrderRefused: (state, event) => (isRequested(state) ? orderRefusedFor(state, event) : state),
  ManualOrderCleared: (state) => (state.status === 'refused' ? { ...state, isToBeCleared: false } : state),
  InvoiceCreated: created,
  InvoiceVoided: (state, { data: { reason } }) => (isKnown(state) ? state : { status: 'void', reason }),
  ...together(
    onClosingEvents,
    onPaymentEvents,
    onAuthorizationEvents,
    onRefundEvents,
    onAccountEvents,
    onDisputeEvents,
    onShipmentEvents,
    onFulfilmentEvents,
    onHoldEvents,
    onPostPurchaseEvents,
    onEditEvents,
    onDownloadEvents,
    onAddressEvents,
    onReminderEvents,
    onConversionEvents,
    onShownEvents,
  ),
};
