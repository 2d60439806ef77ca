import Stripe from 'stripe';
import type { PaymentCallback, RawCallback, ReadCallback } from '#ports/payment-callback.ts';
import { fromStripe } from './stripe-amounts.ts';
import { refundFailure } from './stripe-outcomes.ts';
import { riskOf } from './stripe-risk.ts';

const TOLERANCE_SECONDS = 300;

type Told = Omit<PaymentCallback, 'eventId'>;

const nothing: Told = {
  type: 'Unknown',
  transactionId: null,
  invoiceId: null,
  sessionId: null,
  amountMinor: null,
  currency: null,
  reason: null,
  refundId: null,
  disputeId: null,
  disputeOutcome: null,
  risk: null,
  settlement: null,
};

const idOf = (reference: string | { readonly id: string } | null | undefined): string | null =>
  typeof reference === 'string' ? reference : (reference?.id ?? null);

const money = (amount: number | null, code: string | null) => {
  const currency = code?.toUpperCase() ?? null;
  return amount === null || currency === null
    ? { amountMinor: null, currency }
    : { amountMinor: fromStripe(amount, currency), currency };
};

/** As Stripe calls something, in words. */
const words = (name: string): string => name.replaceAll('_', ' ');

const ofIntent = (type: Told['type'], intent: Stripe.PaymentIntent): Told => ({
  ...nothing,
  type,
  transactionId: intent.id,
  sessionId: intent.id,
  invoiceId: intent.metadata['invoiceId'] ?? null,
  ...money(type === 'PaymentCompleted' ? intent.amount_received : intent.amount, intent.currency),
  reason: intent.last_payment_error?.message ?? intent.cancellation_reason ?? null,
});

/** https://docs.stripe.com/api/payment_intents/object: by itself when nobody has captured it in time. */
const ofCancelled = (intent: Stripe.PaymentIntent): Told => ({
  ...ofIntent('PaymentCancelled', intent),
  ...(['automatic', 'expired'].includes(intent.cancellation_reason ?? '') && { isExpired: true as const }),
});

/** https://docs.stripe.com/api/events/types#event_types-charge.expired: an uncaptured charge. */
const ofExpired = (charge: Stripe.Charge): Told => ({
  ...nothing,
  type: charge.payment_intent === null ? 'Unknown' : 'PaymentCancelled',
  transactionId: idOf(charge.payment_intent),
  sessionId: idOf(charge.payment_intent),
  invoiceId: charge.metadata['invoiceId'] ?? null,
  ...money(charge.amount, charge.currency),
  isExpired: true,
});

/** Of the charge the shop learns how risky it is; whichever event comes first records the money. */
const ofCharge = (charge: Stripe.Charge): Told => ({
  ...nothing,
  type: charge.captured && charge.payment_intent !== null ? 'PaymentCompleted' : 'Unknown',
  transactionId: idOf(charge.payment_intent),
  sessionId: idOf(charge.payment_intent),
  invoiceId: charge.metadata['invoiceId'] ?? null,
  ...money(charge.amount_captured, charge.currency),
  risk: riskOf(charge),
});

const ofSession = (session: Stripe.Checkout.Session): Told => ({
  ...nothing,
  type: session.payment_status === 'paid' ? 'PaymentCompleted' : 'Unknown',
  transactionId: idOf(session.payment_intent),
  sessionId: session.id,
  invoiceId: session.metadata?.['invoiceId'] ?? null,
  ...money(session.amount_total, session.currency),
});

/** Money that is only on its way back is told of again when it has arrived, or will not. */
const ofRefund = (refund: Stripe.Refund): Told => ({
  ...nothing,
  type:
    refund.status === 'succeeded'
      ? 'RefundCompleted'
      : refundFailure(refund) === null
        ? 'Unknown'
        : 'RefundFailed',
  transactionId: idOf(refund.payment_intent),
  refundId: refund.id,
  ...money(refund.amount, refund.currency),
  reason: refundFailure(refund)?.message ?? refund.reason,
});

const ofDispute = (type: 'DisputeOpened' | 'DisputeResolved', dispute: Stripe.Dispute): Told => ({
  ...nothing,
  type,
  transactionId: idOf(dispute.payment_intent),
  disputeId: dispute.id,
  disputeOutcome: type === 'DisputeOpened' ? null : dispute.status === 'lost' ? 'lost' : 'won',
  ...money(dispute.amount, dispute.currency),
  reason: dispute.reason,
});

/** https://docs.stripe.com/radar/reviews */
const ofReview = ({ payment_intent: intent, open: isOpen, reason }: Stripe.Review): Told => ({
  ...nothing,
  type: intent === undefined ? 'Unknown' : 'PaymentSuspected',
  transactionId: idOf(intent ?? null),
  sessionId: idOf(intent ?? null),
  reason: isOpen
    ? `Radar wants it reviewed (${words(reason)}). Look at it before you send the order.`
    : `Its review at Radar is over: ${words(reason)}.`,
});

/** https://docs.stripe.com/disputes/measuring#early-fraud-warnings: nearly every one becomes a dispute. */
const ofWarning = (warning: Stripe.Radar.EarlyFraudWarning): Told => {
  const { payment_intent: intent, fraud_type: kind, actionable: isActionable } = warning;
  const advice = isActionable ? ' Refund it to avoid a dispute.' : '';
  return {
    ...nothing,
    type: intent === undefined ? 'Unknown' : 'PaymentSuspected',
    transactionId: idOf(intent ?? null),
    sessionId: idOf(intent ?? null),
    reason: `The payer's bank takes it to be fraud (${words(kind)}).${advice}`,
  };
};

const toldBy = (event: Stripe.Event): Told => {
  switch (event.type) {
    case 'payment_intent.succeeded':
      return ofIntent('PaymentCompleted', event.data.object);
    case 'payment_intent.payment_failed':
      return ofIntent('PaymentFailed', event.data.object);
    case 'payment_intent.amount_capturable_updated':
      return ofIntent('PaymentAuthorized', event.data.object);
    case 'payment_intent.canceled':
      return ofCancelled(event.data.object);
    case 'charge.expired':
      return ofExpired(event.data.object);
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return ofSession(event.data.object);
    case 'charge.succeeded':
    case 'charge.captured':
    case 'charge.updated':
      return ofCharge(event.data.object);
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
    case 'charge.refund.updated':
      return ofRefund(event.data.object);
    case 'charge.dispute.created':
      return ofDispute('DisputeOpened', event.data.object);
    case 'charge.dispute.closed':
      return ofDispute('DisputeResolved', event.data.object);
    case 'setup_intent.succeeded':
      return { ...nothing, type: 'SetupCompleted', sessionId: event.data.object.id };
    case 'review.opened':
    case 'review.closed':
      return ofReview(event.data.object);
    case 'radar.early_fraud_warning.created':
      return ofWarning(event.data.object);
    default:
      return nothing;
  }
};

/** Reads what Stripe calls the shop with. Nothing that was not signed is looked at. */
export const readStripeCallback = ({ body, headers, now }: RawCallback, secret: string): ReadCallback => {
  const signature = headers['stripe-signature'];
  if (secret === '' || signature === undefined) return { kind: 'invalidSignature' };
  try {
    const event = Stripe.webhooks.constructEvent(
      Buffer.from(body),
      signature,
      secret,
      TOLERANCE_SECONDS,
      undefined,
      now,
    );
    if (typeof event.id !== 'string' || typeof event.type !== 'string')
      return { kind: 'malformed', message: 'type: must be the name of an event' };
    return { kind: 'event', event: { eventId: event.id, ...toldBy(event) } };
  } catch (error) {
    return error instanceof SyntaxError
      ? { kind: 'malformed', message: 'body: must be a JSON object' }
      : { kind: 'invalidSignature' };
  }
};
