import fc from 'fast-check';
import type { BasketPrices, Offer } from '#command/pricing/basket-prices.ts';
import type { PriceableBasket } from '#command/pricing/price-basket.ts';
import type { ShippingTaxRule } from '#command/pricing/shipping-tax.ts';
import type { BasketViewLine } from '#events/basket-view.ts';
import { createDiscountIndex } from '#reference/discount-index.ts';
import type { BuyerTraits, ReferenceDiscount } from '#reference/reference.ts';
import type { LineTraits } from '#values/discount-targets.ts';
import { addonOf, offersWith, unitsWith } from '#test/support/builders/addon.ts';
import { codeOf, noon, pricesOf } from '#test/support/builders/basket.ts';
import type { NaiveBasket, NaiveLine } from './naive-basket.ts';
import { customers, flatRates, products, rule, segments, things } from './random-rules.ts';

interface RandomLine {
  readonly price: number;
  readonly quantity: number;
  /** Ten-thousandths of a percent; 0 is a line that is not taxed. */
  readonly rateParts: number;
  /** What each add-on costs, or takes off; together with the product never less than nothing. */
  readonly addons: readonly number[];
  readonly productType: string | null;
  readonly collections: readonly string[];
  readonly filters: readonly string[];
  readonly tags: readonly string[];
  /** The warehouses that send it, each with its owner. */
  readonly sentFrom: readonly { readonly warehouse: string | null; readonly supplier: string | null }[];
  readonly referral: { readonly percentage: number; readonly lasts: number } | null;
}

export interface RandomBasket {
  readonly lines: readonly RandomLine[];
  readonly rules: readonly ReferenceDiscount[];
  /** Ids of automatic rules that the shopper has taken off. */
  readonly takenOff: readonly string[];
  readonly buyer: BuyerTraits;
  readonly shipping: number;
  readonly shippingOptions: readonly string[];
  readonly countryCode: string;
  readonly shippingTax: ShippingTaxRule;
  readonly currency: string;
}

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
/** Reductions as far as the product and its other add-ons cover them. */
const covered = (unit: number, addons: readonly number[]): number[] => {
  let worth = unit;
  for (const addon of addons) if (addon > 0) worth += addon;
  return addons.map((addon) => {
    if (addon >= 0) return addon;
    const off = Math.min(-addon, worth);
    worth -= off;
    return -off || 0;
  });
};
const addon = fc.oneof(price, fc.integer({ min: -3_000, max: -1 }), fc.integer({ min: -30, max: -1 }));
const line: fc.Arbitrary<RandomLine> = fc
  .record({
    price,
    quantity: fc.integer({ min: 1, max: 7 }),
    rateParts,
    addons: fc.oneof(
      { weight: 3, arbitrary: fc.constant([]) },
      { weight: 2, arbitrary: fc.array(addon, { maxLength: 3 }) },
    ),
    productType: fc.constantFrom(null, ...things.ProductTypes),
    collections: fc.subarray([...things.Collections]),
    filters: fc.subarray([...things.ProductFilters]),
    tags: fc.subarray(['gift', 'GLASS', 'p1']),
    sentFrom: fc.array(
      fc.record({
        warehouse: fc.constantFrom(null, ...things.Warehouses),
        supplier: fc.constantFrom(null, ...things.Suppliers),
      }),
      { minLength: 1, maxLength: 2 },
    ),
    referral: fc.oneof(
      { weight: 3, arbitrary: fc.constant(null) },
      {
        weight: 1,
        arbitrary: fc.record({
          percentage: fc.oneof(fc.constantFrom(10, 100), fc.integer({ min: 1, max: 100 })),
          lasts: fc.constantFrom(-1, 0, 1, 60_000),
        }),
      },
    ),
  })
  .map((one) => ({ ...one, addons: covered(one.price, one.addons) }));

const shippingTax: fc.Arbitrary<ShippingTaxRule> = fc.oneof(
  fc.constant({ mode: 'NotTaxed' as const }),
  fc.constant({ mode: 'Proportional' as const }),
  fc.integer({ min: 0, max: 300_000 }).map((rate) => ({ mode: 'FixedRate' as const, rate: rate / 10_000 })),
);

const options = ['dyn:parcel:EXPRESS', ...flatRates.map((id) => `so:${id}`)];

export const randomBasket: fc.Arbitrary<RandomBasket> = fc
  .record({
    lines: fc.array(line, { maxLength: products.length }),
    rules: fc.array(rule, { maxLength: 5 }),
    takesOff: fc.integer({ min: 0, max: 20 }),
    buyer: fc.record({
      customerId: fc.constantFrom(null, ...customers),
      segmentIds: fc.subarray([...segments]),
    }),
    cost: fc.integer({ min: 0, max: 2000 }),
    shippingOptions: fc.oneof(
      { weight: 1, arbitrary: fc.constant<never[]>([]) },
      { weight: 2, arbitrary: fc.subarray(options, { minLength: 1, maxLength: 2 }) },
    ),
    countryCode: fc.constantFrom('GB', 'GB', 'DE', 'FR'),
    shippingTax,
    currency: fc.constantFrom('GBP', 'JPY', 'KWD'),
  })
  .map(({ rules: made, cost, takesOff, ...rest }) => {
    const rules = made.map((named, index) => named(`RULE${index}`));
    const automatic = rules.filter(({ rule: { method } }) => method === 'Automatic');
    return {
      ...rest,
      shipping: rest.shippingOptions.length > 0 && rest.lines.length > 0 ? cost : 0,
      rules,
      takenOff: automatic.flatMap(({ id }, index) => (index === takesOff ? [id] : [])),
    };
  });

const choicesOf = ({ addons }: RandomLine) => addons.map((_, index) => addonOf(`${index}`));

/** The lines, not priced yet. */
export const linesOf = ({ lines }: Pick<RandomBasket, 'lines'>): BasketViewLine[] =>
  lines.map((one, index) => unitsWith(products[index] ?? '', one.quantity, choicesOf(one)));

const referralsOf = (random: RandomBasket) =>
  linesOf(random).flatMap(({ lineId, name }, index) => {
    const { referral } = random.lines[index] ?? {};
    return referral ? [{ lineId, name, percentage: referral.percentage, until: noon + referral.lasts }] : [];
  });

/** The basket as the shop prices it. */
export const basketOf = (random: RandomBasket): PriceableBasket => ({
  lines: linesOf(random),
  codes: random.rules.filter(({ rule: { method } }) => method === 'Code').map(codeOf),
  shipping: random.shipping,
  shippingOptions: random.shippingOptions,
  suppressed: random.takenOff,
  referrals: referralsOf(random).map(({ until, ...rest }) => ({
    ...rest,
    expiresAt: new Date(until).toISOString(),
  })),
  buyer: random.buyer,
});

const traitsOf = ({ productId, productRootId, sku }: BasketViewLine, random: RandomLine): LineTraits[] =>
  random.sentFrom.map(({ warehouse, supplier }) => ({
    productId,
    rootId: productRootId,
    sku,
    productTypeId: random.productType,
    collectionIds: random.collections,
    filterIds: random.filters,
    tags: random.tags,
    supplierId: supplier,
    warehouseId: warehouse,
  }));

export const pricesFor = (random: RandomBasket): BasketPrices => {
  const { rules, currency, shippingTax: onShipping, countryCode } = random;
  const offers = random.lines.flatMap(({ price: unit, addons, rateParts: rate }, index) =>
    offersWith(products[index] ?? '', unit, addons, rate / 10_000),
  );
  const traits = new Map<string, LineTraits[]>();
  linesOf(random).forEach((one, index) => {
    const given = random.lines[index];
    if (given) traits.set(one.lineId, traitsOf(one, given));
  });
  const prices = pricesOf({}, rules, { currency, shippingTax: onShipping, countryCode });
  const index = createDiscountIndex();
  for (const one of rules) index.put(one);
  return {
    ...prices,
    offers: new Map<string, Offer>(offers),
    traitsOf: () => traits,
    automaticFor: (basket) => {
      const found = index.candidates(basket, noon);
      return rules.filter(({ id }) => found.includes(id));
    },
  };
};

const naiveLines = (random: RandomBasket): NaiveLine[] =>
  linesOf(random).flatMap(({ lineId, productId, productRootId, sku, addons = [] }, index) => {
    const given = random.lines[index];
    if (given === undefined) return [];
    const priced = addons.map((one, place) => ({ lineId: one.lineId, price: given.addons[place] ?? 0 }));
    return [{ ...given, lineId, productId, rootId: productRootId, sku, addons: priced }];
  });

export const naiveBasket = (random: RandomBasket): NaiveBasket => ({
  lines: naiveLines(random),
  rules: random.rules,
  takenOff: random.takenOff,
  referrals: referralsOf(random).map(({ lineId, percentage, until }) => ({
    lineId,
    percentage,
    expiresAt: until,
  })),
  customer: random.buyer.customerId,
  segments: random.buyer.segmentIds,
  now: noon,
  shipping: random.shipping,
  shippingOptions: random.shippingOptions,
  countryCode: random.countryCode,
});
