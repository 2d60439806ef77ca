import type { BasketPrices, Offer } from '#command/pricing/basket-prices.ts';
import { traitsOfUnsold } from '#command/pricing/line-traits.ts';
import { priceBasket, type PriceableBasket } from '#command/pricing/price-basket.ts';
import { discount, type DiscountRule } from '#entities/discount.entity.ts';
import { unpricedLine, type BasketViewLine } from '#events/basket-view.ts';
import { derivedId } from '#kernel/ids.ts';
import type { Recorded } from '#kernel/event.ts';
import { createDiscountReference } from '#reference/discounts.reference.ts';
import { applyEvent } from '#reference/reference-part.ts';
import { streamOf } from '#values/stream-name.ts';
import { median, spread, whole, type Figure } from './figures.ts';
import type { Bench } from './http-rows.ts';

const at = '2030-01-01T00:00:00.000Z';
const now = Date.parse('2030-06-01T12:00:00.000Z');

const productId = (index: number): string => derivedId('bench product', index);

const lines = (count: number, quantity: number): BasketViewLine[] =>
  Array.from({ length: count }, (_, index) => {
    const name = `product ${index}`;
    const line = {
      lineId: derivedId('bench line', index),
      productId: productId(index),
      productRootId: derivedId('bench root', index),
      ...{ sku: `BENCH-${index}`, name, productRootName: name, imageUrl: null },
      selectedOptions: [],
      isDigital: false,
    };
    return unpricedLine(line, quantity);
  });

const sociable = {
  canCombineWithProductDiscounts: true,
  canCombineWithOrderDiscounts: true,
  canCombineWithShippingDiscounts: true,
};
const offer = (buyTriggerValue: number, getQuantity: number) => ({
  category: 'BuyXGetY' as const,
  buyXGetY: {
    buyTriggerType: 'MinimumQuantity' as const,
    buyTriggerValue,
    buyTargetType: 'AllProducts' as const,
    buyTargetIds: [],
    getQuantity,
    getTargetType: 'AllProducts' as const,
    getTargetIds: [],
    getValueType: 'Free' as const,
    getValue: 0,
    selectionMethod: 'MostExpensive' as const,
  },
});

/** Every fourth rule of each category, a third of them with leave to stand beside others. */
const mixed = (index: number): Partial<DiscountRule> => {
  const kinds: readonly Partial<DiscountRule>[] = [
    { category: 'AmountOffProducts' },
    { category: 'AmountOffOrder', applyAfterTax: index % 8 === 1 },
    offer(3, 1),
    { category: 'FreeShipping' },
  ];
  return { ...kinds[index % kinds.length], priority: index, ...(index % 3 === 0 && sociable) };
};

/** Aimed at one product each; the first ones at those of the basket. */
const aimed = (index: number): Partial<DiscountRule> => ({
  ...mixed(index),
  targetRules: [
    {
      targetType: 'SpecificProducts',
      targetIds: [productId(index < 50 ? index % 20 : index)],
      isExclusion: false,
    },
  ],
  minimumQuantity: 1,
});

/** A shop with these automatic rules, which finds them as the shop does. */
const pricesWith = (
  priced: readonly BasketViewLine[],
  rules: readonly Partial<DiscountRule>[],
): BasketPrices => {
  const plain = discount
    .createBody(() => 'GBP')
    .parse({
      ...{ name: 'rule', category: 'AmountOffOrder', method: 'Automatic' },
      ...{ valueType: 'Percentage', value: 5 },
    });
  const reference = createDiscountReference();
  rules.forEach((changes, index) => {
    const rule = { ...plain, startsAt: at, ...changes };
    const created = discount.events.create.DiscountCreated({ rule, status: 'Active', at });
    const stream = streamOf.discount(derivedId('bench rule', index));
    applyEvent(reference, { ...created, stream, position: index } as unknown as Recorded);
  });
  const traits = new Map(priced.map((line) => [line.lineId, [traitsOfUnsold(line)]]));
  return {
    currency: 'GBP',
    now,
    offers: new Map(
      priced.map((line, index): [string, Offer] => [
        line.productId,
        { unitPrice: 1000 + ((index * 7919) % 997), isTaxable: true, taxRate: 20 },
      ]),
    ),
    discounts: new Map(),
    automaticFor: (basket) => reference.candidates(basket, now),
    traitsOf: () => traits,
    countryCode: 'GB',
    shippingTax: { mode: 'Proportional' },
  };
};

interface Row {
  readonly work: string;
  readonly basket: PriceableBasket;
  readonly prices: BasketPrices;
  readonly reachMs: number;
}

const rowsOf = (isQuick: boolean): Row[] => {
  const shipping = { codes: [], shipping: 500, shippingOptions: ['so:parcel'] };
  const twenty = lines(20, 3);
  const twoHundred = lines(200, 30);
  const all = isQuick ? 1000 : 10_000;
  return [
    {
      work: 'a basket of 20 lines, priced again beside 100 active discounts',
      basket: { lines: twenty, ...shipping },
      prices: pricesWith(
        twenty,
        Array.from({ length: 100 }, (_, index) => mixed(index)),
      ),
      reachMs: 1,
    },
    {
      work: `the same beside ${whole(all)} active discounts, 50 of which can match`,
      basket: { lines: twenty, ...shipping },
      prices: pricesWith(
        twenty,
        Array.from({ length: all }, (_, index) => aimed(index)),
      ),
      reachMs: 3,
    },
    {
      work: '200 lines, 6 000 pieces, with buy-X-get-Y and discounts of the order',
      basket: { lines: twoHundred, ...shipping },
      prices: pricesWith(twoHundred, [
        { ...offer(2, 1), ...sociable },
        { ...offer(1, 1), ...sociable },
        sociable,
        { valueType: 'FixedAmount', value: 5000, applyAfterTax: true, ...sociable },
      ]),
      reachMs: 20,
    },
  ];
};

const p95 = (work: () => void, times: number): number => {
  const took = Array.from({ length: times }, () => {
    const begun = performance.now();
    work();
    return performance.now() - begun;
  });
  return took.sort((one, other) => one - other)[Math.floor(times * 0.95)] ?? NaN;
};

const threeDigits = (ms: number): string => `${ms.toPrecision(3)} ms`;

/** What pricing a basket costs beside many discounts: the engine alone, in this process. */
export const measureDiscounts = ({ runs, isQuick, say }: Bench): Figure[] =>
  rowsOf(isQuick).map(({ work, basket, prices, reachMs }) => {
    const price = (): void => void priceBasket(basket, prices);
    const times = isQuick ? 200 : 2000;
    p95(price, times);
    const found = Array.from({ length: runs }, () => p95(price, times));
    say(`discounts: ${work}: ${spread(found, threeDigits)}`);
    return {
      work,
      measured: `p95 ${spread(found, threeDigits)}`,
      reach: `p95 under ${reachMs} ms`,
      isReached: median(found) < reachMs,
    };
  });
