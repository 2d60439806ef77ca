import { expect } from 'chai';
import fc from 'fast-check';
import { priceAnyway, priceBasket } from '#command/pricing/price-basket.ts';
import type { ShippingTaxRule } from '#command/pricing/shipping-tax.ts';
import { Rejection } from '#kernel/rejection.ts';
import { MAX_AMOUNT } from '#values/money.ts';
import {
  add,
  basketIn,
  codeOf,
  offer,
  percentOff,
  pricesOf,
  setQuantity,
  takeOut,
  units,
} from '#test/support/builders/basket.ts';
import { given } from '#test/support/given.ts';

// Prices and quantities as large as a number can be, such as older data or settings may have them.

const anyAmount = fc.oneof(
  fc.integer({ min: 0, max: 1000 }),
  fc.integer({ min: 0, max: MAX_AMOUNT }),
  fc.maxSafeNat(),
);
const anyQuantity = fc.oneof(
  fc.integer({ min: 1, max: 99 }),
  fc.maxSafeNat().map((units) => units + 1),
);
const anyRate = fc.integer({ min: 0, max: 1_000_000 }).map((parts) => parts / 10_000);
const shippingTax: fc.Arbitrary<ShippingTaxRule> = fc.oneof(
  fc.constant({ mode: 'Proportional' as const }),
  anyRate.map((rate) => ({ mode: 'FixedRate' as const, rate })),
);
const line = fc.record({ price: anyAmount, quantity: anyQuantity, rate: anyRate });

/** Every figure that would be recorded. */
const figuresOf = (value: unknown): number[] => {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(figuresOf) : [];
};

const isRefusedFor = (codes: readonly string[], error: unknown): boolean => {
  if (!(error instanceof Rejection)) throw error;
  expect(codes).to.include(error.code);
  expect(error.message).to.match(/^(quantity|shipping): .*(£9,999,999,999\.99|of one product)/);
  return true;
};

describe('the largest amount, whatever is asked for', () => {
  it('is told, or every figure is exact', () => {
    let refused = 0;
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 1, maxLength: 5 }),
        anyAmount,
        shippingTax,
        fc.option(anyRate.filter((rate) => rate > 0)),
        (lines, shipping, tax, off) => {
          const discounts = off === null ? [] : [percentOff('OFF', off)];
          const offers = lines.map(({ price, rate }, index) => [`p${index}`, offer(price, rate)] as const);
          const prices = pricesOf(Object.fromEntries(offers), discounts, { shippingTax: tax });
          const basket = {
            lines: lines.map(({ quantity }, index) => units(`p${index}`, quantity)),
            codes: discounts.map(codeOf),
            shipping,
          };
          const goods = lines.reduce((sum, one) => sum + BigInt(one.price) * BigInt(one.quantity), 0n);
          const isTooMuch = goods + BigInt(shipping) > BigInt(MAX_AMOUNT);
          try {
            const { totals, changedLines } = priceBasket(basket, prices).pricing;
            expect(isTooMuch).to.equal(false);
            expect(BigInt(totals.subTotal)).to.equal(goods);
            expect(BigInt(totals.total)).to.equal(
              goods - BigInt(totals.productDiscount) + BigInt(totals.tax) + BigInt(shipping),
            );
            for (const { unitPrice, discount, tax: lineTax } of changedLines) {
              expect([unitPrice, discount, lineTax].every(Number.isSafeInteger)).to.equal(true);
            }
            const { taxEstimation: _, ...figures } = totals;
            expect(Object.values(figures).every((figure) => (figure ?? 0) <= 2 * MAX_AMOUNT)).to.equal(true);
          } catch (error) {
            expect(isRefusedFor(['amount-too-large'], error)).to.equal(isTooMuch);
            refused++;
          }
        },
      ),
      { numRuns: 500 },
    );
    expect(refused).to.be.above(50);
  });

  it('never spoils a basket: what is added is refused or exact, and anything can be taken out again', () => {
    const sku = fc.constantFrom('a', 'b', 'c');
    const step = fc.record({
      sku,
      act: fc.constantFrom('add', 'set', 'remove'),
      quantity: anyQuantity,
      price: anyAmount,
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const offers = { a: offer(1, 20), b: offer(1), c: offer(1, 100) };
        const floor = { offers, maxLineQuantity: Number.MAX_SAFE_INTEGER };
        let basket = given(basketIn(floor));
        for (const { sku: of, act, quantity, price } of steps) {
          Object.assign(offers, { [of]: offer(price, 20) });
          const before = basket.state().basket?.lines.find((one) => one.sku === of)?.quantity ?? 0;
          try {
            const command = { add: add(of, quantity), set: setQuantity(of, quantity), remove: takeOut(of) };
            const events = basket.when(command[act as keyof typeof command]).events();
            basket = basket.happened(...events);
            for (const figure of events.flatMap(({ data }) => figuresOf(data)))
              if (Number.isInteger(figure)) expect(Number.isSafeInteger(figure)).to.equal(true);
          } catch (error) {
            if (error instanceof Rejection && ['basket-not-found', 'line-not-found'].includes(error.code))
              continue;
            isRefusedFor(['amount-too-large', 'quantity-too-large'], error);
            expect(act === 'remove' || (act === 'set' && quantity < before)).to.equal(false);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('does not keep what must happen from happening: it is priced as the last time', () => {
    const prices = pricesOf({ mug: offer(MAX_AMOUNT, 20) });
    const priced = { ...units('mug', 3), unitPrice: 100, isTaxable: true, taxRate: 20, tax: 60 };
    const { pricing, isAsBefore } = priceAnyway({ lines: [priced], codes: [], shipping: 500 }, prices);
    expect(isAsBefore).to.equal(true);
    expect(pricing.totals).to.include({ subTotal: 300, tax: 60, shipping: 0, total: 360 });
    expect(pricing.changedLines).to.deep.equal([]);
  });
});
