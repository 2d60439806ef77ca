import type Stripe from 'stripe';
import type { Risk } from '#ports/payment-requests.ts';

/** Where each level begins (https://docs.stripe.com/radar/risk-evaluation): scores are shown to some accounts only. */
const lowestOf = new Map([
  ['normal', 0],
  ['elevated', 65],
  ['highest', 75],
]);

/** What Radar makes of a charge; null: it has not looked at it. */
export const riskOf = ({ outcome }: Pick<Stripe.Charge, 'outcome'>): Risk | null => {
  const level = lowestOf.get(outcome?.risk_level ?? '');
  if (level === undefined) return null;
  return { score: outcome?.risk_score ?? level, source: 'radar' };
};

/** The same of an intent whose charge is expanded. */
export const riskOfIntent = ({ latest_charge: charge }: Stripe.PaymentIntent): { readonly risk?: Risk } => {
  const risk = charge !== null && typeof charge === 'object' ? riskOf(charge) : null;
  return risk === null ? {} : { risk };
};
