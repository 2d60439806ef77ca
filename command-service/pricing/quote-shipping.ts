import type { Decimal } from 'decimal.js';
import type { ReferenceShippingOption } from '#reference/reference.ts';
import { baseCost, closeness } from '#reference/shipping-eligibility.ts';
import type { Destination } from '#values/address.ts';
import type { Minor } from '#values/money.ts';
import type { StoreSettings } from '#values/store-settings.ts';

/** An option as it is offered for one group; `cost` net, in the store's currency. */
export interface QuotedOption {
  /** Its id wherever a shopper meets it (docs/rules/shipping.md#choosing): `so:<guid>` or `dyn:<carrier>:<service>`. */
  readonly optionKey: string;
  /** Null for a service of a carrier that the shop keeps no option for. */
  readonly shippingOptionId: string | null;
  readonly name: string;
  readonly providerKey: string;
  readonly serviceCode: string | null;
  readonly cost: Minor;
  readonly daysFrom: number;
  readonly daysTo: number;
  readonly isNextDay: boolean;
  /** `HH:MM`, UTC: from then on the next day is the day after. */
  readonly nextDayCutOffTime: string | null;
  readonly deliveryDescription: string;
  readonly allowsDeliveryDateSelection: boolean;
  readonly minDeliveryDays: number | null;
  readonly maxDeliveryDays: number | null;
  readonly allowedDaysOfWeek: readonly number[] | null;
  /** A date that is chosen is promised. */
  readonly isDeliveryDateGuaranteed: boolean;
  /** When the carrier said what it costs; null: the shop says it itself. */
  readonly quotedAt: string | null;
  /** Why the shop's own cost stands in for the carrier's rate; null: it does not. */
  readonly fallbackReason: string | null;
}

type PostcodeRule = ReferenceShippingOption['postcodeRules'][number];

const compact = (postcode: string): string => postcode.toUpperCase().replace(/[\s-]/g, '');

const endsOf = (pattern: string): readonly [from: string, to: string] => {
  const [from = '', to = from] = pattern.toUpperCase().replace(/\s/g, '').split('-');
  return [from, to];
};

const areaAndDistrict = (outcode: string): { readonly area: string; readonly district: number } | null => {
  const found = /^([A-Z]+)(\d+)/.exec(outcode);
  return found ? { area: found[1] ?? '', district: Number(found[2]) } : null;
};

/** A British outcode is the postcode without its last three characters. */
const isInOutcodes = (postcode: string, pattern: string): boolean => {
  const [from, to] = endsOf(pattern).map(areaAndDistrict);
  const own = areaAndDistrict(postcode.slice(0, -3));
  if (!from || !to || !own) return false;
  return (
    own.area === from.area &&
    own.area === to.area &&
    own.district >= from.district &&
    own.district <= to.district
  );
};

/** By the digits before the hyphen: `90210-1234` is in `90000-90999`, `902101234` is not. */
const isInNumbers = (asWritten: string, pattern: string): boolean => {
  const [from, to] = endsOf(pattern);
  const [head = ''] = asWritten.replace(/\s/g, '').split('-');
  const digits = /^\d+/.exec(head)?.[0] ?? '';
  return digits !== '' && Number(digits) >= Number(from) && Number(digits) <= Number(to);
};

/** How closely a rule names a postcode; 0 when it does not. */
const postcodeCloseness = (rule: PostcodeRule, asWritten: string): number => {
  const postcode = compact(asWritten);
  const pattern = compact(rule.pattern);
  switch (rule.matchType) {
    case 'Exact':
      return postcode === pattern ? 100 : 0;
    case 'OutcodeRange':
      return isInOutcodes(postcode, rule.pattern) ? 50 : 0;
    case 'NumericRange':
      return isInNumbers(asWritten, rule.pattern) ? 50 : 0;
    case 'Prefix':
      return postcode.startsWith(pattern) ? 10 + pattern.length : 0;
  }
};

/** The one postcode rule that counts: the closest, a block before a surcharge. */
const postcodeRule = (option: ReferenceShippingOption, destination: Destination): PostcodeRule | null => {
  const postcode = destination.postalCode ?? '';
  if (compact(postcode) === '') return null;
  let found: { readonly rule: PostcodeRule; readonly rank: number } | null = null;
  for (const rule of option.postcodeRules) {
    if (closeness({ ...rule, regionCode: null }, destination) === 0) continue;
    const near = postcodeCloseness(rule, postcode);
    const rank = near === 0 ? 0 : near * 2 + (rule.action === 'Block' ? 1 : 0);
    if (rank > (found?.rank ?? 0)) found = { rule, rank };
  }
  return found?.rule ?? null;
};

/** Whether a postcode rule keeps the option from being offered there. */
export const isBlockedByPostcode = (option: ReferenceShippingOption, destination: Destination): boolean =>
  postcodeRule(option, destination)?.action === 'Block';

const weightSurcharge = (
  option: ReferenceShippingOption,
  destination: Destination,
  weightKg: Decimal,
): Minor => {
  if (!weightKg.greaterThan(0)) return 0;
  let found: { readonly surcharge: Minor; readonly closeness: number } | null = null;
  for (const tier of option.weightTiers) {
    if (weightKg.lessThan(tier.minWeightKg)) continue;
    if (tier.maxWeightKg !== null && weightKg.greaterThanOrEqualTo(tier.maxWeightKg)) continue;
    const near = closeness(tier, destination);
    if (near > (found?.closeness ?? 0)) found = { surcharge: tier.surcharge, closeness: near };
  }
  return found?.surcharge ?? 0;
};

export const deliveryDescription = ({
  isNextDay,
  daysFrom,
  daysTo,
}: Pick<ReferenceShippingOption, 'isNextDay' | 'daysFrom' | 'daysTo'>): string => {
  if (isNextDay) return 'Next day';
  if (daysTo === 0) return '';
  if (daysFrom !== daysTo) return `${daysFrom}-${daysTo} days`;
  return daysTo === 1 ? '1 day' : `${daysTo} days`;
};

/** How an option of the shop's own is called wherever a shopper meets it. */
export const optionKeyOf = (optionId: string): string => `so:${optionId}`;

export const offerOption = (option: ReferenceShippingOption, cost: Minor): QuotedOption => ({
  optionKey: optionKeyOf(option.id),
  shippingOptionId: option.id,
  name: option.name,
  providerKey: option.providerKey,
  serviceCode: null,
  cost: Math.max(0, cost),
  daysFrom: option.daysFrom,
  daysTo: option.daysTo,
  isNextDay: option.isNextDay,
  nextDayCutOffTime: option.nextDayCutOffTime,
  deliveryDescription: deliveryDescription(option),
  allowsDeliveryDateSelection: option.allowsDeliveryDateSelection,
  minDeliveryDays: option.minDeliveryDays,
  maxDeliveryDays: option.maxDeliveryDays,
  allowedDaysOfWeek: option.allowedDaysOfWeek,
  isDeliveryDateGuaranteed: option.isDeliveryDateGuaranteed,
  quotedAt: null,
  fallbackReason: null,
});

/**
 * What an option asks for a group of this weight: base cost, surcharge of the weight, surcharge of the postcode, never
 * below 0. Null when it does not go there, or has no cost of its own (docs/rules/shipping.md#cost).
 */
export const quoteOption = (
  option: ReferenceShippingOption,
  destination: Destination,
  weightKg: Decimal,
): QuotedOption | null => {
  const base = baseCost(option, destination);
  const rule = postcodeRule(option, destination);
  if (base === null || rule?.action === 'Block') return null;
  const cost = base + weightSurcharge(option, destination, weightKg) + (rule?.surcharge ?? 0);
  return offerOption(option, cost);
};

type Strategy = StoreSettings['shippingAutoSelectStrategy'];

const byCost = (a: QuotedOption, b: QuotedOption): number => a.cost - b.cost;
const bySpeed = (a: QuotedOption, b: QuotedOption): number => a.daysTo - b.daysTo || a.daysFrom - b.daysFrom;

/** The option that is chosen for a shopper who has not chosen (docs/rules/shipping.md#choosing). */
export const autoSelectOption = (
  options: readonly QuotedOption[],
  strategy: Strategy,
): QuotedOption | undefined =>
  [...options].sort((a, b) =>
    strategy === 'fastest' ? bySpeed(a, b) || byCost(a, b) : byCost(a, b) || bySpeed(a, b),
  )[0];
