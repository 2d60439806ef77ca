import { expect } from 'chai';
import { priceBasket, type PriceableBasket } from '#command/pricing/price-basket.ts';
import type { BasketPrices } from '#command/pricing/basket-prices.ts';
import { discount } from '#entities/discount.entity.ts';
import { createDiscountReference } from '#reference/discounts.reference.ts';
import { applyEvent } from '#reference/reference-part.ts';
import type { ReferenceDiscount } from '#reference/reference.ts';
import { streamOf } from '#values/stream-name.ts';
import { idNamed, noon, offer, pricesOf, units } from '#test/support/builders/basket.ts';
import { buyGet, ruleNamed, sociable } from '#test/support/builders/discount.ts';
import { inStream, recordedEvents } from '#test/support/given.ts';

// `npm run bench -- --only discounts` says how long it takes; random baskets are in test/properties/discounts.

const skus = Array.from({ length: 200 }, (_, index) => `p${index}`);
const offers = Object.fromEntries(skus.map((sku, index) => [sku, offer(500 + ((index * 7919) % 997), 20)]));

/** Each for one product; the first `matching` of them for those of the basket. */
const rulesFor = (count: number, matching: number): ReferenceDiscount[] =>
  Array.from({ length: count }, (_, index) =>
    ruleNamed(`rule ${index}`, {
      method: 'Automatic',
      category: 'AmountOffProducts',
      value: 1 + (index % 30),
      ...sociable,
      targetRules: [
        {
          targetType: 'SpecificProducts',
          targetIds: [idNamed(index < matching ? `p${index}` : `elsewhere ${index}`)],
          isExclusion: false,
        },
      ],
    }),
  );

/** The shop's own index over the rules. */
const indexed = (rules: readonly ReferenceDiscount[]) => {
  const reference = createDiscountReference();
  const events = rules.flatMap(({ id, rule, status, createdAt: at }) =>
    inStream(streamOf.discount(id), discount.events.create.DiscountCreated({ rule, status, at })),
  );
  for (const event of recordedEvents(events)) applyEvent(reference, event);
  return reference;
};

describe('F15 many rules, many pieces', () => {
  it('looks at the rules that can match, however many others are active, and finds the same', () => {
    const rules = rulesFor(10_000, 50);
    const reference = indexed(rules);
    let looked = 0;
    const automaticFor: BasketPrices['automaticFor'] = (basket) => {
      const found = reference.candidates(basket, noon);
      looked = found.length;
      return found;
    };
    const basket: PriceableBasket = { lines: skus.map((sku) => units(sku, 30)), codes: [], shipping: 0 };
    const { pricing } = priceBasket(basket, pricesOf(offers, [], { automaticFor }));
    expect(looked).to.equal(50);
    expect(pricing.discounts).to.have.length(50);
    expect(pricing).to.deep.equal(priceBasket(basket, pricesOf(offers, rules)).pricing);
  });

  it('counts in lines, not in pieces: a million of each is worked out like one', () => {
    const offered = (buyTriggerValue: number) =>
      ruleNamed('OFFER', {
        method: 'Automatic',
        category: 'BuyXGetY',
        buyXGetY: buyGet(buyTriggerValue, 1, { selectionMethod: 'MostExpensive' }),
      });
    const off = (quantity: number, buyTriggerValue: number): number =>
      priceBasket(
        { lines: skus.map((sku) => units(sku, quantity)), codes: [], shipping: 0 },
        pricesOf(offers, [offered(buyTriggerValue)]),
      ).pricing.totals.productDiscount;
    // Where every quantity and the trigger are so many times as large, one unit is given for as many bought as before.
    const dearest = Math.max(...Object.values(offers).map(({ unitPrice }) => unitPrice));
    expect(off(1, 200)).to.equal(0);
    expect(off(1, 199)).to.equal(dearest);
    expect(off(1_000_000, 199_000_000)).to.equal(dearest);
    expect(off(1_000_000, 1)).to.be.above(off(1_000_000, 2));
  });
});
