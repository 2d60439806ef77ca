import Stripe from 'stripe';
import { isoInstant } from '#kernel/clock.ts';
import type {
  ChargeOutcome,
  NotDone,
  ProviderPayment,
  RefundOutcome,
  StartedSession,
  VaultedMethod,
} from '#ports/payment-requests.ts';
import { amountProblem, fromStripe } from './stripe-amounts.ts';
import { wasNotSent, type StripeSettings } from './stripe-client.ts';
import { riskOfIntent } from './stripe-risk.ts';

const refused = (code: string, message: string): NotDone => ({ kind: 'refused', code, message });

/** Problems that only the shop's owner can solve are not told to shoppers in Stripe's words. */
const NOT_ACCEPTED = 'The payment provider did not accept this payment.';

/** https://docs.stripe.com/error-codes#authentication-required */
const PAYER_NEEDED =
  'The bank of this card wants to see you first. Pay with the card at the checkout, or choose another one.';

/** What an error says of what has happened at Stripe (docs/guides/writing-a-payment-provider.md#what-went-wrong). */
export const notDone = (error: unknown): NotDone => {
  const { errors } = Stripe;
  if (error instanceof errors.StripeCardError && error.code === 'authentication_required')
    return refused(error.code, PAYER_NEEDED);
  if (error instanceof errors.StripeCardError)
    // Stripe's package has '' where the API says nothing.
    return refused([error.decline_code, error.code].find(Boolean) ?? 'card_declined', error.message);
  if (error instanceof errors.StripeConnectionError)
    return { kind: wasNotSent(error) ? 'unavailable' : 'unknownOutcome' };
  // Turned away at the door: a key that is wrong, or too many requests.
  if (
    error instanceof errors.StripeAuthenticationError ||
    error instanceof errors.StripePermissionError ||
    error instanceof errors.StripeRateLimitError
  )
    return { kind: 'unavailable' };
  // Another call uses this key at this moment, or has used it with another request.
  if (error instanceof errors.StripeIdempotencyError) return { kind: 'unknownOutcome' };
  if (error instanceof errors.StripeInvalidRequestError && error.statusCode !== 409)
    return amountProblem(error) ?? refused(error.code ?? 'invalid_request', NOT_ACCEPTED);
  return { kind: 'unknownOutcome' };
};

/** Whether the key has been asked with before, in other words: the first ones stand. */
export const isAskedOtherwise = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeIdempotencyError && error.statusCode !== 409;

/** Whether the API knows no such thing. */
export const isMissing = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError &&
  (error.code === 'resource_missing' || error.statusCode === 404);

/** Whether the payer disputes the charge: it cannot be given back. */
export const isDisputed = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.code === 'charge_disputed';

/** Whether a thing has gone on to where this cannot be done with it. */
export const hasMovedOn = (error: unknown): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError && (error.code ?? '').endsWith('unexpected_state');

/** What a shopper recognises a method by. */
export const vaultedMethod = (
  { id, card, paypal, us_bank_account: bank, billing_details: billing, type }: Stripe.PaymentMethod,
  providerCustomerId: string | null,
): VaultedMethod => ({
  providerMethodId: id,
  providerCustomerId,
  methodType: type === 'card' ? 'Card' : paypal ? 'PayPal' : bank ? 'BankAccount' : 'Other',
  cardBrand: card?.brand ?? null,
  last4: card?.last4 ?? bank?.last4 ?? null,
  expiryMonth: card?.exp_month ?? null,
  expiryYear: card?.exp_year ?? null,
  billingName: billing.name,
  billingEmail: billing.email ?? paypal?.payer_email ?? null,
  isVerified: true,
});

/** What Stripe's script is started with (https://docs.stripe.com/js/initializing). */
export const scriptConfig = (
  { publishableKey }: Pick<StripeSettings, 'publishableKey'>,
  more: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> =>
  publishableKey === '' ? {} : { publishableKey, apiVersion: Stripe.API_VERSION, ...more };

/** Its script can confirm it. */
export const sessionOf = (
  {
    id,
    client_secret: clientSecret,
  }: Pick<Stripe.PaymentIntent | Stripe.SetupIntent, 'id' | 'client_secret'>,
  sdkConfig: StartedSession['sdkConfig'],
): StartedSession => ({ sessionId: id, redirectUrl: null, clientSecret, clientToken: null, sdkConfig });

/**
 * Where a payer goes on whose bank wants to see them: at its page, else in the script of a page that has the secret
 * (https://docs.stripe.com/api/payment_intents/object#payment_intent_object-next_action).
 */
export const actionOf = (
  intent: Stripe.PaymentIntent | Stripe.SetupIntent,
  settings: Pick<StripeSettings, 'publishableKey'>,
): StartedSession => {
  const session = sessionOf(intent, scriptConfig(settings));
  const redirectUrl = intent.next_action?.redirect_to_url?.url ?? null;
  return redirectUrl === null ? session : { ...session, redirectUrl, clientSecret: null };
};

/** Why a refund has failed; null for one that has not. */
export const refundFailure = ({
  status,
  failure_reason: reason,
}: Stripe.Refund): Extract<NotDone, { kind: 'refused' }> | null => {
  if (status !== 'failed' && status !== 'canceled') return null;
  const code = reason ?? status;
  return { kind: 'refused', code, message: `The refund has failed: ${code.replaceAll('_', ' ')}.` };
};

/** What a refund has come to. */
export const refundOutcome = (refund: Stripe.Refund): RefundOutcome =>
  refundFailure(refund) ?? {
    kind: refund.status === 'succeeded' ? 'completed' : 'pending',
    transactionId: refund.id,
  };

/** Until when a held charge can be captured (https://docs.stripe.com/api/charges/object), where Stripe says so. */
const untilWhen = ({
  latest_charge: charge,
}: Stripe.PaymentIntent): { readonly authorizedUntil?: string } => {
  if (charge === null || typeof charge !== 'object') return {};
  const before = charge.payment_method_details?.card?.capture_before;
  return before === undefined ? {} : { authorizedUntil: isoInstant(before * 1000) };
};

/** What a charge has come to. */
export const chargeOutcome = (
  intent: Stripe.PaymentIntent,
  settings: Pick<StripeSettings, 'publishableKey'>,
): ChargeOutcome => {
  const savedMethod = keptMethod(intent);
  const { id: transactionId, status, last_payment_error: failure } = intent;
  const more = { ...riskOfIntent(intent), ...(savedMethod && { savedMethod }) };
  switch (status) {
    case 'succeeded':
      return { kind: 'completed', transactionId, ...more };
    case 'requires_capture':
      return { kind: 'authorized', transactionId, ...more, ...untilWhen(intent) };
    case 'processing':
      return { kind: 'pending', transactionId };
    case 'requires_action':
    case 'requires_confirmation':
      return { kind: 'requiresAction', transactionId, session: actionOf(intent, settings) };
    default:
      return refused(failure?.code ?? status, failure?.message ?? NOT_ACCEPTED);
  }
};

const statuses: Readonly<Partial<Record<Stripe.PaymentIntent.Status, ProviderPayment['status']>>> = {
  succeeded: 'completed',
  requires_capture: 'authorized',
  processing: 'pending',
  canceled: 'cancelled',
};

/** The method of a payment that was to be kept; null where none was, or it is not expanded. */
export const keptMethod = ({
  payment_method: method,
  customer,
  setup_future_usage: usage,
}: Stripe.PaymentIntent): VaultedMethod | null => {
  if (usage !== 'off_session' || method === null || typeof method !== 'object' || customer === null)
    return null;
  return vaultedMethod(method, typeof customer === 'object' ? customer.id : customer);
};

/** An intent as the shop asks for it. One that was tried in vain can be tried again: its session is open. */
export const paymentOf = (intent: Stripe.PaymentIntent): ProviderPayment => {
  const { id, status, metadata, last_payment_error: failure } = intent;
  const currency = intent.currency.toUpperCase();
  const hasFailed = status === 'requires_payment_method' && failure !== null;
  const isTaken = status === 'succeeded';
  const isHeld = status === 'requires_capture';
  const savedMethod = isTaken || isHeld ? keptMethod(intent) : null;
  const amount = isTaken ? intent.amount_received : intent.amount;
  return {
    status: statuses[status] ?? (hasFailed ? 'failed' : 'open'),
    transactionId: id,
    invoiceId: metadata['invoiceId'] ?? null,
    basketId: metadata['basketId'] ?? null,
    amountMinor: fromStripe(amount, currency),
    currency,
    message: failure?.message ?? null,
    ...riskOfIntent(intent),
    ...(isHeld && untilWhen(intent)),
    ...(savedMethod && { savedMethod }),
  };
};
