import type { DiscountRule } from '#entities/discount.entity.ts';

/*
 * What discounts take off, worked out the slow way: unit by unit, with fractions of big integers, from the rules as
 * docs/rules/discounts.md and docs/rules/discount-amounts.md state them. Shares no code with the shop.
 */

export interface NaivePiece {
  readonly lineId: string;
  readonly productId: string;
  readonly collections: readonly string[];
  readonly isAddon: boolean;
  readonly unit: number;
  readonly quantity: number;
  /** Ten-thousandths of a percent. */
  readonly rateParts: number;
}

export interface NaiveRule {
  readonly id: string;
  readonly rule: DiscountRule;
}

export interface NaiveBasket {
  readonly pieces: readonly NaivePiece[];
  readonly rules: readonly NaiveRule[];
  readonly shipping: number;
  readonly isShippingChosen: boolean;
  readonly countryCode: string;
}

export interface NaiveResult {
  /** By rule, and line where it is of one. */
  readonly taken: ReadonlyMap<string, number>;
  readonly perLine: ReadonlyMap<string, number>;
  readonly shippingDiscount: number;
  readonly tax: number;
  /** Ids of rules that were kept. */
  readonly kept: readonly string[];
  /** Codes that are gone, by rule, with the code of the refusal. */
  readonly gone: ReadonlyMap<string, string>;
}

const MILLION = 1_000_000n;

/** Half away from zero, of what is not negative. */
const round = (numerator: bigint, denominator: bigint): bigint =>
  (2n * numerator + denominator) / (2n * denominator);
const least = (one: bigint, other: bigint): bigint => (one < other ? one : other);
const parts = (percent: number): bigint => BigInt(Math.round(percent * 10_000));
const add = (values: readonly bigint[]): bigint => values.reduce((all, value) => all + value, 0n);
const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
const factor = ({ rateParts }: NaivePiece): bigint => MILLION + BigInt(rateParts);

const valueOf = (type: DiscountRule['valueType'], value: number, base: bigint): bigint => {
  if (type === 'Free') return base;
  return type === 'FixedAmount' ? least(BigInt(value), base) : round(base * parts(value), MILLION);
};

type Target = Pick<DiscountRule['targetRules'][number], 'targetType' | 'targetIds'>;

const isNamed = (piece: NaivePiece, { targetType, targetIds }: Target): boolean =>
  targetType === 'AllProducts' ||
  (targetType === 'SpecificProducts' && targetIds.includes(piece.productId)) ||
  (targetType === 'Collections' && targetIds.some((id) => piece.collections.includes(id)));

const matches = (piece: NaivePiece, { targetRules }: DiscountRule): boolean => {
  if (targetRules.some((target) => target.isExclusion && isNamed(piece, target))) return false;
  const included = targetRules.filter(({ isExclusion }) => !isExclusion);
  return included.length === 0 || included.some((target) => isNamed(piece, target));
};

const isEnough = (rule: DiscountRule, pieces: readonly NaivePiece[]): boolean => {
  const about = pieces.filter((piece) => matches(piece, rule));
  let amount = 0;
  let units = 0;
  for (const { unit, quantity, isAddon } of about) {
    amount += unit * quantity;
    if (!isAddon) units += quantity;
  }
  const { requirementType, requirementValue, minimumPurchaseAmount, minimumQuantity } = rule;
  if (requirementType === 'MinimumPurchaseAmount' && amount < (requirementValue ?? 0)) return false;
  if (requirementType === 'MinimumQuantity' && units < (requirementValue ?? 0)) return false;
  return amount >= (minimumPurchaseAmount ?? 0) && units >= (minimumQuantity ?? 0);
};

/** Shares by largest remainder; of equal remainders the first of the list. */
const share = (amount: bigint, weights: readonly bigint[]): bigint[] => {
  const whole = add(weights);
  if (whole === 0n) return weights.map(() => 0n);
  const shares = weights.map((weight) => (amount * weight) / whole);
  const remainders = weights.map((weight) => (amount * weight) % whole);
  for (let left = amount - add(shares); left > 0n; left--) {
    let winner = 0;
    remainders.forEach((remainder, index) => {
      if (remainder > (remainders[winner] ?? 0n)) winner = index;
    });
    shares[winner] = (shares[winner] ?? 0n) + 1n;
    remainders[winner] = -1n;
  }
  return shares;
};

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

/** One unit of a piece. */
interface Unit {
  readonly at: number;
  readonly price: number;
  readonly isAddon: boolean;
}

/** Rewards of so many rounds, by the place of their piece. */
const rewardsOf = (
  config: NonNullable<DiscountRule['buyXGetY']>,
  pieces: readonly NaivePiece[],
  rounds: number,
): bigint[] => {
  const amounts = pieces.map(() => 0n);
  const isBought = (piece: NaivePiece): boolean =>
    isNamed(piece, { targetType: config.buyTargetType, targetIds: config.buyTargetIds });
  const isGiven = (piece: NaivePiece): boolean =>
    isNamed(piece, { targetType: config.getTargetType, targetIds: config.getTargetIds });
  const isCheapest = config.selectionMethod === 'Cheapest';
  const units = (wanted: (piece: NaivePiece) => boolean): Unit[] =>
    pieces.flatMap((piece, at) =>
      wanted(piece)
        ? Array.from({ length: piece.quantity }, () => ({ at, price: piece.unit, isAddon: piece.isAddon }))
        : [],
    );
  const given = units(isGiven);
  if (config.buyTriggerType === 'MinimumQuantity') {
    let needed = rounds * config.buyTriggerValue;
    needed -= units((piece) => isBought(piece) && !isGiven(piece)).filter(({ isAddon }) => !isAddon).length;
    const both = units((piece) => isBought(piece) && isGiven(piece)).filter(({ isAddon }) => !isAddon);
    const free = both.filter(({ price }) => price === 0);
    const costly = both.filter(({ price }) => price > 0);
    costly.sort((one, other) => (isCheapest ? other.price - one.price : one.price - other.price));
    for (const unit of [...free, ...costly].slice(0, Math.max(0, needed)))
      given.splice(
        given.findIndex(({ at }) => at === unit.at),
        1,
      );
  }
  given.sort((one, other) => (isCheapest ? one.price - other.price : other.price - one.price));
  const rewarded = given.filter(({ price }) => price > 0).slice(0, rounds * config.getQuantity);
  for (const { at, price } of rewarded)
    amounts[at] = (amounts[at] ?? 0n) + valueOf(config.getValueType, config.getValue, BigInt(price));
  return amounts;
};

/** Every number of rounds is tried where what triggers can be a reward. */
export const buyXGetYAmounts = (rule: DiscountRule, pieces: readonly NaivePiece[]): bigint[] => {
  const nothing = pieces.map(() => 0n);
  const config = rule.buyXGetY;
  if (config === null || !pieces.some((piece) => matches(piece, rule))) return nothing;
  const bought = pieces.filter((piece) =>
    isNamed(piece, { targetType: config.buyTargetType, targetIds: config.buyTargetIds }),
  );
  const given = pieces.filter((piece) =>
    isNamed(piece, { targetType: config.getTargetType, targetIds: config.getTargetIds }),
  );
  if (bought.length === 0 || given.length === 0) return nothing;
  const byQuantity = config.buyTriggerType === 'MinimumQuantity';
  const held = bought.reduce((sum, { unit, quantity, isAddon }) => {
    if (!byQuantity) return sum + unit * quantity;
    return isAddon ? sum : sum + quantity;
  }, 0);
  const rounds = Math.floor(held / config.buyTriggerValue);
  const most = rule.perOrderUsageLimit === null ? rounds : Math.min(rounds, rule.perOrderUsageLimit);
  const overlaps = bought.some((piece) => given.includes(piece));
  if (!byQuantity || !overlaps) return rewardsOf(config, pieces, most);
  let best = nothing;
  for (let tried = 0; tried <= most; tried++) {
    const amounts = rewardsOf(config, pieces, tried);
    if (add(amounts) > add(best)) best = amounts;
  }
  return best;
};

const shippingOff = (rule: DiscountRule, left: bigint, basket: NaiveBasket): bigint => {
  const { freeShipping: config, valueType, value } = rule;
  if (!basket.isShippingChosen) return 0n;
  if (config !== null) {
    const isListed = config.countryCodes.includes(basket.countryCode);
    if (config.countryScope === 'SelectedCountries' && !isListed) return 0n;
    if (config.countryScope === 'ExcludedCountries' && isListed) return 0n;
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

const aloneOn = ({ rule }: NaiveRule, basket: NaiveBasket): bigint => {
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

const isWaiting = ({ rule }: NaiveRule, { isShippingChosen }: NaiveBasket): boolean =>
  rule.category === 'FreeShipping' && rule.method === 'Code' && !isShippingChosen;

const selected = (candidates: readonly NaiveRule[], basket: NaiveBasket): NaiveRule[] => {
  const amounts = new Map(candidates.map((one) => [one.id, aloneOn(one, basket)]));
  const ranked = [...candidates].sort((one, other) => {
    if (one.rule.priority !== other.rule.priority) return one.rule.priority - other.rule.priority;
    if (one.rule.method !== other.rule.method) return one.rule.method === 'Code' ? -1 : 1;
    const [mine = 0n, theirs = 0n] = [amounts.get(one.id), amounts.get(other.id)];
    if (mine !== theirs) return mine > theirs ? -1 : 1;
    return compare(one.id, other.id);
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

const take = (kept: readonly NaiveRule[], basket: NaiveBasket): Taken => {
  const { pieces } = basket;
  const taken = new Map<string, bigint>();
  const left = pieces.map(({ unit, quantity }) => BigInt(unit) * BigInt(quantity));
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

/** Every rule is in force and for everybody. The order of the lines given is not looked at. */
export const naively = (given: NaiveBasket): NaiveResult => {
  const pieces = [...given.pieces].sort(
    (one, other) => compare(one.productId, other.productId) || compare(one.lineId, other.lineId),
  );
  const basket = { ...given, pieces };
  const gone = new Map<string, string>();
  const codes = basket.rules.filter(({ rule }) => rule.method === 'Code');
  const idle = new Set<string>();
  for (const one of basket.rules) {
    const { id, rule } = one;
    if (!isEnough(rule, pieces)) {
      if (rule.method === 'Code') gone.set(id, 'MinimumRequirementNotMet');
      idle.add(id);
    } else if (aloneOn(one, basket) === 0n && !isWaiting(one, basket)) idle.add(id);
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
      kept: kept.map(({ id }) => id),
      gone,
    };
  }
};
