import type { InvoiceContent, OrderStatus } from '#events/invoice.fields.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { DataSubject } from '#kernel/decider.ts';
import type { EventOfType } from '#kernel/event.ts';
import type { Evolution } from '#kernel/evolution.ts';
import type { InvoiceBalance } from '#values/invoice-balance.ts';

export interface Payment {
  readonly paymentId: string;
  readonly attemptId: string | null;
  readonly provider: string;
  readonly method: string;
  readonly transactionId: string;
  readonly amount: number;
}

/** An attempt whose outcome is not known yet. */
export interface OpenAttempt {
  readonly attemptId: string;
  readonly provider: string;
  readonly method: string;
  readonly token: string | null;
  readonly amount: number;
  readonly currency: string;
  /** Who may ask the provider first; null once somebody may have asked who is not, or asked again. */
  readonly firstAsk: string | null;
  /** ISO instant; null in logs that did not say so yet. */
  readonly attemptedAt: string | null;
}

/** An attempt that took no money: the provider said no, or could not be reached. */
interface FailedAttempt {
  readonly attemptId: string;
  readonly kind: 'declined' | 'notAttempted';
  readonly message: string;
}

export interface KnownInvoice {
  readonly status: 'open' | 'superseded' | 'cancelled';
  /** Why it was cancelled. */
  readonly cancellation: string | null;
  readonly placementId: string;
  readonly invoiceNumber: string;
  readonly content: InvoiceContent;
  readonly balance: InvoiceBalance;
  readonly email: string | null;
  readonly customerName: string | null;
  readonly billingCountryCode: string | null;
  readonly orderStatuses: Readonly<Record<string, OrderStatus>>;
  readonly openAttempt: OpenAttempt | null;
  readonly lastFailure: FailedAttempt | null;
  /** When the last attempt ended without money; ISO instant. */
  readonly lastFailedAt: string | null;
  /** Attempts whose outcome is final: the next attempt's key counts them. */
  readonly finalAttempts: number;
  readonly payments: readonly Payment[];
  /** ISO instant until which goods are held for a payment that was promised; null where none was. */
  readonly heldUntil: string | null;
  readonly isConfirmed: boolean;
}

/** An invoice with its orders and money: the state that orders and payments share. */
export type InvoiceState =
  { readonly status: 'none' } | { readonly status: 'void'; readonly reason: string } | KnownInvoice;

export const isKnown = (state: InvoiceState): state is KnownInvoice =>
  state.status !== 'none' && state.status !== 'void';

export const initialInvoice = (): InvoiceState => ({ status: 'none' });

export const invoiceSubject = (id: string, state: InvoiceState): DataSubject => ({
  id: isKnown(state) ? state.content.customerId : id,
});

const settled = (invoice: KnownInvoice): KnownInvoice => ({
  ...invoice,
  openAttempt: null,
  finalAttempts: invoice.openAttempt ? invoice.finalAttempts + 1 : invoice.finalAttempts,
});

const failed = (invoice: KnownInvoice, lastFailure: FailedAttempt, endedAt?: string): KnownInvoice => ({
  ...settled(invoice),
  lastFailure,
  lastFailedAt: endedAt ?? invoice.lastFailedAt,
});

const created = (
  state: InvoiceState,
  { data }: EventOfType<InvoiceEvent, 'InvoiceCreated'>,
): InvoiceState => {
  if (isKnown(state)) return state;
  const { placementId, invoiceNumber, content, balance, email, billingAddress } = data;
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
    orderStatuses: Object.fromEntries(content.orders.map((order) => [order.orderId, 'Pending' as const])),
    openAttempt: null,
    lastFailure: null,
    lastFailedAt: null,
    finalAttempts: 0,
    payments: [],
    heldUntil: null,
    isConfirmed: false,
  };
};

/** A change of an invoice that is there; nothing happens to any other. */
const changed =
  <Event>(change: (invoice: KnownInvoice, event: Event) => KnownInvoice) =>
  (state: InvoiceState, event: Event): InvoiceState =>
    isKnown(state) ? change(state, event) : state;

/** What each event of an invoice's stream changes, for the deciders of orders and payments. */
export const onInvoiceEvents: Evolution<InvoiceState, InvoiceEvent> = {
  InvoiceCreated: created,
  InvoiceVoided: (state, { data: { reason } }) => (isKnown(state) ? state : { status: 'void', reason }),
  InvoiceSuperseded: changed((invoice) => ({ ...invoice, status: 'superseded' })),
  InvoiceCancelled: changed((invoice, { data: { reason, balance } }) => ({
    ...invoice,
    status: 'cancelled',
    cancellation: reason,
    balance,
  })),
  PaymentAttempted: changed((invoice, { data }) => {
    const { attemptId, provider, method, token, amount, currency } = data;
    const { askId: firstAsk = null, attemptedAt = null } = data;
    const openAttempt = { attemptId, provider, method, token, amount, currency, firstAsk, attemptedAt };
    return { ...invoice, openAttempt };
  }),
  PaymentAskedAgain: changed((invoice, { data: { attemptId } }) => {
    const { openAttempt } = invoice;
    if (openAttempt?.attemptId !== attemptId) return invoice;
    return { ...invoice, openAttempt: { ...openAttempt, firstAsk: null } };
  }),
  PaymentPromised: changed((invoice, { data: { balance, heldUntil } }) => ({
    ...invoice,
    balance,
    heldUntil,
  })),
  PaymentDeclined: changed((invoice, { data: { attemptId, message, endedAt } }) =>
    failed(invoice, { attemptId, kind: 'declined', message }, endedAt),
  ),
  PaymentNotAttempted: changed((invoice, { data: { attemptId, reason: message, endedAt } }) =>
    failed(invoice, { attemptId, kind: 'notAttempted', message }, endedAt),
  ),
  PaymentCaptured: changed((invoice, { data }) => {
    const { paymentId, attemptId, provider, method, transactionId, amount, balance } = data;
    const payment = { paymentId, attemptId, provider, method, transactionId, amount };
    return { ...settled(invoice), balance, payments: [...invoice.payments, payment] };
  }),
  OrderStatusChanged: changed((invoice, { data: { orderId, to } }) => ({
    ...invoice,
    orderStatuses: { ...invoice.orderStatuses, [orderId]: to },
  })),
  SaleConfirmed: changed((invoice) => ({ ...invoice, isConfirmed: true })),
};
