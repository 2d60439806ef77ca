import type { InvoiceBalance } from '#values/invoice-balance.ts';
import type { Minor } from '#values/money.ts';
import type { InvoiceEventOf, Part } from '../invoice-part.state.ts';

/** Declined refunds are remembered for callers that ask about the outcome. */
export interface Refund {
  readonly refundId: string;
  readonly paymentId: string;
  readonly provider: string;
  readonly amount: Minor;
  readonly currency: string;
  readonly status: 'underWay' | 'done' | 'declined';
  /** Null once erased. */
  readonly reason: string | null;
  readonly by: string;
  readonly isOwed: boolean;
  /** The provider's id; null until it accepts the refund. */
  readonly transactionId: string | null;
  readonly paymentType: 'Refund' | 'PartialRefund';
  readonly decline: { readonly code: string; readonly message: string } | null;
  /** Who may ask the provider first; null once another caller may have asked, or asked again. */
  readonly firstAsk: string | null;
  /** Null until it is done. */
  readonly given: {
    /** ISO instant. */
    readonly at: string;
    readonly inStoreCurrency: Minor;
    readonly back: Minor;
    readonly backInStoreCurrency: Minor;
  } | null;
}

/** The most declined refunds remembered. */
const DECLINED = 20;

const withoutOldestDeclined = (refunds: readonly Refund[]): readonly Refund[] => {
  const declined = refunds.filter(({ status }) => status === 'declined');
  const forgotten = new Set(declined.slice(0, Math.max(0, declined.length - DECLINED)));
  return forgotten.size === 0 ? refunds : refunds.filter((refund) => !forgotten.has(refund));
};

export const refundType = (amount: Minor, paidAmount: Minor): Refund['paymentType'] =>
  amount < paidAmount ? 'PartialRefund' : 'Refund';

export type ClaimingRefund = Pick<Refund, 'paymentId' | 'amount' | 'status' | 'isOwed'>;

const amountOf = (refunds: readonly ClaimingRefund[]): Minor =>
  refunds.reduce((sum, { amount }) => sum + amount, 0);

const doneOf = (refunds: readonly Refund[], paymentId: string): readonly Refund[] =>
  refunds.filter((refund) => refund.paymentId === paymentId && refund.status === 'done');

export const refundedOf = (refunds: readonly Refund[], paymentId: string): Minor =>
  amountOf(doneOf(refunds, paymentId));

export const refundedInStoreCurrencyOf = (refunds: readonly Refund[], paymentId: string): Minor =>
  doneOf(refunds, paymentId).reduce((sum, { given }) => sum + (given?.inStoreCurrency ?? 0), 0);

/** Refunds of a payment that are done or under way: the rest may still be refunded. */
export const claimedOf = (refunds: readonly ClaimingRefund[], paymentId: string): Minor =>
  amountOf(refunds.filter((refund) => refund.paymentId === paymentId && refund.status !== 'declined'));

export interface Refunding {
  readonly balance: InvoiceBalance;
  readonly returns: Minor;
  readonly refunds: readonly Refund[];
}

interface Refundable extends Refunding {
  readonly payments: readonly { readonly paymentId: string; readonly amount: Minor }[];
}

const changed = (
  { refunds }: Refunding,
  refundId: string,
  change: Partial<Refund>,
): Pick<Refunding, 'refunds'> => ({
  refunds: refunds.map((refund) => (refund.refundId === refundId ? { ...refund, ...change } : refund)),
});

const declined = (
  invoice: Refunding,
  { refundId, code, message }: { readonly refundId: string } & NonNullable<Refund['decline']>,
): Pick<Refunding, 'refunds'> => {
  const decline = { status: 'declined', decline: { code, message }, firstAsk: null, given: null } as const;
  return { refunds: withoutOldestDeclined(changed(invoice, refundId, decline).refunds) };
};

const attempted = (
  { refunds, payments }: Refundable,
  { data }: InvoiceEventOf<'RefundAttempted'>,
): Partial<Refunding> => {
  const { refundId, paymentId, provider, amount, currency, reason, by, isOwed = false, askId } = data;
  const payment = payments.find((made) => made.paymentId === paymentId);
  const refund: Refund = {
    ...{ refundId, paymentId, provider, amount, currency, reason, by, isOwed },
    status: 'underWay',
    transactionId: null,
    paymentType: refundType(amount, payment?.amount ?? 0),
    decline: null,
    firstAsk: askId,
    given: null,
  };
  return { refunds: [...refunds, refund] };
};

const refunded = (invoice: Refundable, { data }: InvoiceEventOf<'PaymentRefunded'>): Partial<Refunding> => {
  const { refundId, paymentId, provider, amount, currency, reason, by, transactionId, paymentType } = data;
  const { amountInStoreCurrency, givenBack, givenBackInStoreCurrency } = data;
  const known = invoice.refunds.find((refund) => refund.refundId === refundId);
  const refund: Refund = {
    ...{ refundId, paymentId, provider, amount, currency, reason, by, transactionId, paymentType },
    isOwed: known?.isOwed ?? false,
    status: 'done',
    decline: null,
    firstAsk: null,
    given: {
      at: data.refundedAt,
      inStoreCurrency: amountInStoreCurrency,
      back: givenBack,
      backInStoreCurrency: givenBackInStoreCurrency,
    },
  };
  return {
    balance: data.balance,
    returns: invoice.returns + givenBackInStoreCurrency,
    ...(known ? changed(invoice, refundId, refund) : { refunds: [...invoice.refunds, refund] }),
  };
};

export const onRefundEvents = {
  RefundAttempted: attempted,
  RefundAskedAgain: (invoice, { data: { refundId } }) => changed(invoice, refundId, { firstAsk: null }),
  RefundPending: (invoice, { data: { refundId, transactionId } }) =>
    changed(invoice, refundId, { transactionId, firstAsk: null }),
  PaymentRefunded: refunded,
  RefundDeclined: (invoice, { data }) => declined(invoice, data),
  // It no longer counts; callers that ask about it learn that it failed.
  RefundFailed: (invoice, { data }) => ({
    balance: data.balance,
    returns: invoice.returns - data.givenBackInStoreCurrency,
    ...declined(invoice, { ...data, code: 'failed' }),
  }),
} satisfies Part<Refunding, Refundable>;
