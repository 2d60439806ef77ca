import { error, type Answer, type Json } from './stripe-rules.ts';

interface Paid extends Json {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
}

/** https://docs.stripe.com/api/charges/object#charge_object-outcome */
const outcomeOf = (risk_level: string, risk_score: number): Json => ({
  ...{ network_status: 'approved_by_network', type: 'authorized', reason: null },
  ...{ risk_level, risk_score, seller_message: 'Payment complete.' },
});

/** What Radar says of test cards (https://docs.stripe.com/testing#fraud-prevention). */
const outcomes = new Map([
  ['pm_card_riskLevelElevated', outcomeOf('elevated', 68)],
  ['pm_card_riskLevelHighest', outcomeOf('highest', 89)],
]);

interface Dispute extends Json {
  readonly id: string;
  readonly payment_intent: string;
  status: string;
}

/** An inquiry takes no money yet (https://docs.stripe.com/disputes/how-disputes-work#inquiries). */
const isInquiry = ({ status }: Dispute): boolean => status.startsWith('warning_');
const isOver = ({ status }: Dispute): boolean => ['won', 'lost', 'warning_closed'].includes(status);

/** A week after every test has begun, in seconds. */
export const CAPTURE_BEFORE = 4_102_444_800;

/** Charges of intents, and what the payers' banks say of them. */
export const createCharges = (
  next: (prefix: string) => string,
  tell: (type: string, object: Json) => void,
) => {
  const charges = new Map<string, Json>();
  const disputes = new Map<string, Dispute>();

  const charge = (intent: Paid, card: string, isHeld: boolean): string => {
    const { id: payment_intent, amount, currency } = intent;
    const id = next('ch');
    const made = {
      ...{ id, object: 'charge', payment_intent, amount, currency, metadata: intent['metadata'] },
      ...{ captured: !isHeld, amount_captured: isHeld ? 0 : amount, status: 'succeeded' },
      outcome: outcomes.get(card) ?? outcomeOf('normal', 12),
      // https://docs.stripe.com/payments/place-a-hold-on-a-payment-method#authorization-validity-windows
      ...(isHeld && { payment_method_details: { type: 'card', card: { capture_before: CAPTURE_BEFORE } } }),
    };
    charges.set(id, made);
    tell('charge.succeeded', made);
    return id;
  };

  const captured = (id: string, amount_captured: number): void => {
    const made = charges.get(id);
    if (!made) throw new Error(`there is no charge ${id}`);
    Object.assign(made, { captured: true, amount_captured });
    tell('charge.captured', made);
  };

  /** https://docs.stripe.com/api/events/types#event_types-charge.expired */
  const expire = (id: string): void => {
    const made = charges.get(id);
    if (!made) throw new Error(`there is no charge ${id}`);
    tell('charge.expired', made);
  };

  /** The payer asks their bank for the money (https://docs.stripe.com/api/disputes/object). */
  const dispute = (
    { id: payment_intent, currency, amount: all }: Paid,
    status: string,
    amount = all,
  ): string => {
    const id = next('du');
    const made = { id, object: 'dispute', payment_intent, amount, currency, status, reason: 'fraudulent' };
    disputes.set(id, made);
    tell('charge.dispute.created', made);
    if (!isInquiry(made)) tell('charge.dispute.funds_withdrawn', made);
    return id;
  };

  /** The bank has decided. */
  const endDispute = (id: string, status: string): void => {
    const made = disputes.get(id);
    if (!made) throw new Error(`there is no dispute ${id}`);
    made.status = status;
    tell('charge.dispute.closed', made);
    if (status === 'won') tell('charge.dispute.funds_reinstated', made);
  };

  /** https://docs.stripe.com/error-codes#charge-disputed; null: it can be given back. */
  const refusedRefund = (intentId: string): Answer | null =>
    [...disputes.values()].some(
      (one) => one.payment_intent === intentId && !isInquiry(one) && (one.status === 'lost' || !isOver(one)),
    )
      ? error(400, 'invalid_request_error', 'charge_disputed', 'The charge has been charged back.')
      : null;

  /** In full where that was asked for, else by its id (https://docs.stripe.com/api/expanding_objects). */
  const expanded = (body: Json, path: string, fields: readonly string[]): Json => {
    const { latest_charge: id, payment_intent: intent } = body;
    if (typeof id === 'string' && fields.includes(`${path}latest_charge`))
      return { ...body, latest_charge: charges.get(id) ?? id };
    if (path === '' && typeof intent === 'object' && intent !== null)
      return { ...body, payment_intent: expanded(intent as Json, 'payment_intent.', fields) };
    return body;
  };

  return { charge, captured, expire, dispute, endDispute, refusedRefund, expanded };
};
