import type { DiscountRule } from '#entities/discount.entity.ts';
import { compare, piecesIn, type NaiveBasket, type NaivePiece, type NaiveRule } from './naive-basket.ts';
import { add, factor, least, MILLION, parts, round, share, valueOf } from './naive-figures.ts';
import { buyXGetYAmounts } from './naive-offers.ts';
import { matches, refusalOf } from './naive-validity.ts';

/*
 * What discounts take off, worked out the slow way: unit by unit, with fractions of big integers, from the rules as
 * docs/rules/discounts.md and docs/rules/discount-amounts.md state them. Shares no code with the shop.
 */

/** A basket with its pieces in order. */
type Laid = NaiveBasket & { readonly pieces: readonly NaivePiece[] };

export interface NaiveResult {
  /** By rule, and line where it is of one; `referral` in the place of a rule. */
  readonly taken: ReadonlyMap<string, number>;
  readonly perLine: ReadonlyMap<string, number>;
  readonly shippingDiscount: number;
  readonly tax: number;
  /** Codes that are gone, by rule, with the code of the refusal. */
  readonly gone: ReadonlyMap<string, string>;
  /** Lines whose referral's time is over. */
  readonly lapsed: ReadonlySet<string>;
}

const productAmounts = (rule: DiscountRule, pieces: readonly NaivePiece[]): bigint[] =>
  pieces.map((piece) => {
    if (!matches(piece, rule)) return 0n;
    const unit = BigInt(piece.unit);
    if (!rule.applyAfterTax) return valueOf(rule.valueType, rule.value, unit) * BigInt(piece.quantity);
    const gross = round(unit * factor(piece), MILLION);
    const off = valueOf(rule.valueType, rule.value, gross);
    return least(unit, round(off * MILLION, factor(piece))) * BigInt(piece.quantity);
  });

const orderAmounts = (
  rule: DiscountRule,
  pieces: readonly NaivePiece[],
  left: readonly bigint[],
): bigint[] => {
  if (!rule.applyAfterTax) return share(valueOf(rule.valueType, rule.value, add(left)), left);
  const gross = pieces.map((piece, index) => (left[index] ?? 0n) * factor(piece));
  const off = valueOf(rule.valueType, rule.value, round(add(gross), MILLION));
  return share(off, gross).map((part, index) => {
    const piece = pieces[index];
    return piece ? least(left[index] ?? 0n, round(part * MILLION, factor(piece))) : 0n;
  });
};

const shippingOff = (rule: DiscountRule, left: bigint, basket: Laid): bigint => {
  const { freeShipping: config, valueType, value } = rule;
  if (basket.shippingOptions.length === 0) return 0n;
  if (config !== null) {
    const isListed = config.countryCodes.includes(basket.countryCode);
    if (config.countryScope === 'SelectedCountries' && !isListed) return 0n;
    if (config.countryScope === 'ExcludedCountries' && isListed) return 0n;
    const allowed = config.allowedShippingOptionIds.map((id) => `so:${id}`);
    if (allowed.length > 0 && !basket.shippingOptions.every((key) => allowed.includes(key))) return 0n;
    if (config.excludeRatesOverAmount && basket.shipping > (config.excludeRatesOverValue ?? 0)) return 0n;
  }
  const isPart = valueType === 'Percentage' && value > 0 && value < 100;
  return isPart ? round(left * parts(value), MILLION) : left;
};

const classOf = ({ category }: DiscountRule) =>
  category === 'AmountOffOrder' ? 'order' : category === 'FreeShipping' ? 'shipping' : 'product';

const accepts = (one: DiscountRule, other: DiscountRule): boolean => {
  const kind = classOf(other);
  if (kind === 'order') return one.canCombineWithOrderDiscounts;
  return kind === 'shipping' ? one.canCombineWithShippingDiscounts : one.canCombineWithProductDiscounts;
};

export const goTogether = (one: DiscountRule, other: DiscountRule): boolean =>
  accepts(one, other) && accepts(other, one);

const aloneOn = ({ rule }: NaiveRule, basket: Laid): bigint => {
  const { pieces } = basket;
  const totals = pieces.map(({ unit, quantity }) => BigInt(unit) * BigInt(quantity));
  switch (rule.category) {
    case 'AmountOffProducts':
      return add(productAmounts(rule, pieces));
    case 'BuyXGetY':
      return add(buyXGetYAmounts(rule, pieces));
    case 'AmountOffOrder':
      return add(orderAmounts(rule, pieces, totals));
    case 'FreeShipping':
      return shippingOff(rule, BigInt(basket.shipping), basket);
  }
};

const isWaiting = ({ rule }: NaiveRule, { shippingOptions }: Laid): boolean =>
  rule.category === 'FreeShipping' && rule.method === 'Code' && shippingOptions.length === 0;

const selected = (candidates: readonly NaiveRule[], basket: Laid): NaiveRule[] => {
  const amounts = new Map(candidates.map((one) => [one.id, aloneOn(one, basket)]));
  const ranked = [...candidates].sort((one, other) => {
    if (one.rule.priority !== other.rule.priority) return one.rule.priority - other.rule.priority;
    if (one.rule.method !== other.rule.method) return one.rule.method === 'Code' ? -1 : 1;
    const [mine = 0n, theirs = 0n] = [amounts.get(one.id), amounts.get(other.id)];
    if (mine !== theirs) return mine > theirs ? -1 : 1;
    return compare(one.createdAt, other.createdAt) || compare(one.id, other.id);
  });
  const kept: NaiveRule[] = [];
  for (const one of ranked) if (kept.every((other) => goTogether(one.rule, other.rule))) kept.push(one);
  return kept;
};

interface Taken {
  readonly taken: Map<string, bigint>;
  readonly left: bigint[];
  readonly shippingLeft: bigint;
}

const take = (kept: readonly NaiveRule[], basket: Laid): Taken => {
  const { pieces } = basket;
  const taken = new Map<string, bigint>();
  const left = pieces.map(({ unit, quantity }) => BigInt(unit) * BigInt(quantity));
  for (const { lineId, percentage, expiresAt } of basket.referrals) {
    const index = pieces.findIndex((piece) => piece.lineId === lineId);
    const piece = pieces[index];
    if (piece === undefined || expiresAt <= basket.now) continue;
    const off = round(BigInt(piece.unit) * parts(percentage), MILLION) * BigInt(piece.quantity);
    left[index] = (left[index] ?? 0n) - off;
    if (off > 0n) taken.set(`referral ${lineId}`, off);
  }
  for (const { id, rule } of kept.filter(({ rule }) => classOf(rule) === 'product')) {
    const wanted =
      rule.category === 'BuyXGetY' ? buyXGetYAmounts(rule, pieces) : productAmounts(rule, pieces);
    pieces.forEach(({ lineId }, index) => {
      const off = least(wanted[index] ?? 0n, left[index] ?? 0n);
      left[index] = (left[index] ?? 0n) - off;
      if (off > 0n) taken.set(`${id} ${lineId}`, off);
    });
  }
  for (const { id, rule } of kept.filter(({ rule }) => classOf(rule) === 'order')) {
    const off = orderAmounts(rule, pieces, left);
    off.forEach((part, index) => (left[index] = (left[index] ?? 0n) - part));
    if (add(off) > 0n) taken.set(id, add(off));
  }
  let shippingLeft = BigInt(basket.shipping);
  for (const { id, rule } of kept.filter(({ rule }) => classOf(rule) === 'shipping')) {
    const off = shippingOff(rule, shippingLeft, basket);
    shippingLeft -= off;
    if (off > 0n) taken.set(id, off);
  }
  return { taken, left, shippingLeft };
};

const hasTaken = ({ taken }: Taken, id: string): boolean =>
  [...taken.keys()].some((key) => key === id || key.startsWith(`${id} `));

/** The order of the lines given is not looked at. */
export const naively = (given: NaiveBasket): NaiveResult => {
  const pieces = piecesIn(given);
  const basket = { ...given, pieces };
  const gone = new Map<string, string>();
  const codes = basket.rules.filter(({ rule }) => rule.method === 'Code');
  const idle = new Set(given.takenOff);
  for (const one of basket.rules) {
    const refusal = refusalOf(one, basket, pieces);
    if (refusal !== null) {
      if (one.rule.method === 'Code') gone.set(one.id, refusal);
      idle.add(one.id);
    } else if (aloneOn(one, basket) === 0n && !isWaiting(one, basket)) idle.add(one.id);
  }
  for (;;) {
    const kept = selected(
      basket.rules.filter(({ id }) => !idle.has(id)),
      basket,
    );
    const result = take(kept, basket);
    const useless = kept.filter(
      (one) => one.rule.method === 'Code' && !isWaiting(one, basket) && !hasTaken(result, one.id),
    );
    if (useless.length > 0) {
      for (const { id } of useless) idle.add(id);
      continue;
    }
    for (const one of codes) {
      if (gone.has(one.id) || kept.includes(one)) continue;
      const fits = kept.every((other) => goTogether(one.rule, other.rule));
      gone.set(one.id, fits ? 'NoApplicableProducts' : 'CannotCombine');
    }
    const tax = pieces.map(({ rateParts }, index) =>
      round((result.left[index] ?? 0n) * BigInt(rateParts), MILLION),
    );
    return {
      taken: new Map([...result.taken].map(([key, amount]) => [key, Number(amount)])),
      perLine: new Map(
        pieces.map(({ lineId, unit, quantity }, index) => [
          lineId,
          unit * quantity - Number(result.left[index] ?? 0n),
        ]),
      ),
      shippingDiscount: basket.shipping - Number(result.shippingLeft),
      tax: Number(add(tax)),
      gone,
      lapsed: new Set(
        basket.referrals.flatMap(({ lineId, expiresAt }) => (expiresAt <= basket.now ? [lineId] : [])),
      ),
    };
  }
};
