import type { AppliedCode } from '#events/basket-view.ts';
import type { TakenDiscount } from '#events/pricing.fields.ts';
import type { ReferenceDiscount } from '#reference/reference.ts';
import { applicable, applyDiscounts, type Applicable, type AppliedDiscounts } from './apply.ts';
import { conflicting, select } from './combine.ts';
import { conflict, unknownCode, withdrawn, withoutEffect, type DiscountProblem } from './discount-problem.ts';
import { referralDiscounts, type Referral } from './referral-discounts.ts';
import type { DiscountSituation } from './situation.ts';
import { discountProblem } from './validity.ts';

/** What a basket brings along. */
export interface DiscountsWanted {
  readonly codes: readonly AppliedCode[];
  /** What was taken the last time. */
  readonly discounts: readonly TakenDiscount[];
  /** Automatic discounts that stay off. */
  readonly suppressed: readonly string[];
  readonly referrals: readonly Referral[];
}

/** The rules that a basket may have. */
export interface RulesAtHand {
  /** By id; a rule that does not exist any more is missing. */
  readonly known: ReadonlyMap<string, ReferenceDiscount>;
  /** Those that come by themselves. */
  readonly automatic: readonly ReferenceDiscount[];
}

/** What the basket had and has not any more: a code, an automatic discount, or that of a referral. */
export type DroppedDiscount = { readonly problem: DiscountProblem } & (
  | (AppliedCode & { readonly kind: 'code' })
  | { readonly kind: 'automatic'; readonly discountId: string; readonly name: string }
  | { readonly kind: 'referral'; readonly lineId: string; readonly name: string }
);

export interface DiscountedBasket extends AppliedDiscounts {
  readonly dropped: readonly DroppedDiscount[];
}

/** Why rules do not apply, by their ids. */
type Problems = Map<string, DiscountProblem>;

/** Codes that are valid, whether they take anything off or not. */
const validCodes = (
  { codes }: DiscountsWanted,
  { known }: RulesAtHand,
  situation: DiscountSituation,
  problems: Problems,
): Applicable[] =>
  codes.flatMap(({ discountId, code }) => {
    const discount = known.get(discountId);
    const found = discount?.rule.method === 'Code' ? discountProblem(discount, situation) : unknownCode(code);
    if (found !== null) problems.set(discountId, found);
    return discount === undefined || found !== null ? [] : [applicable(discount, situation)];
  });

/** Automatic discounts that are valid and take something off. */
const validAutomatic = (
  { suppressed, codes }: DiscountsWanted,
  { automatic }: RulesAtHand,
  situation: DiscountSituation,
): Applicable[] => {
  const isOff = new Set([...suppressed, ...codes.map(({ discountId }) => discountId)]);
  return automatic.flatMap((discount) => {
    if (isOff.has(discount.id) || discountProblem(discount, situation) !== null) return [];
    const found = applicable(discount, situation);
    return found.amount > 0 ? [found] : [];
  });
};

interface Settled {
  readonly kept: readonly Applicable[];
  readonly applied: AppliedDiscounts;
}

const hasEffect = ({ discount, isPending }: Applicable, { taken }: AppliedDiscounts): boolean =>
  isPending || taken.some(({ discountId }) => discountId === discount.id);

/**
 * Selects and applies until every kept code has an effect: a code left without one is gone, and blocks no other.
 * Pricing the basket again then keeps what it has.
 */
const settle = (
  candidates: readonly Applicable[],
  apply: (kept: readonly Applicable[]) => AppliedDiscounts,
): Settled => {
  const kept = select(candidates);
  const applied = apply(kept);
  const idle = kept.filter((one) => one.discount.rule.method === 'Code' && !hasEffect(one, applied));
  if (idle.length === 0) return { kept, applied };
  return settle(
    candidates.filter((one) => !idle.includes(one)),
    apply,
  );
};

const droppedCodes = (
  { codes }: DiscountsWanted,
  valid: readonly Applicable[],
  { kept }: Settled,
  problems: Problems,
): DroppedDiscount[] =>
  codes.flatMap((code) => {
    const broken = problems.get(code.discountId);
    if (broken !== undefined) return [{ kind: 'code' as const, ...code, problem: broken }];
    const own = valid.find(({ discount }) => discount.id === code.discountId);
    if (own === undefined || kept.includes(own)) return [];
    const other = conflicting(own.discount, kept);
    const problem = other ? conflict(own.discount, other.discount) : withoutEffect(own.discount);
    return [{ kind: 'code' as const, ...code, problem }];
  });

/** Why an automatic discount that the basket had is not there any more. */
const fallenProblem = (
  name: string,
  discount: ReferenceDiscount | undefined,
  { kept }: Settled,
  situation: DiscountSituation,
): DiscountProblem => {
  if (discount?.rule.method !== 'Automatic') return withdrawn(name);
  const found = discountProblem(discount, situation);
  if (found !== null) return found;
  const other = conflicting(
    discount,
    kept.filter((one) => one.discount.id !== discount.id),
  );
  return other ? conflict(discount, other.discount) : withoutEffect(discount);
};

const fallenAutomatic = (
  { discounts, suppressed, codes }: DiscountsWanted,
  { known }: RulesAtHand,
  settled: Settled,
  situation: DiscountSituation,
): DroppedDiscount[] => {
  if (discounts.length === 0) return [];
  const isTold = new Set([...suppressed, ...codes.map(({ discountId }) => discountId)]);
  for (const { discountId } of settled.applied.taken) isTold.add(discountId);
  return discounts.flatMap(({ discountId, name, code, isReferral }) => {
    if (code !== null || isReferral || isTold.has(discountId)) return [];
    isTold.add(discountId);
    const problem = fallenProblem(name, known.get(discountId), settled, situation);
    return [{ kind: 'automatic' as const, discountId, name, problem }];
  });
};

/**
 * What is taken off a basket: its codes as far as they apply, the automatic discounts that do, and its referrals; and
 * what it had and has not any more (docs/rules/discount-amounts.md#order-of-application).
 */
export const discountBasket = (
  wanted: DiscountsWanted,
  rules: RulesAtHand,
  situation: DiscountSituation,
): DiscountedBasket => {
  const problems: Problems = new Map();
  const { taken: referred, lapsed } = referralDiscounts(wanted.referrals, situation.pieces, situation.now);
  const codes = validCodes(wanted, rules, situation, problems);
  const candidates = [
    ...codes.filter(({ amount, isPending }) => amount > 0 || isPending),
    ...validAutomatic(wanted, rules, situation),
  ];
  const settled = settle(candidates, (kept) => applyDiscounts(kept, referred, situation, wanted.discounts));
  return {
    ...settled.applied,
    dropped: [
      ...lapsed.map((referral) => ({ kind: 'referral' as const, ...referral })),
      ...droppedCodes(wanted, codes, settled, problems),
      ...fallenAutomatic(wanted, rules, settled, situation),
    ],
  };
};
