import type { Minor } from './money.ts';

export type PaymentStatus =
  'Unpaid' | 'AwaitingPayment' | 'PartiallyPaid' | 'Paid' | 'PartiallyRefunded' | 'Refunded';

/** How much of an invoice is paid, in its own currency. */
export interface InvoiceBalance {
  readonly amountPaid: Minor;
  readonly amountRefunded: Minor;
  readonly balanceDue: Minor;
  readonly creditDue: Minor;
  readonly paymentStatus: PaymentStatus;
}

const statusOf = (total: Minor, paid: Minor, refunded: Minor): PaymentStatus => {
  const net = paid - refunded;
  if (refunded > 0) return net <= 0 ? 'Refunded' : 'PartiallyRefunded';
  if (net >= total) return 'Paid';
  if (net > 0) return 'PartiallyPaid';
  return 'Unpaid';
};

/** A closed invoice owes nothing: what came in all the same is credit. Its status still says what was paid of it. */
export const closedBalance = (total: Minor, paid: Minor, refunded: Minor): InvoiceBalance => ({
  ...invoiceBalance(0, paid, refunded),
  paymentStatus: statusOf(total, paid, refunded),
});

/** The one formula of the payment status (docs/rules/orders.md#balance). */
export const invoiceBalance = (total: Minor, paid: Minor, refunded: Minor): InvoiceBalance => {
  const net = paid - refunded;
  return {
    amountPaid: paid,
    amountRefunded: refunded,
    balanceDue: Math.max(0, total - net),
    creditDue: Math.max(0, net - total),
    paymentStatus: statusOf(total, paid, refunded),
  };
};
