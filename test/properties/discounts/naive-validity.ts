import type { DiscountRule } from '#entities/discount.entity.ts';
import type { NaiveBasket, NaiveLine, NaivePiece, NaiveRule } from './naive-basket.ts';

/* Which lines a rule is about, and whether it may be applied: docs/rules/discounts.md#targets, #refusals. */

type Target = Pick<DiscountRule['targetRules'][number], 'targetType' | 'targetIds'>;

const inAnyCase = (text: string): string => text.toLowerCase();

const isOneOf = (line: NaiveLine, { targetType, targetIds }: Target): boolean => {
  switch (targetType) {
    case 'AllProducts':
      return true;
    case 'SpecificProducts':
      return targetIds.includes(line.productId) || targetIds.includes(line.rootId);
    case 'Collections':
      return line.collections.some((id) => targetIds.includes(id));
    case 'ProductFilters':
      return line.filters.some((id) => targetIds.includes(id));
    case 'ProductTypes':
      return line.productType !== null && targetIds.includes(line.productType);
    case 'Warehouses':
      return line.sentFrom.some(({ warehouse }) => warehouse !== null && targetIds.includes(warehouse));
    case 'Suppliers':
      return line.sentFrom.some(({ supplier }) => supplier !== null && targetIds.includes(supplier));
    case 'Tags':
      return line.tags.some((tag) => targetIds.map(inAnyCase).includes(inAnyCase(tag)));
    case 'Skus':
      return targetIds.map(inAnyCase).includes(inAnyCase(line.sku));
  }
};

/** An add-on is what its product is. */
export const isNamed = ({ line }: NaivePiece, target: Target): boolean => isOneOf(line, target);

export const matches = (piece: NaivePiece, { targetRules }: DiscountRule): boolean => {
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

/** One of the eligibility rules must fit; none is for everybody. */
const isForBuyer = (
  { eligibilityRules }: DiscountRule,
  { customer, segments }: Pick<NaiveBasket, 'customer' | 'segments'>,
): boolean => {
  if (eligibilityRules.length === 0) return true;
  for (const { eligibilityType, ids } of eligibilityRules) {
    if (eligibilityType === 'AllCustomers') return true;
    if (eligibilityType === 'CustomerSegments' && segments.some((id) => ids.includes(id))) return true;
    if (eligibilityType === 'SpecificCustomers' && customer !== null && ids.includes(customer)) return true;
  }
  return false;
};

/** The code of the first refusal that fits, of those that do not depend on other rules; null where none does. */
export const refusalOf = (
  { status, uses, rule }: NaiveRule,
  basket: Pick<NaiveBasket, 'now' | 'customer' | 'segments'>,
  pieces: readonly NaivePiece[],
): string | null => {
  if (Date.parse(rule.startsAt) > basket.now) return 'NotStarted';
  if (rule.endsAt !== null && Date.parse(rule.endsAt) < basket.now) return 'Expired';
  if (status === 'Draft' || status === 'Disabled') return 'Inactive';
  if (rule.totalUsageLimit !== null && uses >= rule.totalUsageLimit) return 'UsageLimitReached';
  if (!isForBuyer(rule, basket)) return 'CustomerNotEligible';
  return isEnough(rule, pieces) ? null : 'MinimumRequirementNotMet';
};
