import { expect } from 'chai';
import fc from 'fast-check';
import { totalsOfLine } from '#command/contexts/agent-protocol/sessions/session-figures.ts';
import { unitsWanted } from '#command/contexts/agent-protocol/sessions/session-lines.ts';
import { figuresShown } from '#command/contexts/agent-protocol/shown/figures-shown.ts';
import type { ProtocolTotal } from '#agents/protocol-parts.ts';
import { figuresOf, type BasketView } from '#events/basket-view.ts';
import { displayFigures } from '#values/exchange.ts';
import { agentLine } from '#test/support/builders/agent-session.ts';
import { add, basketIn, idNamed, offer, percentOff, viewOf } from '#test/support/builders/basket.ts';
import { given } from '#test/support/given.ts';

const products = ['mug', 'jar', 'tea'] as const;
const floor = fc.record({
  prices: fc.tuple(...products.map(() => fc.nat({ max: 100_000 }))),
  onOrder: fc.integer({ min: 1, max: 100 }),
  lines: fc.array(fc.tuple(fc.constantFrom(...products), fc.integer({ min: 1, max: 30 })), {
    minLength: 1,
    maxLength: 8,
  }),
  /** Of each product, taken off its line by a rule about products. */
  off: fc.tuple(...products.map(() => fc.nat({ max: 100 }))),
  /** What sending costs, in percent what is taken off that, and the tax on everything. */
  sending: fc.option(
    fc.record({
      cost: fc.nat({ max: 2000 }),
      off: fc.oneof(fc.constantFrom(0, 100), fc.nat({ max: 100 })),
      tax: fc.nat({ max: 3000 }),
    }),
  ),
  display: fc.constantFrom(
    { currency: 'GBP', rate: '1' },
    { currency: 'JPY', rate: '191.2' },
    { currency: 'KWD', rate: '0.3941' },
    { currency: 'USD', rate: '0.0071' },
  ),
});

const sumOf = (totals: readonly ProtocolTotal[], ...types: readonly ProtocolTotal['type'][]): number =>
  totals.reduce((sum, { type, amount }) => (types.includes(type) ? sum + amount : sum), 0);
const parts = ['subtotal', 'items_discount', 'discount', 'fulfillment', 'tax', 'fee'] as const;

/** The basket with what a rule about products takes off each line, as pricing would record it. */
const withProductDiscounts = (basket: BasketView, off: readonly number[]): BasketView => {
  const taken = basket.lines.map(({ lineId, unitPrice, quantity, discount }, index) => ({
    ...{ id: idNamed(`taken ${lineId}`), discountId: idNamed('on products'), name: 'Half of it', code: null },
    ...{ category: 'AmountOffProducts' as const, lineId },
    amount: Math.floor(((unitPrice * quantity - discount) * (off[index] ?? 0)) / 100),
  }));
  const amount = taken.reduce((sum, one) => sum + one.amount, 0);
  const { totals } = basket;
  const after = { ...totals, productDiscount: totals.productDiscount + amount, total: totals.total - amount };
  return { ...basket, totals: after, discounts: [...taken, ...basket.discounts] };
};

/** The same, sent for a price, as pricing would record it. */
const sent = (basket: BasketView, sending: { cost: number; off: number; tax: number } | null): BasketView => {
  if (sending === null) return basket;
  const { cost, off, tax } = sending;
  const amount = Math.floor((cost * off) / 100);
  const { totals } = basket;
  const taken = {
    ...{ id: idNamed('taken'), discountId: idNamed('on shipping'), name: 'Sent free', code: null },
    ...{ category: 'FreeShipping' as const, lineId: null, amount },
  };
  return {
    ...basket,
    totals: {
      ...totals,
      ...{ shipping: cost, shippingDiscount: amount, tax: totals.tax + tax },
      total: totals.total + cost - amount + tax,
    },
    discounts: amount === 0 ? basket.discounts : [...basket.discounts, taken],
    choices: [
      {
        ...{ groupId: idNamed('group'), warehouseId: idNamed('east') },
        ...{ optionKey: 'so:post', shippingOptionId: null, name: 'Post', cost },
        ...{ quotedAt: '2030-06-01T12:00:00.000Z', deliveryDate: null },
      },
    ],
  };
};

// docs/rules/agent-sessions.md#totals
describe('The figures of an agent’s lines', () => {
  it('are those of the basket, to the minor unit of any currency, however its lines are split', () => {
    fc.assert(
      fc.property(floor, ({ prices, onOrder, lines, off, sending, display }) => {
        const offers = Object.fromEntries(products.map((sku, index) => [sku, offer(prices[index] ?? 0)]));
        const code = percentOff('ORDER', onOrder, { method: 'Automatic', code: null });
        const agentLines = lines.map(([sku, quantity], index) => agentLine(sku, quantity, `${sku} ${index}`));
        const units = unitsWanted(agentLines);
        const wanted = products.flatMap((sku) => {
          const quantity = units.get(idNamed(sku));
          return quantity === undefined ? [] : [add(sku, quantity)];
        });
        const priced = viewOf(given(basketIn({ offers, discounts: [code] })).after(...wanted));
        const basket = sent(withProductDiscounts(priced, off), sending);

        const presentation = { storeCurrency: 'GBP', display, displayPricesIncTax: false };
        const shown = figuresShown(agentLines, basket, presentation);
        const { totals, applied } = shown;
        const ofLines = shown.lines.map(totalsOfLine);
        expect(shown.lines.map(({ line }) => line)).to.deep.equal(agentLines);
        for (const line of ofLines) {
          expect(sumOf(line, 'total')).to.equal(sumOf(line, ...parts));
          expect(sumOf(line, 'total')).to.be.at.least(0);
        }
        expect(sumOf(ofLines.flat(), 'subtotal')).to.equal(sumOf(totals, 'subtotal'));
        expect(sumOf(ofLines.flat(), 'items_discount')).to.equal(sumOf(totals, 'items_discount'));
        expect(sumOf(totals, ...parts)).to.equal(sumOf(totals, 'total'));
        expect(sumOf(totals, 'total')).to.equal(displayFigures(figuresOf(basket), 'GBP', display).total);

        for (const { type, amount } of totals) {
          if (type === 'items_discount' || type === 'discount') expect(amount).to.be.below(0);
          else expect(amount).to.be.at.least(0);
        }
        expect(sumOf(totals, 'subtotal', 'items_discount', 'discount')).to.be.at.least(0);
        for (const { amount } of applied) expect(amount).to.be.at.least(0);

        const takenOff = applied.reduce((sum, one) => sum + one.amount, 0);
        expect(takenOff).to.equal(-sumOf(totals, 'items_discount', 'discount'));
        for (const { allocations, amount } of applied)
          if (allocations.length > 0)
            expect(allocations.reduce((sum, one) => sum + one.amount, 0)).to.equal(amount);
      }),
      { numRuns: 100 },
    );
  });
});
