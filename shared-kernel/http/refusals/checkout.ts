import { refusals } from './refusal.ts';

export const checkout = refusals('Checkout', {
  'invalid-address': {
    status: 400,
    when: 'A field of an address is missing or wrong; `errors` has each under `billing.` or `shipping.`, in the account by itself.',
    remedy: 'Show each message beside its field.',
  },
  'too-many-addresses': {
    status: 400,
    when: 'The account keeps as many addresses as it may.',
    remedy: 'Have one removed first.',
  },
  'checkout-incomplete': {
    status: 400,
    when: 'There are no addresses or no e-mail address yet.',
    remedy: 'Send `POST /addresses` first.',
  },
  'account-required': {
    status: 400,
    when: 'The basket holds digital products, which are sold to account holders only.',
    remedy: 'Offer a sign-in, or a password with the addresses.',
  },
  'discount-not-applicable': {
    status: 400,
    when: 'The code does not exist or does not apply; `errorCode` says why.',
    remedy: 'Show the message.',
  },
  'usage-limit-reached': {
    status: 400,
    when: 'The discount has been used as often as it may be.',
    remedy: 'Take the code off and show the new total.',
  },
  'items-unavailable': {
    status: 400,
    when: 'Something in the basket cannot be had or sent any more: `unavailableItems`.',
    remedy: 'Have these lines taken out or changed.',
  },
  'basket-changed': {
    status: 400,
    when: 'The basket costs more than the shopper was last shown.',
    remedy: 'Show the new total and pay again.',
  },
  'shipping-not-selected': {
    status: 400,
    when: 'No shipping is chosen, or the chosen one is not offered any more.',
    remedy: 'Have shipping chosen again.',
  },
  'shipping-incomplete': {
    status: 422,
    when: 'A group of the shipment has no valid choice; `errors` has each by group id.',
    remedy: 'Have these groups chosen again.',
  },
  'cannot-ship': {
    status: 422,
    when: 'Something in the basket cannot be sent to the address: `unavailableItems`.',
    remedy: 'Have another address given, or these lines taken out.',
  },
  'terms-not-accepted': {
    status: 400,
    when: 'The shop wants its terms accepted.',
    remedy: 'Send `acceptTerms: true` once the shopper has agreed.',
  },
  'too-many-open-invoices': {
    status: 429,
    retryAfterSeconds: 60,
    when: 'Too many orders from this network are unpaid.',
    remedy: 'Have one paid, or wait until one expires.',
  },
  'large-order-waits': {
    status: 400,
    when: 'An order that holds much is placed later: `retryAt`.',
    remedy: 'Try again then.',
  },
  'order-being-placed': {
    status: 409,
    retryAfterSeconds: 1,
    when: 'The order of this basket is being placed.',
    remedy: 'Send the same request again.',
  },
  'tax-unavailable': {
    status: 503,
    retryAfterSeconds: 10,
    when: 'The tax on the order cannot be calculated just now. Nothing was charged.',
    remedy: 'Send the same request again.',
  },
});
