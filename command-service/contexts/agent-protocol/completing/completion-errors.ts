import type { ProtocolError } from '#agents/protocol-error.ts';
import type { AgentSession } from '../sessions/agent-session.state.ts';
import { PAYMENT_GIVEN_UP } from '../sessions/agent-session.decider.ts';
import { PAYMENT_FAILED, PAYMENT_SUSPECTED, PROVIDER_UNAVAILABLE } from './complete-session.process.ts';

type Told = Omit<ProtocolError, 'text'> & { readonly text?: (message: string) => string };

/** The words that agents look for. */
export const FULFILMENT_MISSING =
  'Fulfillment address and option must be selected before the checkout is completed.';

const fulfilment: Told = {
  code: 'fulfillment_required',
  path: '$.fulfillment',
  text: () => FULFILMENT_MISSING,
};
const readAgain: Told = { code: 'conflict' };
const busy: Told = { code: 'checkout_not_modifiable' };
/** It existed when the checkout was read. */
const noSuchMethod: Told = { code: 'payment_failed', path: '$.payment.instruments[0].id' };
const tooMuch: Told = { code: 'rate_limited' };

/** Why checkout or a provider refused, as agents are told it. */
const told: Readonly<Record<string, Told>> = {
  [PAYMENT_FAILED]: { code: 'payment_failed', path: '$.payment' },
  [PAYMENT_SUSPECTED]: { code: 'payment_failed', path: '$.payment', httpStatus: 403 },
  [PROVIDER_UNAVAILABLE]: { code: 'payment_unavailable' },
  [PAYMENT_GIVEN_UP]: busy,
  'out-of-stock': {
    code: 'out_of_stock',
    path: '$.line_items',
    httpStatus: 409,
    text: (message) => `Insufficient stock: ${message}`,
  },
  'items-unavailable': { code: 'item_unavailable', path: '$.line_items' },
  'shipping-not-selected': fulfilment,
  'checkout-incomplete': fulfilment,
  'account-required': { code: 'account_required', path: '$.buyer', severity: 'requires_buyer_input' },
  'no-payment-method': { code: 'invalid_payment_handler', path: '$.payment' },
  'payment-method-not-found': noSuchMethod,
  'payment-method-expired': noSuchMethod,
  'not-yours': noSuchMethod,
  invalid_token: { code: 'invalid_token' },
  'basket-changed': readAgain,
  'usage-limit-reached': readAgain,
  'order-being-placed': readAgain,
  'invoice-cancelled': readAgain,
  'payment-unknown': busy,
  'invoice-already-paid': busy,
  checkout_not_modifiable: busy,
  'too-many-open-invoices': tooMuch,
  'large-order-waits': tooMuch,
  'too-many-requests': tooMuch,
  'tax-unavailable': { code: 'service_unavailable' },
};

const unforeseen: Told = { code: 'invalid' };

/** A completion that came to nothing, in the protocol's words. */
export const completionError = ({ code, message }: NonNullable<AgentSession['failed']>): ProtocolError => {
  const { text, ...error } = told[code] ?? unforeseen;
  return { ...error, text: text?.(message) ?? message };
};

const temporary = new Set([
  'invalid_token',
  'conflict',
  'rate_limited',
  'payment_unavailable',
  'service_unavailable',
]);

/** Whether the same request may come to something else: no answer to it is kept under its key. */
export const mayBeTriedAgain = (failed: NonNullable<AgentSession['failed']>): boolean => {
  const { code, httpStatus } = completionError(failed);
  return temporary.has(code) || httpStatus === 403;
};
