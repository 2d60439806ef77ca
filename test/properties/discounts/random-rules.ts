import fc from 'fast-check';
import type { DiscountRule } from '#entities/discount.entity.ts';
import type { ReferenceDiscount } from '#reference/reference.ts';
import type { TargetType } from '#values/discount-targets.ts';
import { idNamed, noon } from '#test/support/builders/basket.ts';
import { buyGet, freeShipping, ruleNamed } from '#test/support/builders/discount.ts';

export const products: readonly string[] = Array.from({ length: 6 }, (_, index) => `p${index}`);
/** What targets may name, by the type of the target. `p1` is a tag as well as a SKU. */
export const things = {
  AllProducts: [],
  SpecificProducts: products.flatMap((sku) => [idNamed(sku), idNamed(`root ${sku}`)]),
  Collections: ['garden', 'kitchen'].map(idNamed),
  ProductFilters: ['blue', 'red'].map(idNamed),
  ProductTypes: ['ware', 'food'].map(idNamed),
  Suppliers: ['ann', 'ben'].map(idNamed),
  Warehouses: ['east', 'west'].map(idNamed),
  Tags: ['gift', 'Glass', 'p1'],
  Skus: products.map((sku) => sku.toUpperCase()),
} as const satisfies Readonly<Record<TargetType, readonly string[]>>;
export const customers: readonly string[] = ['ada', 'bob'].map(idNamed);
export const segments: readonly string[] = ['vip', 'new'].map(idNamed);
export const flatRates: readonly string[] = ['standard', 'express'].map(idNamed);

const targetType = fc.constantFrom(...(Object.keys(things) as TargetType[]));
const target = targetType.chain((type) => {
  const all: readonly string[] = things[type];
  const bounds = { minLength: Math.min(1, all.length), maxLength: Math.min(4, all.length) };
  return fc.subarray([...all], bounds).map((targetIds) => ({ targetType: type, targetIds }));
});
const targetRules = fc.oneof(
  { weight: 2, arbitrary: fc.constant<DiscountRule['targetRules']>([]) },
  {
    weight: 1,
    arbitrary: fc.array(
      fc.tuple(target, fc.boolean()).map(([named, isExclusion]) => ({ ...named, isExclusion })),
      { minLength: 1, maxLength: 3 },
    ),
  },
);
const percentage = fc.oneof(
  fc.constantFrom(10, 20, 50, 60, 100),
  fc.integer({ min: 1, max: 1_000_000 }).map((value) => value / 10_000),
);
const value: fc.Arbitrary<Pick<DiscountRule, 'valueType' | 'value'>> = fc.oneof(
  percentage.map((percent) => ({ valueType: 'Percentage' as const, value: percent })),
  fc.integer({ min: 1, max: 20_000 }).map((amount) => ({ valueType: 'FixedAmount' as const, value: amount })),
  fc.constant({ valueType: 'Free' as const, value: 0 }),
);
const requirement: fc.Arbitrary<Partial<DiscountRule>> = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc
      .integer({ min: 0, max: 20_000 })
      .map((amount) => ({ requirementType: 'MinimumPurchaseAmount' as const, requirementValue: amount })),
  },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 9 }).map((units) => ({ minimumQuantity: units })) },
  {
    weight: 1,
    arbitrary: fc
      .record({ units: fc.integer({ min: 0, max: 9 }), amount: fc.integer({ min: 0, max: 20_000 }) })
      .map(({ units, amount }) => ({
        requirementType: 'MinimumQuantity' as const,
        requirementValue: units,
        minimumPurchaseAmount: amount,
      })),
  },
);

export const offer = fc
  .record({
    buys: target,
    gets: target,
    byAmount: fc.boolean(),
    units: fc.integer({ min: 1, max: 4 }),
    amount: fc.integer({ min: 1, max: 20_000 }),
    getQuantity: fc.integer({ min: 1, max: 4 }),
    reward: value,
    selectionMethod: fc.constantFrom('Cheapest' as const, 'MostExpensive' as const),
    perOrderUsageLimit: fc.option(fc.integer({ min: 1, max: 3 })),
  })
  .map(({ buys, gets, byAmount, units, amount, getQuantity, reward, selectionMethod, ...limit }) => ({
    ...limit,
    valueType: 'Free' as const,
    value: 0,
    category: 'BuyXGetY' as const,
    buyXGetY: buyGet(byAmount ? amount : units, getQuantity, {
      buyTriggerType: byAmount ? 'MinimumPurchaseAmount' : 'MinimumQuantity',
      buyTargetType: buys.targetType,
      buyTargetIds: [...buys.targetIds],
      getTargetType: gets.targetType,
      getTargetIds: [...gets.targetIds],
      getValueType: reward.valueType,
      getValue: reward.value,
      selectionMethod,
    }),
  }));

const shippingConfig = fc
  .record({
    countryScope: fc.constantFrom(
      'AllCountries' as const,
      'SelectedCountries' as const,
      'ExcludedCountries' as const,
    ),
    countryCodes: fc.subarray(['GB', 'DE']),
    excludeRatesOverAmount: fc.boolean(),
    excludeRatesOverValue: fc.integer({ min: 0, max: 2000 }),
    allowedShippingOptionIds: fc.oneof(
      fc.constant<string[]>([]),
      fc.subarray([...flatRates], { minLength: 1 }),
    ),
  })
  .map((changes) => freeShipping(changes));

const kind: fc.Arbitrary<Partial<DiscountRule>> = fc.oneof(
  fc.tuple(value, fc.boolean()).map(([worth, applyAfterTax]) => ({
    category: 'AmountOffProducts' as const,
    applyAfterTax,
    ...worth,
  })),
  fc.tuple(value, fc.boolean()).map(([worth, applyAfterTax]) => ({
    category: 'AmountOffOrder' as const,
    applyAfterTax,
    ...worth,
  })),
  offer,
  fc.tuple(value, fc.option(shippingConfig)).map(([worth, config]) => ({
    category: 'FreeShipping' as const,
    freeShipping: config,
    ...worth,
  })),
);

/** Most rules are for everybody: else there would be little to apply. */
const eligibilityRules: fc.Arbitrary<DiscountRule['eligibilityRules']> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<DiscountRule['eligibilityRules']>([]) },
  {
    weight: 1,
    arbitrary: fc.array(
      fc.oneof(
        fc.constant({ eligibilityType: 'AllCustomers' as const, ids: [] as string[] }),
        fc
          .subarray([...segments], { minLength: 1 })
          .map((ids) => ({ eligibilityType: 'CustomerSegments' as const, ids })),
        fc
          .subarray([...customers], { minLength: 1 })
          .map((ids) => ({ eligibilityType: 'SpecificCustomers' as const, ids })),
      ),
      { minLength: 1, maxLength: 2 },
    ),
  },
);

const at = (milliseconds: number): string => new Date(noon + milliseconds).toISOString();

/**
 * When a rule is in force: mostly now, else not by a day or by a millisecond. Its status is what its dates asked for
 * when the job came by the last time, some time ago, unless it is a draft or switched off.
 */
const schedule = fc
  .record({
    begins: fc.oneof(
      { weight: 5, arbitrary: fc.constant(-86_400_000) },
      { weight: 1, arbitrary: fc.constantFrom(-1, 0, 1, 86_400_000) },
    ),
    lasts: fc.oneof(
      { weight: 4, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constantFrom(0, 1, 86_399_999, 86_400_000, 86_400_001, 172_800_000) },
    ),
    jobRan: fc.constantFrom(0, 1, 60_000, 200_000_000),
    held: fc.oneof(
      { weight: 9, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constantFrom('Draft' as const, 'Disabled' as const) },
    ),
  })
  .map(({ begins, lasts, jobRan, held }): Pick<DiscountRule, 'startsAt' | 'endsAt'> & Known => {
    const ends = lasts === null ? null : begins + lasts;
    const isOver = ends !== null && ends < -jobRan;
    const byDates = begins > -jobRan ? 'Scheduled' : isOver ? 'Expired' : 'Active';
    return { startsAt: at(begins), endsAt: ends === null ? null : at(ends), status: held ?? byDates };
  });

type Known = Pick<ReferenceDiscount, 'status'>;

/** Most of the time it goes with others: else there would be little to apply one after the other. */
const mostly = fc.integer({ min: 0, max: 3 }).map((chance) => chance > 0);

/** A rule by its name, that is to say by its place among those of a basket. */
export const rule: fc.Arbitrary<(name: string) => ReferenceDiscount> = fc
  .record({
    kind,
    targetRules,
    requirement,
    eligibilityRules,
    schedule,
    method: fc.constantFrom('Code' as const, 'Automatic' as const),
    priority: fc.integer({ min: 1, max: 3 }),
    canCombineWithProductDiscounts: mostly,
    canCombineWithOrderDiscounts: mostly,
    canCombineWithShippingDiscounts: mostly,
    totalUsageLimit: fc.constantFrom(null, null, null, 2, 3),
    uses: fc.integer({ min: 0, max: 3 }),
    createdAt: fc.constantFrom(at(-172_800_000), at(-172_000_000)),
  })
  .map(({ kind: what, requirement: asked, schedule: { status, ...dates }, uses, createdAt, ...rest }) => {
    const changes = { ...what, ...asked, ...dates, ...rest };
    return (name) => ({ ...ruleNamed(name, changes), status, uses, createdAt });
  });
