import { expect } from 'chai';
import fc from 'fast-check';
import { priceBasket } from '#command/pricing/price-basket.ts';
import type { ShippingTaxRule } from '#command/pricing/shipping-tax.ts';
import type { BasketViewLine } from '#events/basket-view.ts';
import type { ReferenceDiscount } from '#reference/reference.ts';
import { codeOf, offer, percentOff, pricesOf, units } from '#test/support/builders/basket.ts';

// Random baskets against a reference that knows nothing but big integers and the rules of
// docs/rules/pricing.md#order-of-calculation.

interface RandomLine {
  readonly price: number;
  readonly quantity: number;
  /** Ten-thousandths of a percent; 0 is a line that is not taxed. */
  readonly rateParts: number;
}

interface RandomCode {
  readonly percentParts: number;
  readonly priority: number;
  readonly isSociable: boolean;
}

const line = fc.record({
  price: fc.oneof(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 5_000_000 })),
  quantity: fc.integer({ min: 1, max: 99 }),
  rateParts: fc.oneof(
    fc.constant(0),
    fc.constantFrom(50_000, 82_500, 107_500, 200_000),
    fc.integer({ min: 1, max: 300_000 }),
  ),
});
const lines = fc.array(line, { maxLength: 8 });
const codes = fc.array(
  fc.record({
    percentParts: fc.integer({ min: 1, max: 1_000_000 }),
    priority: fc.integer({ min: 1, max: 3 }),
    isSociable: fc.boolean(),
  }),
  { maxLength: 3 },
);
const shippingTax: fc.Arbitrary<ShippingTaxRule> = fc.oneof(
  fc.constant({ mode: 'NotTaxed' as const }),
  fc.constant({ mode: 'Proportional' as const }),
  fc.integer({ min: 0, max: 300_000 }).map((parts) => ({ mode: 'FixedRate' as const, rate: parts / 10_000 })),
);
const currency = fc.constantFrom('GBP', 'JPY', 'KWD');
const shipping = fc.integer({ min: 0, max: 10_000 });

const half = (numerator: bigint, denominator: bigint): bigint =>
  (numerator * 2n + denominator) / (denominator * 2n);
const sum = (values: readonly bigint[]): bigint => values.reduce((all, value) => all + value, 0n);

const discountsOf = (random: readonly RandomCode[]): ReferenceDiscount[] =>
  random.map(({ percentParts, priority, isSociable }, index) =>
    percentOff(`CODE${index}`, percentParts / 10_000, { priority, canCombineWithOrderDiscounts: isSociable }),
  );

const priceLines = (
  priced: readonly BasketViewLine[],
  random: readonly RandomLine[],
  discounts: readonly ReferenceDiscount[],
  cost: number,
  tax: ShippingTaxRule,
  code: string,
) => {
  const offers = random.map((one, index) => [`p${index}`, offer(one.price, one.rateParts / 10_000)] as const);
  return priceBasket(
    { lines: priced, codes: discounts.map(codeOf), shipping: cost },
    pricesOf(Object.fromEntries(offers), discounts, { currency: code, shippingTax: tax }),
  );
};

const price = (
  random: readonly RandomLine[],
  discounts: readonly ReferenceDiscount[],
  cost: number,
  tax: ShippingTaxRule,
  code: string,
) => {
  const fresh = random.map((one, index) => units(`p${index}`, one.quantity));
  return priceLines(fresh, random, discounts, cost, tax, code);
};

/** Codes that stay: those that take something off, by priority, the larger first, each in company that all bear. */
const keptByHand = (random: readonly RandomCode[], subTotal: bigint): bigint[] => {
  const worth = (code: RandomCode): bigint => half(subTotal * BigInt(code.percentParts), 1_000_000n);
  const effective = random.filter((code) => worth(code) > 0n);
  const ordered = effective.sort((a, b) => a.priority - b.priority || Number(worth(b) - worth(a)));
  const kept: RandomCode[] = [];
  for (const code of ordered) {
    if (kept.length === 0 || (code.isSociable && kept.every((other) => other.isSociable))) kept.push(code);
  }
  return kept.map((code) => BigInt(code.percentParts));
};

describe('random baskets', () => {
  it('cost what the rules say, worked out by hand', () => {
    fc.assert(
      fc.property(lines, codes, shipping, currency, (random, randomCodes, cost, code) => {
        const { pricing } = price(random, discountsOf(randomCodes), cost, { mode: 'NotTaxed' }, code);
        const totals = random.map((one) => BigInt(one.price) * BigInt(one.quantity));
        const subTotal = sum(totals);
        let running = subTotal;
        for (const parts of keptByHand(randomCodes, subTotal)) running -= half(running * parts, 1_000_000n);
        expect(BigInt(pricing.totals.subTotal)).to.equal(subTotal);
        expect(BigInt(pricing.totals.productDiscount)).to.equal(subTotal - running);
        const found = new Map(pricing.changedLines.map((figures) => [figures.lineId, figures]));
        const taxes = random.map((one, index) => {
          const discount = BigInt(found.get(units(`p${index}`, 1).lineId)?.discount ?? 0);
          return half(((totals[index] ?? 0n) - discount) * BigInt(one.rateParts), 1_000_000n);
        });
        expect(BigInt(pricing.totals.tax)).to.equal(sum(taxes));
      }),
    );
  });

  it('add up, spread every discount to the last unit, and are never negative', () => {
    fc.assert(
      fc.property(lines, codes, shipping, shippingTax, currency, (random, randomCodes, cost, tax, code) => {
        const { pricing } = price(random, discountsOf(randomCodes), cost, tax, code);
        const { totals, discounts, changedLines } = pricing;
        expect(totals.total).to.equal(
          totals.subTotal - totals.productDiscount - totals.shippingDiscount + totals.tax + totals.shipping,
        );
        const ofLines = changedLines.reduce((all, figures) => all + figures.discount, 0);
        const ofRules = discounts.reduce((all, taken) => all + taken.amount, 0);
        expect(ofLines).to.equal(totals.productDiscount);
        expect(ofRules).to.equal(totals.productDiscount);
        expect(changedLines.reduce((all, figures) => all + figures.tax, 0) + totals.shippingTax).to.equal(
          totals.tax,
        );
        for (const figure of [
          totals.subTotal,
          totals.productDiscount,
          totals.tax,
          totals.shipping,
          totals.total,
        ]) {
          expect(figure).to.be.at.least(0);
        }
        for (const { lineId, unitPrice, discount, tax: lineTax } of changedLines) {
          const index = random.findIndex((_, at) => units(`p${at}`, 1).lineId === lineId);
          expect(discount).to.be.within(0, unitPrice * (random[index]?.quantity ?? 0));
          expect(lineTax).to.be.at.least(0);
        }
      }),
    );
  });

  it('have no figures that move when they are priced again', () => {
    fc.assert(
      fc.property(lines, codes, shippingTax, (random, randomCodes, tax) => {
        const discounts = discountsOf(randomCodes);
        const first = price(random, discounts, 0, tax, 'GBP').pricing;
        const figures = new Map(first.changedLines.map((line) => [line.lineId, line]));
        const priced = random.map((one, index) => {
          const fresh = units(`p${index}`, one.quantity);
          return { ...fresh, ...figures.get(fresh.lineId) };
        });
        const again = priceLines(priced, random, discounts, 0, tax, 'GBP').pricing;
        expect(again).to.deep.equal({ ...first, changedLines: [] });
      }),
    );
  });
});
