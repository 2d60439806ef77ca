import { defineEvents, type EventOf } from './define-events.ts';
import { currencyCode, guid, instant, minor, text } from './fields.ts';

const payment = {
  provider: text,
  transactionId: text,
  amount: minor,
  currency: currencyCode,
  /** The invoice that the provider names, as it names it: it may be none of the shop's. */
  namedInvoiceId: text.nullable(),
  receivedAt: instant,
};

/**
 * Money that a provider has taken and that no invoice of the shop is paid by. Stream `unmatchedPayment-<id>`, one for
 * each payment of a provider (docs/rules/unmatched-payments.md).
 */
export const unmatchedPaymentEvents = defineEvents('unmatched-payments', {
  UnmatchedPaymentReceived: payment,
  /** It is decided for which invoice it is: from here on nothing of it is given back here. */
  UnmatchedPaymentMatched: { invoiceId: guid, by: text, matchedAt: instant },
  /** It stands on an invoice. */
  UnmatchedPaymentPlaced: { invoiceId: guid, placedAt: instant },
  /** Recorded before the provider is asked; the refund's id is its idempotency key. */
  UnmatchedRefundAttempted: {
    refundId: guid,
    amount: minor,
    by: text,
    attemptedAt: instant,
  },
  /** The provider has taken it on and owes the outcome. */
  UnmatchedRefundPending: { refundId: guid, transactionId: text, pendingSince: instant },
  /** `transactionId`: the provider's name of the refund; `left`: what has not been given back yet. */
  UnmatchedPaymentRefunded: { transactionId: text, amount: minor, left: minor, refundedAt: instant },
  /** The provider has said no, or its refund has failed later. `refund`: its name there, if it was taken on. */
  UnmatchedRefundFailed: {
    ...payment,
    refund: text.nullable(),
    left: minor,
    message: text,
    failedAt: instant,
  },
});
export type UnmatchedPaymentEvent = EventOf<typeof unmatchedPaymentEvents>;
