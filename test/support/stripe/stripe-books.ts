import { createCharges } from './stripe-charges.ts';
import {
  error,
  missing,
  moved,
  noReturnUrl,
  refusedAmount,
  wrongSecret,
  type Answer,
  type Form,
  type Json,
} from './stripe-rules.ts';

export interface Intent extends Json {
  readonly id: string;
  readonly object: 'payment_intent' | 'setup_intent';
  readonly amount: number;
  readonly currency: string;
  readonly client_secret: string;
  readonly customer: string | null;
  status: string;
  refunded: number;
}

interface Refund extends Json {
  readonly id: string;
  readonly amount: number;
  readonly payment_intent: string;
  status: string;
}

/** The bank's word for a payer that it wanted to see. */
export type Authentication = 'succeeded' | 'failed';

/**
 * Test cards of https://docs.stripe.com/testing, and whether their bank wants to see the payer: always, until the card
 * is set up, or never.
 */
const cards: Readonly<Record<string, 'always' | 'until set up' | 'never'>> = {
  pm_card_visa: 'never',
  pm_card_pendingRefund: 'never',
  pm_card_riskLevelElevated: 'never',
  pm_card_riskLevelHighest: 'never',
  pm_card_authenticationRequired: 'always',
  pm_card_authenticationRequiredOnSetup: 'until set up',
};

export const metadataOf = (form: Form): Json =>
  Object.fromEntries(
    Object.entries(form).flatMap(([name, value]) => {
      const field = /^metadata\[(\w+)\]$/.exec(name)?.[1];
      return field === undefined ? [] : [[field, value]];
    }),
  );

const declined = (code: string, message: string): Json => ({ type: 'card_error', code, message });

/** The page of the payer's bank. */
const bankOf = (id: string): string => `https://hooks.stripe.com/3d_secure_2/hosted?of=${id}`;

/** Money, cards and customers at the double. */
export const createBooks = () => {
  const intents = new Map<string, Intent>();
  const refunds = new Map<string, Refund>();
  const methods = new Map<string, Json>();
  const events: Json[] = [];
  let count = 0;
  const next = (prefix: string): string => `${prefix}_${String(++count).padStart(8, '0')}`;

  /** https://docs.stripe.com/webhooks: an event has the object as it was at that moment. */
  const tell = (type: string, object: Json): void => {
    events.push({ id: next('evt'), object: 'event', type, data: { object: structuredClone(object) } });
  };

  const banks = createCharges(next, tell);

  /** A card of the test cards; a method that is kept stays what it is. */
  const methodOf = (token: string, customer: string | null): Json => {
    const kept = methods.get(token);
    if (kept) return kept;
    const card = { brand: 'visa', last4: '4242', exp_month: 12, exp_year: 2034 };
    const billing = { name: 'Ada Lovelace', email: 'ada@example.com' };
    const id = next('pm');
    const more = { type: 'card', card, billing_details: billing, customer, token };
    const method = { id, object: 'payment_method', ...more };
    methods.set(id, method);
    return method;
  };

  /** It is no customer's any more (https://docs.stripe.com/api/payment_methods/detach). */
  const detach = (id: string): Answer => {
    const method = methods.get(id);
    if (!method) return missing();
    methods.delete(id);
    return [200, Object.assign(method, { customer: null })];
  };

  const open = (object: Intent['object'], form: Form): Intent => {
    const id = next(object === 'payment_intent' ? 'pi' : 'seti');
    const intent: Intent = {
      id,
      object,
      amount: Number(form['amount'] ?? 0),
      currency: form['currency'] ?? '',
      status: 'requires_payment_method',
      client_secret: `${id}_secret_${count}`,
      metadata: metadataOf(form),
      customer: form['customer'] ?? null,
      amount_received: 0,
      setup_future_usage: form['setup_future_usage'] ?? null,
      capture_method: form['capture_method'] ?? 'automatic',
      next_action: null,
      last_payment_error: null,
      last_setup_error: null,
      payment_method: null,
      latest_charge: null,
      return_url: null,
      refunded: 0,
    };
    intents.set(id, intent);
    return intent;
  };

  const succeed = (intent: Intent): void => {
    const isSetUp = intent.object === 'setup_intent' || intent['setup_future_usage'] === 'off_session';
    const token = String(intent['card']);
    const method = methodOf(token, isSetUp ? intent.customer : null);
    if (isSetUp) Object.assign(method, { isSetUp: true });
    const isHeld = intent['capture_method'] === 'manual';
    Object.assign(intent, { payment_method: method, next_action: null, last_payment_error: null });
    intent.status = isHeld ? 'requires_capture' : 'succeeded';
    if (intent.object === 'payment_intent') intent['latest_charge'] = banks.charge(intent, token, isHeld);
    if (isHeld) return tell('payment_intent.amount_capturable_updated', intent);
    if (intent.object === 'payment_intent') intent['amount_received'] = intent.amount;
    tell(`${intent.object}.succeeded`, intent);
  };

  const fail = (intent: Intent, why: Json): void => {
    const isSetUp = intent.object === 'setup_intent';
    Object.assign(intent, {
      status: 'requires_payment_method',
      next_action: null,
      [isSetUp ? 'last_setup_error' : 'last_payment_error']: why,
    });
    tell(isSetUp ? 'setup_intent.setup_failed' : 'payment_intent.payment_failed', intent);
  };

  const refuse = (intent: Intent, code: string, message: string): Answer => {
    fail(intent, declined(code, message));
    return error(402, 'card_error', code, message, { [intent.object]: intent, decline_code: code });
  };

  const needsPayer = (token: string): boolean => {
    const kept = methods.get(token);
    const wants = cards[String(kept?.['token'] ?? token)];
    return wants === 'always' || (wants === 'until set up' && kept?.['isSetUp'] !== true);
  };

  const isUsable = (token: string, customer: string | null): boolean => {
    const kept = methods.get(token);
    return kept ? kept['customer'] === customer : Object.hasOwn(cards, token);
  };

  /** https://docs.stripe.com/payments/paymentintents/lifecycle */
  const confirm = (intent: Intent, form: Form): Answer => {
    const { status } = intent;
    if (!['requires_payment_method', 'requires_confirmation', 'requires_action'].includes(status))
      return moved(intent.object);
    const token = form['payment_method'] ?? form['confirmation_token'] ?? '';
    const returnUrl = form['return_url'];
    const isKeptHere = form['automatic_payment_methods[allow_redirects]'] === 'never';
    const isOffSession = form['off_session'] === 'true';
    if (returnUrl === undefined && !isKeptHere && !isOffSession) return noReturnUrl();
    if (token === 'pm_card_chargeDeclined') return refuse(intent, 'card_declined', 'Your card was declined.');
    if (!isUsable(token, intent.customer)) return missing();
    Object.assign(intent, { card: token, return_url: returnUrl ?? null });
    if (!needsPayer(token)) {
      succeed(intent);
      return [200, intent];
    }
    // https://docs.stripe.com/payments/save-and-reuse#charge-saved-payment-method: no payer is there to be asked.
    if (isOffSession)
      return refuse(intent, 'authentication_required', 'Your card was declined: it requires authentication.');
    const isByScript = form['use_stripe_sdk'] === 'true' || returnUrl === undefined;
    intent.status = 'requires_action';
    // https://docs.stripe.com/api/payment_intents/object#payment_intent_object-next_action
    intent['next_action'] = isByScript
      ? { type: 'use_stripe_sdk', use_stripe_sdk: { type: 'three_d_secure_redirect' } }
      : { type: 'redirect_to_url', redirect_to_url: { url: bankOf(intent.id), return_url: returnUrl } };
    tell(`${intent.object}.requires_action`, intent);
    return [200, intent];
  };

  const createIntent = (form: Form): Answer => {
    const refused = refusedAmount(form['amount'], form['currency'] ?? '');
    if (refused) return refused;
    const intent = open('payment_intent', form);
    return form['confirm'] === 'true' ? confirm(intent, form) : [200, intent];
  };

  const createSetUp = (form: Form): Answer => [200, open('setup_intent', form)];

  /** With the shop's key, or in a browser with the intent's own secret. */
  const confirmBy = (intent: Intent, form: Form, isBrowser: boolean): Answer =>
    isBrowser && form['client_secret'] !== intent.client_secret
      ? wrongSecret(intent.object)
      : confirm(intent, form);

  const cancel = (intent: Intent, reason: string | null): void =>
    void Object.assign(intent, { status: 'canceled', next_action: null, cancellation_reason: reason });

  /** Nobody has captured it in time: it is told of as both. */
  const expire = (id: string): void => {
    const intent = intents.get(id);
    if (intent?.status !== 'requires_capture') throw new Error(`${id} is not held`);
    cancel(intent, 'automatic');
    banks.expire(String(intent['latest_charge']));
    tell('payment_intent.canceled', intent);
  };

  /** https://docs.stripe.com/api/payment_intents/cancel, and capture beside it. */
  const change = (intent: Intent, verb: string, form: Form): Answer => {
    const isHeld = intent.status === 'requires_capture';
    if (verb === 'capture' && !isHeld) return moved(intent.object);
    if (['succeeded', 'canceled', 'processing'].includes(intent.status)) return moved(intent.object);
    if (verb === 'capture') {
      // Once, and no more than is held; the rest is released.
      const amount = Number(form['amount_to_capture'] ?? intent.amount);
      const refused = refusedAmount(String(amount), intent.currency, 'amount_to_capture');
      if (refused) return refused;
      if (amount > intent.amount)
        return error(400, 'invalid_request_error', 'amount_too_large', 'More than is held.');
      Object.assign(intent, { status: 'succeeded', amount_received: amount });
      banks.captured(String(intent['latest_charge']), amount);
    } else cancel(intent, form['cancellation_reason'] ?? null);
    tell(`${intent.object}.${intent.status}`, intent);
    return [200, intent];
  };

  /** The payer has been with their bank; where their browser is sent then. */
  const authenticate = (id: string, how: Authentication): string => {
    const intent = intents.get(id);
    if (intent?.status !== 'requires_action') throw new Error(`${id} waits for no payer`);
    const { object, client_secret: secret } = intent;
    if (how === 'succeeded') succeed(intent);
    // https://docs.stripe.com/error-codes#payment-intent-authentication-failure
    else fail(intent, declined(`${object}_authentication_failure`, 'The payer could not be authenticated.'));
    // https://docs.stripe.com/payments/accept-a-payment: what Stripe appends to the return_url.
    const back = new URL(String(intent['return_url']));
    const fields = { [object]: id, [`${object}_client_secret`]: secret, redirect_status: how };
    for (const [name, value] of Object.entries(fields)) back.searchParams.set(name, value);
    return back.href;
  };

  const refund = (form: Form): Answer => {
    const intent = intents.get(form['payment_intent'] ?? '');
    const amount = Number(form['amount']);
    if (!intent) return missing();
    const refused = refusedAmount(form['amount'], intent.currency);
    if (refused && !JSON.stringify(refused).includes('amount_too_small')) return refused;
    const isDisputed = banks.refusedRefund(intent.id);
    if (isDisputed) return isDisputed;
    if (intent.refunded + amount > Number(intent['amount_received']))
      return error(400, 'invalid_request_error', 'charge_already_refunded', 'Too much.');
    intent.refunded += amount;
    const status = intent['card'] === 'pm_card_pendingRefund' ? 'pending' : 'succeeded';
    const { id: payment_intent, currency } = intent;
    const metadata = metadataOf(form);
    const made: Refund = {
      id: next('re'),
      object: 'refund',
      amount,
      currency,
      status,
      payment_intent,
      metadata,
    };
    refunds.set(made.id, made);
    tell('refund.created', made);
    return [200, made];
  };

  const endRefund = (id: string, status: string): void => {
    const made = refunds.get(id);
    const intent = intents.get(made?.payment_intent ?? '');
    if (!made || !intent) throw new Error(`there is no refund ${id}`);
    made.status = status;
    if (status === 'failed') {
      made['failure_reason'] = 'expired_or_canceled_card';
      intent.refunded -= made.amount;
    }
    // https://docs.stripe.com/refunds#failed-refunds: told of as both.
    tell('refund.updated', made);
    if (status === 'failed') tell('refund.failed', made);
  };

  const taken = (): number =>
    [...intents.values()]
      .filter(({ status, object }) => status === 'succeeded' && object === 'payment_intent')
      .reduce((sum, { amount_received: taken, refunded }) => sum + Number(taken) - refunded, 0);

  return {
    ...{ intents, refunds, methods, events, next, tell, open, succeed, createIntent, createSetUp },
    ...{ banks, confirmBy, change, detach, authenticate, refund, endRefund, expire, taken },
  };
};

export type StripeBooks = ReturnType<typeof createBooks>;
