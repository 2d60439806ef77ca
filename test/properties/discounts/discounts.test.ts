import { expect } from 'chai';
import fc from 'fast-check';
import { priceBasket, type PricedBasket } from '#command/pricing/price-basket.ts';
import type { LineFigures } from '#events/pricing.fields.ts';
import { ruleNamed } from '#test/support/builders/discount.ts';
import { piecesIn } from './naive-basket.ts';
import { goTogether, naively } from './naive-engine.ts';
import { buyXGetYAmounts } from './naive-offers.ts';
import {
  basketOf,
  linesOf,
  naiveBasket,
  pricesFor,
  randomBasket,
  type RandomBasket,
} from './random-baskets.ts';
import { offer } from './random-rules.ts';

// `npm run test:discounts` tries 20,000 baskets of each kind. The seed repeats a run: DISCOUNT_SEED=… .
const numRuns = Number(process.env['DISCOUNT_RUNS'] ?? 150);
const seed = Number(process.env['DISCOUNT_SEED'] ?? Date.now() % 2 ** 31);

const always = (check: (random: RandomBasket) => void): void =>
  fc.assert(fc.property(randomBasket, check), { numRuns, seed });

const price = (random: RandomBasket): PricedBasket => priceBasket(basketOf(random), pricesFor(random));

/** What is taken off each line and add-on that loses anything. */
const perLine = ({ pricing }: PricedBasket): Map<string, number> =>
  new Map(pricing.changedLines.flatMap(({ lineId, discount }) => (discount > 0 ? [[lineId, discount]] : [])));

const sum = (amounts: Iterable<number>): number => [...amounts].reduce((all, amount) => all + amount, 0);

describe(`discounts of random baskets (seed ${seed}, ${numRuns} of each)`, function () {
  if (numRuns > 1000) this.timeout(0);
  before(() => console.log(`      discounts: seed ${seed}, ${numRuns} baskets of each kind`));

  it('are what an engine says that counts unit by unit', () => {
    always((random) => {
      const priced = price(random);
      const expected = naively(naiveBasket(random));
      const taken = new Map(
        priced.pricing.discounts.map(({ discountId, lineId, amount, isReferral }) => [
          lineId === null ? discountId : `${isReferral ? 'referral' : discountId} ${lineId}`,
          amount,
        ]),
      );
      expect(taken).to.deep.equal(expected.taken);
      expect(perLine(priced)).to.deep.equal(new Map([...expected.perLine].filter(([, off]) => off > 0)));
      const { totals } = priced.pricing;
      expect(totals.shippingDiscount).to.equal(expected.shippingDiscount);
      expect(totals.tax - totals.shippingTax).to.equal(expected.tax);
      const dropped = priced.dropped.flatMap((one): [string, string][] =>
        one.kind === 'code' ? [[one.discountId, one.problem.errorCode]] : [],
      );
      expect(new Map(dropped)).to.deep.equal(expected.gone);
      const lapsed = priced.dropped.flatMap((one) => (one.kind === 'referral' ? [one.lineId] : []));
      expect(new Set(lapsed)).to.deep.equal(expected.lapsed);
    });
  });

  it('add up, spread to the last unit, and make nothing negative', () => {
    always((random) => {
      const priced = price(random);
      const { totals, discounts } = priced.pricing;
      expect(totals.total).to.equal(
        totals.subTotal - totals.productDiscount + totals.tax + totals.shipping - totals.shippingDiscount,
      );
      expect(sum(perLine(priced).values())).to.equal(totals.productDiscount);
      const offShipping = discounts.filter(({ category }) => category === 'FreeShipping');
      expect(sum(offShipping.map(({ amount }) => amount))).to.equal(totals.shippingDiscount);
      expect(sum(discounts.map(({ amount }) => amount))).to.equal(
        totals.productDiscount + totals.shippingDiscount,
      );
      for (const { amount } of discounts) expect(amount).to.be.above(0);
      const { effectiveShippingTaxRate: _, ...figures } = totals;
      for (const figure of Object.values(figures)) expect(figure).to.be.at.least(0);
      expect(totals.productDiscount).to.be.at.most(totals.subTotal);
      expect(totals.shippingDiscount).to.be.at.most(totals.shipping);
    });
  });

  it('are of rules that go together', () => {
    always((random) => {
      const { pricing, dropped } = price(random);
      const isGone = new Set(dropped.flatMap((one) => (one.kind === 'code' ? [one.discountId] : [])));
      const isThere = new Set(pricing.discounts.map(({ discountId }) => discountId));
      const there = random.rules.filter(
        ({ id, rule }) => isThere.has(id) || (rule.method === 'Code' && !isGone.has(id)),
      );
      for (const one of there)
        for (const other of there) if (one !== other) expect(goTogether(one.rule, other.rule)).to.equal(true);
    });
  });

  it('do not depend on the order of lines and codes', () => {
    always((random) => {
      const basket = basketOf(random);
      const turned = { ...basket, lines: [...basket.lines].reverse(), codes: [...basket.codes].reverse() };
      const one = price(random);
      const other = priceBasket(turned, pricesFor({ ...random, rules: [...random.rules].reverse() }));
      expect(other.pricing.totals).to.deep.equal(one.pricing.totals);
      expect(perLine(other)).to.deep.equal(perLine(one));
    });
  });

  it('do not change when the basket is priced again', () => {
    always((random) => {
      const first = price(random);
      const figures = new Map(first.pricing.changedLines.map((line) => [line.lineId, line]));
      const withFigures = <Line extends LineFigures>(line: Line): Line => ({
        ...line,
        ...figures.get(line.lineId),
      });
      const lines = linesOf(random).map((line) => ({
        ...withFigures(line),
        ...(line.addons ? { addons: line.addons.map(withFigures) } : {}),
      }));
      const isGone = new Set(first.dropped.flatMap((one) => (one.kind === 'code' ? [one.discountId] : [])));
      const isLapsed = new Set(first.dropped.flatMap((one) => (one.kind === 'referral' ? [one.lineId] : [])));
      const basket = basketOf(random);
      const again = priceBasket(
        {
          ...basket,
          lines,
          codes: basket.codes.filter(({ discountId }) => !isGone.has(discountId)),
          discounts: first.pricing.discounts,
          referrals: (basket.referrals ?? []).filter(({ lineId }) => !isLapsed.has(lineId)),
        },
        pricesFor(random),
      );
      expect(again).to.deep.equal({ pricing: { ...first.pricing, changedLines: [] }, dropped: [] });
    });
  });

  it('of an offer are the most that any number of rounds takes off', () => {
    fc.assert(
      fc.property(randomBasket, offer, (basket, changes) => {
        const rule = ruleNamed('OFFER', { ...changes, method: 'Automatic' });
        const lines = basket.lines.map((one) => ({ ...one, referral: null }));
        const random = { ...basket, lines, rules: [rule] };
        const { totals } = price(random).pricing;
        const most = buyXGetYAmounts(rule.rule, piecesIn(naiveBasket(random)));
        expect(totals.productDiscount).to.equal(Number(most.reduce((all, amount) => all + amount, 0n)));
      }),
      { numRuns: numRuns * 2, seed },
    );
  });
});
