import type { NotDone } from '#ports/payment-requests.ts';
import { stepOf } from '#values/currency.ts';
import { formatMoney } from '#values/money.ts';

/** Stripe counts these with two decimals, which are always 0: they have none (https://docs.stripe.com/currencies). */
const inHundredths = new Set(['ISK', 'UGX']);

export const toStripe = (amountMinor: number, currency: string): number =>
  inHundredths.has(currency) ? amountMinor * 100 : amountMinor;

export const fromStripe = (amount: number, currency: string): number =>
  inHundredths.has(currency) ? Math.round(amount / 100) : amount;

type Refused = Extract<NotDone, { kind: 'refused' }>;

/**
 * What Stripe would not take, said before it is asked: of three-decimal currencies it takes two
 * (https://docs.stripe.com/currencies#three-decimal). null: it may be asked.
 */
export const refuseAmount = (amountMinor: number, currency: string): Refused | null => {
  const step = stepOf(currency);
  if (amountMinor % step === 0) return null;
  const message = `${formatMoney(amountMinor, currency)} cannot be paid this way: it must be a multiple of ${formatMoney(step, currency)}.`;
  return { kind: 'refused', code: 'amount_not_in_steps', message };
};

const elsewhere = 'Choose another way to pay.';

/** Limits of Stripe, which go by the currency of the owner's bank account: Stripe alone can tell. */
const amountProblems: Readonly<Record<string, string>> = {
  amount_too_small: `The amount is too small to be paid this way. ${elsewhere}`,
  amount_too_large: `The amount is too large to be paid this way. ${elsewhere}`,
};

/** What a shopper is told of an amount or a currency that Stripe has refused; null: it was something else. */
export const amountProblem = ({
  code,
  param,
}: {
  readonly code?: string | undefined;
  readonly param?: string | undefined;
}): Refused | null => {
  const told = amountProblems[code ?? ''];
  if (code !== undefined && told !== undefined) return { kind: 'refused', code, message: told };
  if (!/(?:^|\[)currency\]?$/.test(param ?? '')) return null;
  const message = `This currency cannot be paid this way. Choose another currency or another way to pay.`;
  return { kind: 'refused', code: 'currency_not_supported', message };
};
