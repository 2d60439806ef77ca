import type { DiscountRule } from '#entities/discount.entity.ts';
import type { TakenDiscount } from '#events/pricing.fields.ts';
import { derivedId, pairedId } from '#kernel/ids.ts';
import { findingInOrder } from '#kernel/in-order.ts';
import type { ReferenceDiscount } from '#reference/reference.ts';
import type { Minor } from '#values/money.ts';
import { rewardDiscounts } from './buy-x-get-y.ts';
import type { Candidate } from './combine.ts';
import { isShippingChosen, shippingAmount } from './free-shipping.ts';
import { orderAmount, orderShares } from './order-discounts.ts';
import { totalOf } from './piece.ts';
import { productDiscounts, type PieceDiscount } from './product-discounts.ts';
import type { ReferralDiscount } from './referral-discounts.ts';
import type { DiscountSituation } from './situation.ts';

/** A rule that may be applied. */
export interface Applicable extends Candidate {
  /** What it takes off pieces; of rules about products. */
  readonly parts: readonly PieceDiscount[];
  /** It waits for shipping to be chosen, and takes nothing off until then. */
  readonly isPending: boolean;
}

const partsOf = (rule: DiscountRule, { pieces }: DiscountSituation): readonly PieceDiscount[] => {
  switch (rule.category) {
    case 'AmountOffProducts':
      return productDiscounts(rule, pieces);
    case 'BuyXGetY':
      return rewardDiscounts(rule, pieces);
    case 'AmountOffOrder':
    case 'FreeShipping':
      return [];
  }
};

const sum = (parts: readonly PieceDiscount[]): Minor => parts.reduce((all, { amount }) => all + amount, 0);

/** What a rule takes off the undiscounted basket. */
export const applicable = (discount: ReferenceDiscount, situation: DiscountSituation): Applicable => {
  const { rule } = discount;
  const parts = partsOf(rule, situation);
  const { pieces, shipping } = situation;
  switch (rule.category) {
    case 'AmountOffProducts':
    case 'BuyXGetY':
      return { discount, parts, amount: sum(parts), isPending: false };
    case 'AmountOffOrder':
      return { discount, parts, amount: orderAmount(rule, pieces, pieces.map(totalOf)), isPending: false };
    case 'FreeShipping':
      return {
        discount,
        parts,
        amount: shippingAmount(rule, shipping, situation),
        isPending: rule.method === 'Code' && !isShippingChosen(situation),
      };
  }
};

export interface AppliedDiscounts {
  /** In the order of application; what takes nothing off is left out. */
  readonly taken: readonly TakenDiscount[];
  /** What is taken off lines and add-ons, by their ids; sums to `productDiscount` exactly. */
  readonly byLine: ReadonlyMap<string, Minor>;
  readonly productDiscount: Minor;
  readonly shippingDiscount: Minor;
}

/** What has been taken so far, and what that has left. Filled in place. */
interface Register {
  readonly taken: TakenDiscount[];
  readonly left: Minor[];
  readonly places: ReadonlyMap<string, number>;
  readonly before: Before;
}

/** Takes as much as is left of the piece. */
const takeOff = ({ left, places }: Register, { piece, amount }: PieceDiscount): Minor => {
  const place = places.get(piece.lineId);
  if (place === undefined) return 0;
  const off = Math.min(amount, left[place] ?? 0);
  left[place] = (left[place] ?? 0) - off;
  return off;
};

/** What was taken the last time, as far as it is of this rule and taken from the same. */
type Before = (discountId: string, lineId: string | null) => TakenDiscount | undefined;

const knownBefore = (taken: readonly TakenDiscount[]): Before => {
  const placeOf = findingInOrder(taken);
  return (discountId, lineId) =>
    taken[placeOf((one) => one.lineId === lineId && one.discountId === discountId)];
};

/** In the place of a line's id where a rule takes something off everything. */
const wholeBasket = derivedId('discountLine', 'basket');

/** The id of a line stays: it is derived once, when the rule takes something off for the first time. */
const takenLine = (
  { taken, before }: Register,
  { id: discountId, rule: { name, code, category } }: ReferenceDiscount,
  lineId: string | null,
  amount: Minor,
): void => {
  const known = before(discountId, lineId);
  const id = known?.id ?? pairedId(discountId, lineId ?? wholeBasket);
  taken.push({ id, discountId, name, code, category, lineId, amount });
};

const referralLine = (lineId: string, name: string, amount: Minor): TakenDiscount => {
  const id = derivedId('discountLine', 'referral', lineId);
  return {
    id,
    discountId: id,
    name,
    code: null,
    category: 'AmountOffProducts',
    lineId,
    amount,
    isReferral: true,
  };
};

const takeReferrals = (register: Register, referrals: readonly ReferralDiscount[]): void => {
  for (const referral of referrals) {
    const amount = takeOff(register, referral);
    if (amount > 0) register.taken.push(referralLine(referral.piece.lineId, referral.name, amount));
  }
};

const takeOffProducts = (register: Register, { discount, parts }: Applicable): void => {
  for (const part of parts) {
    const amount = takeOff(register, part);
    if (amount > 0) takenLine(register, discount, part.piece.lineId, amount);
  }
};

const takeOffOrder = (register: Register, { discount }: Applicable, { pieces }: DiscountSituation): void => {
  const { left } = register;
  const shares = orderShares(discount.rule, pieces, left);
  let amount = 0;
  shares.forEach((share, index) => {
    left[index] = (left[index] ?? 0) - share;
    amount += share;
  });
  if (amount > 0) takenLine(register, discount, null, amount);
};

const takeOffShipping = (
  register: Register,
  kept: readonly Applicable[],
  situation: DiscountSituation,
): Minor => {
  let left = situation.shipping;
  for (const { discount } of kept) {
    const amount = shippingAmount(discount.rule, left, situation);
    if (amount > 0) takenLine(register, discount, null, amount);
    left -= amount;
  }
  return situation.shipping - left;
};

/**
 * Applies what was kept: referrals first, then rules about products, about the order, about shipping, each kind by rank
 * (docs/rules/discount-amounts.md#order-of-application). No piece loses more than it costs: what comes later is cut.
 */
export const applyDiscounts = (
  kept: readonly Applicable[],
  referrals: readonly ReferralDiscount[],
  situation: DiscountSituation,
  before: readonly TakenDiscount[],
): AppliedDiscounts => {
  const { pieces } = situation;
  const of = (...categories: readonly DiscountRule['category'][]): readonly Applicable[] =>
    kept.filter(({ discount }) => categories.includes(discount.rule.category));
  const totals = pieces.map(totalOf);
  const register: Register = {
    taken: [],
    left: [...totals],
    places: new Map(pieces.map(({ lineId }, index) => [lineId, index])),
    before: knownBefore(before),
  };
  takeReferrals(register, referrals);
  for (const one of of('AmountOffProducts', 'BuyXGetY')) takeOffProducts(register, one);
  for (const one of of('AmountOffOrder')) takeOffOrder(register, one, situation);
  const byLine = new Map<string, Minor>();
  let productDiscount = 0;
  pieces.forEach(({ lineId }, index) => {
    const off = (totals[index] ?? 0) - (register.left[index] ?? 0);
    if (off > 0) byLine.set(lineId, off);
    productDiscount += off;
  });
  const shippingDiscount = takeOffShipping(register, of('FreeShipping'), situation);
  return { taken: register.taken, byLine, productDiscount, shippingDiscount };
};
