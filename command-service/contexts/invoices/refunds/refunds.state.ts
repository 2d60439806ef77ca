import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType } from '#kernel/event.ts';
import type { InvoiceBalance } from '#values/invoice-balance.ts';
import type { Minor } from '#values/money.ts';

/** A refund of a payment; what was declined is remembered for those who ask what came of it. */
export interface Refund {
  readonly refundId: string;
  readonly paymentId: string;
  readonly provider: string;
  readonly amount: Minor;
  readonly currency: string;
  readonly status: 'underWay' | 'done' | 'declined';
  /** Null once forgotten. */
  readonly reason: string | null;
  readonly by: string;
  readonly isOwed: boolean;
  /** The provider's own name of it; null until it has taken it on. */
  readonly transactionId: string | null;
  readonly paymentType: 'Refund' | 'PartialRefund';
  /** Why it was declined. */
  readonly decline: { readonly code: string; readonly message: string } | null;
  /** Who may ask the provider first; null once somebody may have asked who is not, or asked again. */
  readonly firstAsk: string | null;
  /** What it came to; null until it is done. */
  readonly given: {
    readonly inStoreCurrency: Minor;
    readonly back: Minor;
    readonly backInStoreCurrency: Minor;
  } | null;
}

/** Declined refunds that are remembered. */
const DECLINED = 20;

const withoutOldestDeclined = (refunds: readonly Refund[]): readonly Refund[] => {
  const declined = refunds.filter(({ status }) => status === 'declined');
  const forgotten = new Set(declined.slice(0, Math.max(0, declined.length - DECLINED)));
  return forgotten.size === 0 ? refunds : refunds.filter((refund) => !forgotten.has(refund));
};

const replaced = (refunds: readonly Refund[], changed: Refund): readonly Refund[] =>
  refunds.some(({ refundId }) => refundId === changed.refundId)
    ? refunds.map((refund) => (refund.refundId === changed.refundId ? changed : refund))
    : [...refunds, changed];

type Data<Type extends InvoiceEvent['type']> = EventOfType<InvoiceEvent, Type>['data'];

const refundAttempted = (
  refunds: readonly Refund[],
  data: Data<'RefundAttempted'>,
  paidAmount: Minor,
): readonly Refund[] => {
  const { refundId, paymentId, provider, amount, currency, reason, by, isOwed = false, askId } = data;
  return [
    ...refunds,
    {
      ...{ refundId, paymentId, provider, amount, currency, reason, by, isOwed },
      status: 'underWay',
      transactionId: null,
      paymentType: refundType(amount, paidAmount),
      decline: null,
      firstAsk: askId,
      given: null,
    },
  ];
};

const refundAskedAgain = (refunds: readonly Refund[], refundId: string): readonly Refund[] =>
  refunds.map((refund) => (refund.refundId === refundId ? { ...refund, firstAsk: null } : refund));

const refundPending = (
  refunds: readonly Refund[],
  { refundId, transactionId }: Data<'RefundPending'>,
): readonly Refund[] =>
  refunds.map((refund) =>
    refund.refundId === refundId ? { ...refund, transactionId, firstAsk: null } : refund,
  );

const refundDone = (refunds: readonly Refund[], data: Data<'PaymentRefunded'>): readonly Refund[] => {
  const { refundId, paymentId, provider, amount, currency, reason, by, transactionId, paymentType } = data;
  const { amountInStoreCurrency, givenBack, givenBackInStoreCurrency } = data;
  const known = refunds.find((refund) => refund.refundId === refundId);
  return replaced(refunds, {
    ...{ refundId, paymentId, provider, amount, currency, reason, by, transactionId, paymentType },
    isOwed: known?.isOwed ?? false,
    status: 'done',
    decline: null,
    firstAsk: null,
    given: {
      inStoreCurrency: amountInStoreCurrency,
      back: givenBack,
      backInStoreCurrency: givenBackInStoreCurrency,
    },
  });
};

const refundDeclined = (
  refunds: readonly Refund[],
  { refundId, code, message }: Pick<Data<'RefundDeclined'>, 'refundId' | 'code' | 'message'>,
): readonly Refund[] =>
  withoutOldestDeclined(
    refunds.map((refund) =>
      refund.refundId === refundId
        ? { ...refund, status: 'declined', decline: { code, message }, firstAsk: null, given: null }
        : refund,
    ),
  );

/** Part of a payment, or all of it. */
export const refundType = (amount: Minor, paidAmount: Minor): Refund['paymentType'] =>
  amount < paidAmount ? 'PartialRefund' : 'Refund';

/** As much of a refund as says what it takes of its payment. */
export type ClaimingRefund = Pick<Refund, 'paymentId' | 'amount' | 'status' | 'isOwed'>;

const amountOf = (refunds: readonly ClaimingRefund[]): Minor =>
  refunds.reduce((sum, { amount }) => sum + amount, 0);

const doneOf = (refunds: readonly Refund[], paymentId: string): readonly Refund[] =>
  refunds.filter((refund) => refund.paymentId === paymentId && refund.status === 'done');

/** What has been given back of a payment. */
export const refundedOf = (refunds: readonly Refund[], paymentId: string): Minor =>
  amountOf(doneOf(refunds, paymentId));

/** The same in the store's currency. */
export const refundedInStoreCurrencyOf = (refunds: readonly Refund[], paymentId: string): Minor =>
  doneOf(refunds, paymentId).reduce((sum, { given }) => sum + (given?.inStoreCurrency ?? 0), 0);

/** What has been given back of a payment, or is about to be: of so much less a refund may still be asked. */
export const claimedOf = (refunds: readonly ClaimingRefund[], paymentId: string): Minor =>
  amountOf(refunds.filter((refund) => refund.paymentId === paymentId && refund.status !== 'declined'));

interface WithRefunds {
  readonly balance: InvoiceBalance;
  readonly returns: Minor;
  readonly payments: readonly { readonly paymentId: string; readonly amount: Minor }[];
  readonly refunds: readonly Refund[];
}

type Told<Type extends InvoiceEvent['type']> = EventOfType<InvoiceEvent, Type>;

export const withRefundAttempted = <Invoice extends WithRefunds>(
  invoice: Invoice,
  { data }: Told<'RefundAttempted'>,
): Invoice => {
  const payment = invoice.payments.find(({ paymentId }) => paymentId === data.paymentId);
  return { ...invoice, refunds: refundAttempted(invoice.refunds, data, payment?.amount ?? 0) };
};

export const withRefundAskedAgain = <Invoice extends WithRefunds>(
  invoice: Invoice,
  { data: { refundId } }: Told<'RefundAskedAgain'>,
): Invoice => ({ ...invoice, refunds: refundAskedAgain(invoice.refunds, refundId) });

export const withRefundPending = <Invoice extends WithRefunds>(
  invoice: Invoice,
  { data }: Told<'RefundPending'>,
): Invoice => ({ ...invoice, refunds: refundPending(invoice.refunds, data) });

export const withRefund = <Invoice extends WithRefunds>(
  invoice: Invoice,
  { data }: Told<'PaymentRefunded'>,
): Invoice => ({
  ...invoice,
  balance: data.balance,
  returns: invoice.returns + data.givenBackInStoreCurrency,
  refunds: refundDone(invoice.refunds, data),
});

export const withRefundDeclined = <Invoice extends WithRefunds>(
  invoice: Invoice,
  { data }: Told<'RefundDeclined'>,
): Invoice => ({ ...invoice, refunds: refundDeclined(invoice.refunds, data) });

/** It counts no more; who asks what came of it is told that it failed. */
export const withRefundFailed = <Invoice extends WithRefunds>(
  invoice: Invoice,
  { data }: Told<'RefundFailed'>,
): Invoice => ({
  ...invoice,
  balance: data.balance,
  returns: invoice.returns - data.givenBackInStoreCurrency,
  refunds: refundDeclined(invoice.refunds, { ...data, code: 'failed' }),
});
