import type { Minor } from './money.ts';

export type PaymentStatus =
  | 'Unpaid'
  | 'AwaitingPayment'
  | 'PartiallyPaid'
  | 'Paid'
  | 'PartiallyRefunded'
  | 'Refunded';

/** How much of an invoice is paid, in its own currency. */
export interface InvoiceBalance {
  /** Gross: what came in, whatever went out again. */
  readonly amountPaid: Minor;
  readonly amountRefunded: Minor;
  readonly balanceDue: Minor;
  readonly creditDue: Minor;
  /** What refunds gave back beyond the credit that was due at their moment. */
  readonly givenBack: Minor;
  readonly paymentStatus: PaymentStatus;
}

const statusOf = (total: Minor, paid: Minor, refunded: Minor): PaymentStatus => {
  const net = paid - refunded;
  if (refunded > 0) return net <= 0 ? 'Refunded' : 'PartiallyRefunded';
  if (net >= total) return 'Paid';
  if (net > 0) return 'PartiallyPaid';
  return 'Unpaid';
};

/** `PartiallyPaid` as people write it: "Partially paid". */
export const statusInWords = (status: string): string =>
  status.replace(/\B[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** The one formula of the payment status (docs/rules/orders.md#balance). */
export const invoiceBalance = (
  total: Minor,
  paid: Minor,
  refunded: Minor,
  givenBack: Minor = 0,
): InvoiceBalance => {
  const kept = paid - refunded + givenBack;
  return {
    amountPaid: paid,
    amountRefunded: refunded,
    balanceDue: Math.max(0, total - kept),
    creditDue: Math.max(0, kept - total),
    givenBack,
    paymentStatus: statusOf(total, paid, refunded),
  };
};

/** Of an invoice without any payment, the status says whether money may still arrive on its own. */
export const awaitingBalance = (balance: InvoiceBalance, isAwaited: boolean): InvoiceBalance => {
  const { paymentStatus: before } = balance;
  if (before !== 'Unpaid' && before !== 'AwaitingPayment') return balance;
  const paymentStatus = isAwaited ? 'AwaitingPayment' : 'Unpaid';
  return paymentStatus === before ? balance : { ...balance, paymentStatus };
};

/**
 * A closed invoice owes nothing: its total is 0, and what is lowered lowers first what was given back
 * (docs/rules/orders.md#balance). What came in and did not go out is credit; its status still says what was paid.
 */
export const closedBalance = (
  total: Minor,
  paid: Minor,
  refunded: Minor,
  givenBack: Minor = 0,
): InvoiceBalance => ({
  ...invoiceBalance(0, paid, refunded, Math.max(0, givenBack - total)),
  paymentStatus: statusOf(total, paid, refunded),
});

/** Of a refund, what goes beyond the credit that is due: that much is given back. */
export const beyondCredit = ({ creditDue }: InvoiceBalance, refund: Minor): Minor =>
  Math.max(0, refund - creditDue);
