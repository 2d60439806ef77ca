import { refusals } from './refusal.ts';

export const payments = refusals('Payments and invoices', {
  'no-payment-method': {
    status: 400,
    when: 'Shoppers have no way to pay in this shop yet.',
    remedy: 'The owner sets one up.',
  },
  'payment-declined': {
    status: 200,
    when: 'The provider declines the payment; `message` says why. The invoice stays payable.',
    remedy: 'Show the message and offer another way to pay.',
  },
  'payment-cancelled': {
    status: 200,
    when: 'The payer gave the payment up. The invoice stays payable.',
    remedy: 'Offer the ways to pay again.',
  },
  'invoice-not-found': {
    status: 404,
    when: 'There is no such invoice.',
    remedy: 'Load the order again.',
  },
  'payment-not-found': {
    status: 404,
    when: 'There is no such payment or session.',
    remedy: 'Begin a new payment.',
  },
  'too-many-payment-sessions': {
    status: 409,
    when: 'Too many payments of this order were begun elsewhere.',
    remedy: 'Have one of them finished, or pay in another way.',
  },
  'intent-mismatch': {
    status: 409,
    when: 'The payment intent is of another basket or another amount. Nothing was charged.',
    remedy: 'Begin the wallet’s payment again.',
  },
  'other-currency': {
    status: 400,
    when: 'The payment is in another currency than its invoice.',
    remedy: 'Have staff look at the note of the invoice.',
  },
  'unmatched-payment-settled': {
    status: 409,
    when: 'The payment without an order is on an invoice by now, or was given back.',
    remedy: 'Load the list again; what is on an invoice is given back there.',
  },
  'invoice-already-paid': {
    status: 400,
    when: 'The invoice is paid.',
    remedy: 'Show the confirmation.',
  },
  'invoice-cancelled': {
    status: 400,
    when: 'The invoice was cancelled, has expired or was replaced by a newer one.',
    remedy: 'Call `pay` for the basket again.',
  },
  'invoice-unpaid': {
    status: 400,
    when: 'The sale is neither paid nor on account.',
    remedy: 'Have it paid first.',
  },
  'invoice-deleted': {
    status: 400,
    when: 'Staff deleted the invoice.',
    remedy: 'Leave it.',
  },
  'payment-unknown': {
    status: 409,
    retryAfterSeconds: 10,
    when: 'It is not known yet how another payment of this invoice ended.',
    remedy: 'Send the same request again.',
  },
  'callback-under-way': {
    status: 503,
    retryAfterSeconds: 5,
    when: 'A copy of this event of a provider is being processed.',
    remedy: 'The provider sends it again.',
  },
  'provider-unavailable': {
    status: 503,
    retryAfterSeconds: 10,
    when: 'The provider of payments, rates or addresses cannot be reached.',
    remedy: 'Send it again under the same `Idempotency-Key`.',
  },
  'rates-unavailable': {
    status: 500,
    when: 'The provider of exchange rates gave none; the last ones hold.',
    remedy: 'Try again later, or set them by hand.',
  },
  'refund-not-possible': {
    status: 400,
    when: 'The payment cannot be refunded so: too much, or not by its provider.',
    remedy: 'Refund what `message` allows.',
  },
  'refund-declined': {
    status: 400,
    when: 'The provider declines the refund.',
    remedy: 'Refund by hand.',
  },
  'capture-not-possible': {
    status: 400,
    when: 'The payment cannot be captured or voided so: too much, taken already, voided or expired.',
    remedy: 'Capture what `message` allows, or have the customer pay again.',
  },
  'capture-declined': {
    status: 400,
    when: 'The provider declines to capture or to void; the money is still authorised.',
    remedy: 'Try again later, or do it at the provider.',
  },
  'account-terms-required': {
    status: 400,
    when: 'Purchase orders are for signed-in customers with account terms.',
    remedy: 'Offer another way to pay.',
  },
  'credit-limit-exceeded': {
    status: 400,
    when: 'The order would go over the customer’s credit limit.',
    remedy: 'Offer another way to pay.',
  },
  'already-on-account': {
    status: 400,
    when: 'The invoice stands under another purchase order.',
    remedy: 'Leave it.',
  },
  'payment-method-not-found': {
    status: 404,
    when: 'There is no such saved payment method, or it is another customer’s.',
    remedy: 'Load the saved methods again.',
  },
  'payment-method-refused': {
    status: 400,
    when: 'The provider does not save this payment method; `message` says why.',
    remedy: 'Have another one given.',
  },
  'payment-method-expired': {
    status: 400,
    when: 'The saved payment method has expired.',
    remedy: 'Have another one chosen.',
  },
  'too-many-payment-methods': {
    status: 400,
    when: 'The customer has as many saved payment methods as there may be.',
    remedy: 'Have one removed first.',
  },
});
