import { Rejection } from '#kernel/rejection.ts';
import { awaitingBalance, type InvoiceBalance } from '#values/invoice-balance.ts';
import type { InvoiceContext } from '../invoice.context.ts';
import { isAuthorized, visibleInvoice, type InvoiceState, type KnownInvoice } from '../invoice.state.ts';
import { isBeingCaptured } from './authorizations.state.ts';
import { isBeingSoldOnAccount } from './purchase-orders.state.ts';
import { isExpired } from '../unpaid-invoice.state.ts';

/** An invoice that may be charged. Expiry is checked here, whether or not the job has run (docs/rules/checkout.md). */
export const payable = (
  state: InvoiceState,
  { now, unpaid }: Pick<InvoiceContext, 'now' | 'unpaid'>,
): KnownInvoice => {
  const invoice = visibleInvoice(state);
  if (invoice.status === 'superseded') {
    throw new Rejection(
      'invoice-cancelled',
      'This invoice was replaced by a newer one. Start the payment again.',
    );
  }
  if (invoice.status === 'cancelled' && invoice.isByStaff)
    throw new Rejection('invoice-cancelled', 'This order has been cancelled.');
  if (invoice.status === 'cancelled' || isExpired(invoice, Date.parse(now), unpaid)) {
    throw new Rejection('invoice-cancelled', 'This invoice has expired. Start the payment again.');
  }
  if (invoice.balance.balanceDue === 0 && invoice.payments.length > 0) {
    throw new Rejection('invoice-already-paid', 'This invoice has been paid already.');
  }
  if (isBeingCaptured(invoice)) throw otherAttemptOpen();
  if (isAuthorized(invoice)) {
    throw new Rejection(
      'invoice-already-paid',
      'The money for this invoice is authorised already: capture it, or void it first.',
    );
  }
  refuseWhileSold(invoice);
  return invoice;
};

/** No other provider is asked while an outcome is pending (docs/rules/payment-sessions.md#pending). */
export const otherAttemptOpen = (): Rejection =>
  new Rejection(
    'payment-unknown',
    'The outcome of another payment of this invoice is not known yet. Wait a moment and try again.',
  );

/** Errors: Rejection `payment-unknown`, from the request for a purchase order until the sale is announced. */
export const refuseWhileSold = (invoice: KnownInvoice): void => {
  if (isBeingSoldOnAccount(invoice)) throw otherAttemptOpen();
};

/** The balance of an invoice with a payment under way: no money is there yet. */
export const awaitingPayment = ({ balance }: KnownInvoice): InvoiceBalance => awaitingBalance(balance, true);

/** Errors: Rejection `payment-unknown`. */
export const refuseWhileOwed = ({ openAttempt, pending }: KnownInvoice): void => {
  if (openAttempt ?? pending) throw otherAttemptOpen();
};
