import fc from 'fast-check';
import type { BasketPrices, Offer } from '#command/pricing/basket-prices.ts';
import type { PriceableBasket } from '#command/pricing/price-basket.ts';
import type { ShippingTaxRule } from '#command/pricing/shipping-tax.ts';
import type { DiscountRule } from '#entities/discount.entity.ts';
import type { BasketViewLine } from '#events/basket-view.ts';
import type { ReferenceDiscount } from '#reference/reference.ts';
import { addonOf, offersWith, unitsWith } from '#test/support/builders/addon.ts';
import { codeOf, idNamed, pricesOf } from '#test/support/builders/basket.ts';
import { buyGet, freeShipping, ruleNamed } from '#test/support/builders/discount.ts';
import type { NaiveBasket, NaivePiece } from './naive-engine.ts';

interface RandomLine {
  readonly price: number;
  readonly quantity: number;
  /** Ten-thousandths of a percent; 0 is a line that is not taxed. */
  readonly rateParts: number;
  readonly addon: number | null;
  readonly collections: readonly string[];
}

export interface RandomBasket {
  readonly lines: readonly RandomLine[];
  readonly rules: readonly ReferenceDiscount[];
  readonly shipping: number;
  readonly isShippingChosen: boolean;
  readonly shippingTax: ShippingTaxRule;
  readonly currency: string;
}

const collections = ['garden', 'kitchen'].map(idNamed);
const products = Array.from({ length: 6 }, (_, index) => `p${index}`);

const price = fc.oneof(
  fc.constantFrom(0, 1, 25, 1000),
  fc.integer({ min: 1, max: 30 }),
  fc.integer({ min: 1, max: 50_000 }),
);
const rateParts = fc.oneof(
  fc.constant(0),
  fc.constantFrom(50_000, 82_500, 107_500, 200_000),
  fc.integer({ min: 1, max: 300_000 }),
);
const line: fc.Arbitrary<RandomLine> = fc.record({
  price,
  quantity: fc.integer({ min: 1, max: 7 }),
  rateParts,
  addon: fc.option(price, { freq: 4 }),
  collections: fc.subarray(collections),
});

const target = fc.oneof(
  fc.constant({ targetType: 'AllProducts' as const, targetIds: [] }),
  fc
    .subarray(products, { minLength: 1, maxLength: 3 })
    .map((skus) => ({ targetType: 'SpecificProducts' as const, targetIds: skus.map(idNamed) })),
  fc
    .subarray(collections, { minLength: 1 })
    .map((targetIds) => ({ targetType: 'Collections' as const, targetIds })),
);
const targetRules = fc.oneof(
  { weight: 2, arbitrary: fc.constant<DiscountRule['targetRules']>([]) },
  {
    weight: 1,
    arbitrary: fc.array(
      fc
        .tuple(target, fc.boolean())
        .map(([named, isExclusion]) => ({ ...named, targetIds: [...named.targetIds], isExclusion })),
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

/** Most of the time it goes with others: else there would be little to apply one after the other. */
const mostly = fc.integer({ min: 0, max: 3 }).map((chance) => chance > 0);
const rule = fc
  .record({
    kind,
    targetRules,
    requirement,
    method: fc.constantFrom('Code' as const, 'Automatic' as const),
    priority: fc.integer({ min: 1, max: 3 }),
    canCombineWithProductDiscounts: mostly,
    canCombineWithOrderDiscounts: mostly,
    canCombineWithShippingDiscounts: mostly,
  })
  .map(({ kind: what, requirement: asked, ...rest }) => ({ ...what, ...asked, ...rest }));

const shippingTax: fc.Arbitrary<ShippingTaxRule> = fc.oneof(
  fc.constant({ mode: 'NotTaxed' as const }),
  fc.constant({ mode: 'Proportional' as const }),
  fc.integer({ min: 0, max: 300_000 }).map((rate) => ({ mode: 'FixedRate' as const, rate: rate / 10_000 })),
);

export const randomBasket: fc.Arbitrary<RandomBasket> = fc
  .record({
    lines: fc.array(line, { maxLength: products.length }),
    rules: fc.array(rule, { maxLength: 5 }),
    cost: fc.integer({ min: 0, max: 2000 }),
    isShippingChosen: fc.boolean(),
    shippingTax,
    currency: fc.constantFrom('GBP', 'JPY', 'KWD'),
  })
  .map(({ rules, cost, ...rest }) => ({
    ...rest,
    shipping: rest.isShippingChosen && rest.lines.length > 0 ? cost : 0,
    rules: rules.map((changes, index) => ruleNamed(`RULE${index}`, changes)),
  }));

const choicesOf = ({ addon }: RandomLine) => (addon === null ? [] : [addonOf('0')]);

/** The lines, not priced yet. */
export const linesOf = ({ lines }: Pick<RandomBasket, 'lines'>): BasketViewLine[] =>
  lines.map((one, index) => unitsWith(products[index] ?? '', one.quantity, choicesOf(one)));

/** The basket as the shop prices it. */
export const basketOf = (random: RandomBasket): PriceableBasket => ({
  lines: linesOf(random),
  codes: random.rules.filter(({ rule: { method } }) => method === 'Code').map(codeOf),
  shipping: random.shipping,
  shippingOptions: random.isShippingChosen ? ['so:standard'] : [],
});

export const pricesFor = (random: RandomBasket): BasketPrices => {
  const offers = random.lines.flatMap(({ price: unit, addon, rateParts: rate }, index) =>
    offersWith(products[index] ?? '', unit, addon === null ? [] : [addon], rate / 10_000),
  );
  const prices = pricesOf({}, random.rules, { currency: random.currency, shippingTax: random.shippingTax });
  const inCollections = new Map(
    random.lines.map(({ collections: ids }, index) => [idNamed(products[index] ?? ''), ids]),
  );
  return {
    ...prices,
    offers: new Map<string, Offer>(offers),
    traitsOf: (lines, isShippingChosen) =>
      new Map(
        [...prices.traitsOf(lines, isShippingChosen)].map(([lineId, traits]) => [
          lineId,
          traits.map((one) => ({ ...one, collectionIds: inCollections.get(one.productId) ?? [] })),
        ]),
      ),
  };
};

const piecesOf = (random: RandomBasket): NaivePiece[] =>
  linesOf(random).flatMap((basketLine, index) => {
    const {
      price: unit = 0,
      addon = 0,
      rateParts: rate = 0,
      collections: ids = [],
    } = random.lines[index] ?? {};
    const { productId, quantity, addons = [] } = basketLine;
    const shared = { productId, collections: ids, quantity, rateParts: rate };
    return [
      { ...shared, lineId: basketLine.lineId, isAddon: false, unit },
      ...addons.map(({ lineId }) => ({ ...shared, lineId, isAddon: true, unit: addon ?? 0 })),
    ];
  });

export const naiveBasket = (random: RandomBasket): NaiveBasket => ({
  pieces: piecesOf(random),
  rules: random.rules,
  shipping: random.shipping,
  isShippingChosen: random.isShippingChosen,
  countryCode: 'GB',
});
