import { z } from 'zod';
import { personal } from './define-events.ts';
import { count, currencyCode, guid, instant, minor, text } from './fields.ts';
import { closedSale, invoiceBalance, invoiceName, laterSourceType } from './invoice.fields.ts';

/** A refund: of which payment, by whom, how much (positive). */
const refund = {
  refundId: guid,
  paymentId: guid,
  /** `manual`: by hand, no provider is asked. */
  provider: text,
  amount: minor,
  currency: currencyCode,
  by: text,
};

/** Where returns change, the sale as it was before; missing in what older releases wrote. */
const saleBefore = closedSale.exactOptional();

/** Money that goes back: in the invoice's stream. */
export const refundShapes = {
  /** Recorded before a provider is asked to give money back; the refund's id is the provider's idempotency key. */
  RefundAttempted: {
    ...refund,
    reason: personal(text),
    /** Money that came too late: it is asked for until the provider says yes or no. */
    isOwed: z.literal(true).exactOptional(),
    /** Who may ask the provider first, as with `PaymentAttempted`. */
    askId: guid,
    attemptedAt: instant,
  },
  /** Recorded before anybody but the first asks, and before the first asks again. */
  RefundAskedAgain: { refundId: guid, provider: text },
  /** The provider has taken it on and owes the outcome: it is looked up from now on. It counts nowhere yet. */
  RefundPending: {
    refundId: guid,
    provider: text,
    transactionId: text,
    pendingSince: instant,
    openRefunds: count,
  },
  PaymentRefunded: {
    ...invoiceName,
    ...refund,
    paymentType: z.enum(['Refund', 'PartialRefund']),
    amountInStoreCurrency: minor,
    transactionId: text,
    reason: personal(text),
    /** What of it goes beyond the credit that was due (docs/rules/orders.md#balance). */
    givenBack: minor,
    givenBackInStoreCurrency: minor,
    /** The sale is confirmed and stands: what is given back counts as returns. */
    isOfSale: z.literal(true).exactOptional(),
    sourceType: laterSourceType,
    saleBefore,
    balance: invoiceBalance,
    refundedAt: instant,
    /** Refunds of the invoice that are still to be asked for, without those on their way. */
    openRefunds: count,
  },
  /** The provider's no, or certainly nothing given back: it could not be reached, or gives nothing back. */
  RefundDeclined: {
    ...refund,
    code: text,
    message: text,
    declinedAt: instant,
    openRefunds: count,
    /** The provider had taken it on, so it was promised: of which invoice. */
    wasPending: z.object({ invoiceNumber: text }).exactOptional(),
  },
  /** It was given back, and its provider says later that it could not be: the shop has the money again. */
  RefundFailed: {
    ...invoiceName,
    ...refund,
    transactionId: text,
    message: text,
    /** What of the refund's event this takes back. */
    amountInStoreCurrency: minor,
    givenBackInStoreCurrency: minor,
    /** The sale is confirmed and stands: its returns are less again. */
    isOfSale: z.literal(true).exactOptional(),
    sourceType: laterSourceType,
    saleBefore,
    balance: invoiceBalance,
    failedAt: instant,
  },
};
