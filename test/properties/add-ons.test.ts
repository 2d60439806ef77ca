import { expect } from 'chai';
import fc from 'fast-check';
import { basketContext } from '#command/contexts/basket/basket.context.ts';
import type { AddBasketLine } from '#command/contexts/basket/basket.commands.ts';
import { basketDecider } from '#command/contexts/basket/basket.decider.ts';
import { goodsKey } from '#command/pricing/addons.ts';
import { priceBasket } from '#command/pricing/price-basket.ts';
import type { ReferenceDiscount } from '#reference/reference.ts';
import { addonNamed, addonOf, chosen, offersWith, unitsWith } from '#test/support/builders/addon.ts';
import {
  codeOf,
  idNamed,
  london,
  offer,
  percentOff,
  pricesOf,
  units,
  viewOf,
} from '#test/support/builders/basket.ts';
import { warehousesWith } from '#test/support/builders/warehouses.ts';
import { given, inContext } from '#test/support/given.ts';

interface RandomLine {
  readonly price: number;
  readonly addons: readonly number[];
  readonly quantity: number;
  readonly taxRate: number;
}

const lineWith = (addon: fc.Arbitrary<number>): fc.Arbitrary<RandomLine> =>
  fc.record({
    price: fc.integer({ min: 0, max: 50_000 }),
    addons: fc.array(addon, { maxLength: 4 }),
    quantity: fc.integer({ min: 1, max: 99 }),
    taxRate: fc.constantFrom(0, 5, 8.875, 20),
  });

/** Whatever the add-ons take off, a unit costs nothing at least: the catalogue sees to it. */
const covered = (line: RandomLine): RandomLine => ({
  ...line,
  price: line.addons.reduce((price, cost) => price - Math.min(0, cost), line.price),
});

const code = fc.integer({ min: 1, max: 100 }).map((percent) => percentOff('OFF', percent));
const shipping = fc.integer({ min: 0, max: 2000 });

const price = (random: readonly RandomLine[], discount: ReferenceDiscount, cost: number) => {
  const lines = random.map(({ addons, quantity }, index) =>
    unitsWith(`p${index}`, quantity, Object.keys(addons).map(addonOf)),
  );
  const offers = new Map(
    random.flatMap((one, index) => offersWith(`p${index}`, one.price, one.addons, one.taxRate)),
  );
  const prices = pricesOf({}, [discount], { offers, shippingTax: { mode: 'Proportional' } });
  return { lines, ...priceBasket({ lines, codes: [codeOf(discount)], shipping: cost }, prices).pricing };
};

/** Whether two pieces have the same right to the last unit of a discount: it goes by the ids of their lines. */
const isTied = (amounts: readonly number[], discount: number): boolean => {
  const total = amounts.reduce((sum, amount) => sum + amount, 0);
  const rests = amounts.map((amount) => (BigInt(discount) * BigInt(amount)) % BigInt(total || 1));
  const parts = rests.filter((rest) => rest > 0n);
  return new Set(parts).size < parts.length;
};

describe('random baskets with add-ons', () => {
  it('cost what the same cost as products of their own', () => {
    const lines = fc.array(lineWith(fc.integer({ min: 0, max: 9000 })), { maxLength: 5 });
    fc.assert(
      fc.property(lines, code, shipping, (random, discount, cost) => {
        const pieces = random.flatMap(({ price: product, addons, ...rest }, index) =>
          [product, ...addons].map((unit, place) => ({ ...rest, unit, sku: `p${index}-${place}` })),
        );
        const offers = pieces.map(({ sku, unit, taxRate }) => [sku, offer(unit, taxRate)] as const);
        const prices = pricesOf(Object.fromEntries(offers), [discount], {
          shippingTax: { mode: 'Proportional' },
        });
        const flat = pieces.map(({ sku, quantity }) => units(sku, quantity));
        const same = priceBasket({ lines: flat, codes: [codeOf(discount)], shipping: cost }, prices).pricing;
        const amounts = pieces.map(({ unit, quantity }) => unit * quantity);
        fc.pre(!isTied(amounts, same.totals.productDiscount));
        expect(price(random, discount, cost).totals).to.deep.equal(same.totals);
      }),
    );
  });

  it('add up, and nothing in them is negative, though add-ons may take something off', () => {
    const lines = fc.array(lineWith(fc.integer({ min: -4000, max: 4000 })).map(covered), { maxLength: 5 });
    fc.assert(
      fc.property(lines, code, shipping, (random, discount, cost) => {
        const { lines: priced, totals, changedLines } = price(random, discount, cost);
        const figures = new Map(changedLines.map((line) => [line.lineId, line]));
        const sums = { subTotal: 0, discount: 0, tax: 0 };
        for (const { lineId, quantity, addons = [] } of priced) {
          const own = [lineId, ...addons.map((addon) => addon.lineId)].flatMap((id) => figures.get(id) ?? []);
          const worth = own.reduce((sum, { unitPrice }) => sum + unitPrice * quantity, 0);
          const taken = own.reduce((sum, line) => sum + line.discount, 0);
          expect(taken).to.be.within(0, worth);
          for (const { discount: off, tax } of own) expect(Math.min(off, tax)).to.be.at.least(0);
          sums.subTotal += worth;
          sums.discount += taken;
          sums.tax += own.reduce((sum, { tax }) => sum + tax, 0);
        }
        const { subTotal, productDiscount, tax, shippingTax, total } = totals;
        expect([subTotal, productDiscount, tax]).to.deep.equal([
          sums.subTotal,
          sums.discount,
          sums.tax + shippingTax,
        ]);
        expect(total).to.equal(subTotal - productDiscount + tax + cost * Math.min(1, random.length));
      }),
    );
  });
});

describe('the lines of a basket', () => {
  const options = [addonNamed('Wrap', { Gold: 250, Plain: 100 }), addonNamed('Size', { Small: -30 })];
  const sources = warehousesWith(
    { east: { options: {} } },
    { mug: { price: 1000, taxRate: 20, options }, cup: { price: 700, options } },
  );
  const context = basketContext(sources);
  const shop = inContext(basketDecider, (state, command) => context(command)(state));
  const choices = [chosen('Wrap', 'Gold'), chosen('Wrap', 'Plain'), chosen('Size', 'Small')];
  const adding: fc.Arbitrary<AddBasketLine> = fc.record({
    type: fc.constant('AddBasketLine'),
    productId: fc.constantFrom(idNamed('mug'), idNamed('cup')),
    quantity: fc.integer({ min: 1, max: 5 }),
    addons: fc.array(fc.constantFrom(...choices), { maxLength: 4 }),
    startFor: fc.constant(london),
  });

  it('are the same in whichever order the same goods were added', () => {
    const anyTwice = fc
      .array(adding, { minLength: 1, maxLength: 8 })
      .chain((adds) => fc.tuple(fc.constant(adds), fc.shuffledSubarray(adds, { minLength: adds.length })));
    const basketOf = (adds: readonly AddBasketLine[]) => {
      const { lines, totals, itemCount } = viewOf(given(shop).after(...adds));
      const goods = lines.map((line) => [goodsKey(line), line.quantity, line.addons?.length ?? 0] as const);
      return { goods: Object.fromEntries(goods.map(([key, ...rest]) => [key, rest])), totals, itemCount };
    };
    fc.assert(
      fc.property(anyTwice, ([adds, shuffled]) => {
        expect(basketOf(shuffled)).to.deep.equal(basketOf(adds));
      }),
      { numRuns: 50 },
    );
  });
});
