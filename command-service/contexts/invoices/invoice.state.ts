import { awaitedAfter, isAwaited, nothingAwaited } from '#events/awaited-payments.ts';
import type { InvoiceContent, OrderStatus } from '#events/invoice.fields.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { DataSubject } from '#kernel/decider.ts';
import type { EventOfType } from '#kernel/event.ts';
import type { Evolution } from '#kernel/evolution.ts';
import type { Address } from '#values/address.ts';
import { awaitingBalance } from '#values/invoice-balance.ts';
import { cancelled, deleted, standing, superseded, type Closing } from './closing.state.ts';
import { reminded, unreminded, type Remindable } from './order-desk/reminders.state.ts';
import { converted, unsuggested, type Suggested } from './conversions.state.ts';
import {
  movedElsewhere,
  nothingOffered,
  offerClosed,
  onPostPurchaseEvents,
  type Offering,
} from './post-purchase/post-purchase.state.ts';
import { onDisputeEvents, type Dispute } from './payments/disputes.state.ts';
import {
  downloadsOnceCancelled,
  downloadsOnceDeleted,
  downloadsOnceEdited,
  downloadsOnceRefundFailed,
  downloadsOnceRefunded,
  nothingToDownload,
  onDownloadEvents,
  type Downloading,
} from './downloads/downloads.state.ts';
import { edited, unedited, type Edits } from './order-desk/edits.state.ts';
import {
  billingAddressChanged,
  orderRefusedFor as manualOrderRefused,
  orderRequested as manualOrderRequested,
  shippingAddressChanged,
  type RefusedInvoice,
  type RequestedInvoice,
} from './order-desk/order-desk.state.ts';
import { heldAfter, nothingHeld, withoutProviderHold, type Holding } from './holds.state.ts';
import {
  captured,
  declined,
  failed,
  outcomeOwed,
  riskAssessed,
  sessionBegun,
  sessionEnded,
  settled,
  type Paying,
  type Payment,
} from './payments/payments.state.ts';
import {
  claimedOf,
  withRefund,
  withRefundAskedAgain,
  withRefundAttempted,
  withRefundDeclined,
  withRefundFailed,
  withRefundPending,
  type ClaimingRefund,
  type Refund,
} from './refunds/refunds.state.ts';
import { noted, nothingShown, type ShownToBuyer } from './shown-to-buyer.state.ts';
import { nothingShipped, onShipmentEvents, type Shipping } from './fulfilment/shipments.state.ts';
import { attemptOf } from './payments/open-attempt.state.ts';
import {
  notedInside,
  nothingSubmitted,
  onFulfilmentEvents,
  type Fulfilling,
} from './fulfilment/fulfilments.state.ts';
import {
  notOnAccount,
  orderAccepted,
  orderRefused,
  orderRequested,
  outstandingNoted,
  type OnAccount,
} from './payments/purchase-orders.state.ts';

export type { Payment };

export interface KnownInvoice
  extends
    OnAccount,
    Remindable,
    Closing,
    Paying,
    Shipping,
    Fulfilling,
    Edits,
    Downloading,
    Suggested,
    ShownToBuyer,
    Holding,
    Offering {
  readonly status: 'open' | 'superseded' | 'cancelled' | 'deleted';
  /** Why it was cancelled. */
  readonly cancellation: string | null;
  readonly placementId: string;
  readonly invoiceNumber: string;
  readonly content: InvoiceContent;
  readonly email: string | null;
  readonly customerName: string | null;
  readonly billingCountryCode: string | null;
  readonly billingAddress: Address | null;
  readonly shippingAddress: Address | null;
  readonly orderStatuses: Readonly<Record<string, OrderStatus>>;
  readonly refunds: readonly Refund[];
  readonly disputes: readonly Dispute[];
  /** ISO instant until which goods are held for a payment that was promised; null where none was. */
  readonly heldUntil: string | null;
}

/** An invoice with its orders and money: the state that orders and payments share. */
export type InvoiceState =
  | { readonly status: 'none' }
  | { readonly status: 'void'; readonly reason: string }
  | RequestedInvoice
  | RefusedInvoice
  | KnownInvoice;

const isRequested = (state: InvoiceState): state is RequestedInvoice => state.status === 'requested';

export const isKnown = (state: InvoiceState): state is KnownInvoice =>
  state.status !== 'none' && state.status !== 'void' && state.status !== 'refused' && !isRequested(state);

/** Nothing is left to be paid, whatever was given back meanwhile (docs/rules/orders.md#balance). */
export const isPaidInFull = (state: InvoiceState): boolean =>
  state.status === 'open' && state.payments.length > 0 && state.balance.balanceDue === 0;

/**
 * Payments that came when nothing was to be paid any more, of which something is left, and which nobody has begun to
 * give back of themselves (docs/rules/refunds.md#money-that-is-owed-back).
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

export const initialInvoice = (): InvoiceState => ({ status: 'none' });

export const invoiceSubject = (id: string, state: InvoiceState): DataSubject => ({
  id: isKnown(state) || isRequested(state) ? state.content.customerId : id,
});

const created = (
  state: InvoiceState,
  { data }: EventOfType<InvoiceEvent, 'InvoiceCreated'>,
): InvoiceState => {
  if (isKnown(state)) return state;
  const {
    placementId,
    invoiceNumber,
    content,
    balance,
    email,
    billingAddress,
    shippingAddress,
    shownUpsells = [],
  } = data;
  return {
    status: 'open',
    cancellation: null,
    placementId,
    invoiceNumber,
    content,
    balance,
    email,
    customerName: billingAddress?.name ?? null,
    billingCountryCode: billingAddress?.countryCode ?? null,
    billingAddress,
    shippingAddress,
    orderStatuses: Object.fromEntries(content.orders.map((order) => [order.orderId, 'Pending' as const])),
    awaited: nothingAwaited,
    openAttempt: null,
    pending: null,
    sessions: [],
    sessionsToVoid: [],
    openedSessions: 0,
    endedSessions: 0,
    lastFailure: null,
    idleSince: null,
    finalAttempts: 0,
    failedTransactions: [],
    payments: [],
    refunds: [],
    ...nothingShown,
    ...{ ...standing, ...nothingShipped, ...nothingSubmitted },
    ...{ ...unedited, ...nothingToDownload, ...unsuggested, ...nothingOffered, ...nothingHeld, shownUpsells },
    disputes: [],
    heldUntil: null,
    ...{ ...notOnAccount, ...unreminded },
    isConfirmed: false,
  };
};

/** What an event says that money may still come from, and the payment status that follows of it. */
const awaiting = (invoice: KnownInvoice, event: InvoiceEvent): KnownInvoice => {
  const awaited = awaitedAfter(invoice.awaited, event);
  const balance = awaitingBalance(invoice.balance, isAwaited(awaited));
  return awaited === invoice.awaited && balance === invoice.balance
    ? invoice
    : { ...invoice, awaited, balance };
};

/** A change of an invoice that is there; nothing happens to any other. */
const changed =
  <Event extends InvoiceEvent>(change: (invoice: KnownInvoice, event: Event) => KnownInvoice) =>
  (state: InvoiceState, event: Event): InvoiceState =>
    isKnown(state) ? awaiting(change(state, event), event) : state;

type Changes = Readonly<Record<string, (invoice: KnownInvoice, event: never) => KnownInvoice>>;
type Changed<On extends Changes> = {
  readonly [Type in keyof On]: (state: InvoiceState, event: Parameters<On[Type]>[1]) => InvoiceState;
};

/** The same for a table of events: what one part of an invoice makes of them. */
const eachChanged = <const On extends Changes>(on: On): Changed<On> =>
  Object.fromEntries(Object.entries(on).map(([type, change]) => [type, changed(change)])) as Changed<On>;

/** What each event of an invoice's stream changes, for the deciders of orders and payments. */
export const onInvoiceEvents: Evolution<InvoiceState, InvoiceEvent> = {
  ManualOrderRequested: (state, event) => (state.status === 'none' ? manualOrderRequested(event) : state),
  ManualOrderRefused: (state, event) => (isRequested(state) ? manualOrderRefused(state, event) : state),
  ManualOrderCleared: (state) => (state.status === 'refused' ? { ...state, isToBeCleared: false } : state),
  BillingAddressChanged: changed(billingAddressChanged),
  ShippingAddressChanged: changed(shippingAddressChanged),
  PurchaseOrderNumberChanged: changed((invoice, { data: { purchaseOrderNumber } }) => ({
    ...invoice,
    purchaseOrderNumber,
  })),
  InvoiceCreated: created,
  InvoiceVoided: (state, { data: { reason } }) => (isKnown(state) ? state : { status: 'void', reason }),
  InvoiceSuperseded: changed(superseded),
  InvoiceCancelled: changed((invoice, { data }) =>
    offerClosed(
      downloadsOnceCancelled(
        cancelled(data.isOnAccount ? outstandingNoted(invoice, false) : invoice, data),
        data,
      ),
    ),
  ),
  InvoiceDeleted: changed((invoice, { data }) =>
    offerClosed(
      downloadsOnceDeleted(
        deleted(data.isOnAccount ? outstandingNoted(invoice, false) : invoice, data),
        data,
      ),
    ),
  ),
  InvoiceCleared: changed((invoice) => ({ ...invoice, isToBeCleared: false })),
  PaymentAttempted: changed((invoice, { data }) => ({ ...invoice, openAttempt: attemptOf(data) })),
  PaymentAskedAgain: changed((invoice, { data: { attemptId } }) => {
    const { openAttempt } = invoice;
    if (openAttempt?.attemptId !== attemptId) return invoice;
    return { ...invoice, openAttempt: { ...openAttempt, firstAsk: null } };
  }),
  PaymentPromised: changed((invoice, { data: { balance, heldUntil, promisedAt: boughtAt } }) => ({
    ...invoice,
    balance,
    heldUntil,
    boughtAt,
  })),
  PaymentSessionOpened: changed(sessionBegun),
  PaymentSessionClosed: changed(sessionEnded),
  PaymentSessionsVoided: changed((invoice, { data: { sessionIds } }) => ({
    ...invoice,
    sessionsToVoid: invoice.sessionsToVoid.filter(({ sessionId }) => !sessionIds.includes(sessionId)),
  })),
  PaymentPending: changed(outcomeOwed),
  PaymentAttemptMatched: changed((invoice, { data: { attemptId } }) => settled(invoice, attemptId)),
  PaymentDeclined: changed(declined),
  PaymentNotAttempted: changed((invoice, { data: { attemptId, reason: message } }) =>
    failed(invoice, { attemptId, kind: 'notAttempted', message }),
  ),
  PaymentCaptured: changed((invoice, event) =>
    event.data.isOnAccount ? outstandingNoted(captured(invoice, event), false) : captured(invoice, event),
  ),
  PaymentRiskAssessed: changed(riskAssessed),
  RefundAttempted: changed(withRefundAttempted),
  RefundAskedAgain: changed(withRefundAskedAgain),
  RefundPending: changed(withRefundPending),
  PaymentRefunded: changed((invoice, event) => downloadsOnceRefunded(withRefund(invoice, event), event.data)),
  RefundDeclined: changed(withRefundDeclined),
  RefundFailed: changed((invoice, event) =>
    downloadsOnceRefundFailed(withRefundFailed(invoice, event), event.data),
  ),
  InvoiceNoted: changed((invoice, event) => notedInside(noted(invoice, event), event)),
  PurchaseOrderRequested: changed((invoice, { data }) => orderRequested(invoice, data)),
  PurchaseOrderAccepted: changed((invoice, { data }) => ({
    ...orderAccepted(invoice, data),
    balance: data.balance,
  })),
  PurchaseOrderRefused: changed((invoice, { data }) => orderRefused(invoice, data)),
  OutstandingNoted: changed((invoice) => outstandingNoted(invoice, true)),
  ...eachChanged(onDisputeEvents),
  ...eachChanged(onShipmentEvents),
  OrderStatusChanged: changed((invoice, event) =>
    movedElsewhere(heldAfter(onShipmentEvents.OrderStatusChanged(invoice, event), event), event.data.orderId),
  ),
  ...eachChanged(onPostPurchaseEvents),
  OrderHoldTakenOver: changed((invoice, event) =>
    withoutProviderHold(onPostPurchaseEvents.OrderHoldTakenOver(invoice, event), event.data.orderId),
  ),
  ...eachChanged(onFulfilmentEvents),
  InvoiceReminded: changed(reminded),
  InvoiceEdited: changed((invoice, event) => downloadsOnceEdited(edited(invoice, event), event.data)),
  ...eachChanged(onDownloadEvents),
  UpsellConverted: changed(converted),
  SaleConfirmed: changed((invoice, { data: { isOnAccount, confirmedAt: boughtAt } }) => ({
    ...(isOnAccount ? outstandingNoted(invoice, false) : invoice),
    isConfirmed: true,
    boughtAt,
    shownUpsells: [],
  })),
};
