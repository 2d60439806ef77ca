import fc from 'fast-check';
import { expect } from 'chai';
import { displayFigures } from '#values/exchange.ts';
import { invoiceContent } from '#events/invoice.fields.ts';
import { orderTotals } from '#events/order-totals.ts';
import { anyBasket, basketOf, freeze } from '#test/support/builders/frozen-sale.ts';

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

describe('freezing an invoice', () => {
  it('splits lines over warehouses so that the parts sum exactly, and every part keeps the unit price', () => {
    fc.assert(
      fc.property(anyBasket, ([pieces, percent, cost]) => {
        const { basket, groups } = basketOf(pieces, percent, cost);
        const { orders } = freeze(basket, groups);
        const parts = orders.flatMap((order) => order.lines);
        for (const line of basket.lines) {
          const own = parts.filter(({ basketLineId }) => basketLineId === line.lineId);
          expect(sum(own.map(({ quantity }) => quantity))).to.equal(line.quantity);
        }
        for (const line of basket.lines) {
          for (const piece of [line, ...(line.addons ?? [])]) {
            const own = parts
              .flatMap((part) => [part, ...(part.addons ?? [])])
              .filter(({ basketLineId }) => basketLineId === piece.lineId);
            expect(sum(own.map(({ discount }) => discount))).to.equal(piece.discount);
            expect(sum(own.map(({ tax }) => tax))).to.equal(piece.tax);
            expect(sum(own.map(({ lineTotal }) => lineTotal))).to.equal(piece.unitPrice * line.quantity);
            for (const part of own) {
              expect(part.unitPrice).to.equal(piece.unitPrice);
              expect(part.discount).to.be.at.least(0);
              expect(part.tax).to.be.at.least(0);
            }
          }
        }
      }),
    );
  });

  it('adds up: lines, discounts, tax and shipping of the orders are those of the invoice', () => {
    fc.assert(
      fc.property(anyBasket, ([pieces, percent, cost]) => {
        const { basket, groups } = basketOf(pieces, percent, cost);
        const content = freeze(basket, groups);
        const { orders, amounts, shippingTax, discounts } = content;
        const lines = orders
          .flatMap((order) => order.lines)
          .flatMap((line) => [line, ...(line.addons ?? [])]);
        expect(sum(lines.map(({ lineTotal }) => lineTotal))).to.equal(amounts.subTotal);
        const { shippingDiscount } = basket.totals;
        expect(sum(lines.map(({ discount }) => discount))).to.equal(amounts.discount - shippingDiscount);
        expect(sum(discounts.map(({ amount }) => amount))).to.equal(amounts.discount);
        expect(sum(lines.map(({ tax }) => tax)) + shippingTax).to.equal(amounts.tax);
        expect(sum(orders.map(({ shippingCost }) => shippingCost))).to.equal(amounts.shipping);
        expect(amounts.subTotal - amounts.discount + amounts.tax + amounts.shipping).to.equal(amounts.total);
        expect(sum([...orderTotals(content).values()])).to.equal(amounts.total);
      }),
    );
  });

  it('adds up in the currency that was shown, whose figures it has, and keeps those of the store as they were', () => {
    const quotes = fc.constantFrom(
      { currency: 'JPY', rate: '190.15' },
      { currency: 'EUR', rate: '1.1734' },
      { currency: 'KWD', rate: '0.387' },
      { currency: 'JPY', rate: '0.013' },
    );
    fc.assert(
      fc.property(anyBasket, quotes, ([pieces, percent, cost], display) => {
        const { basket, groups } = basketOf(pieces, percent, cost);
        const own = freeze(basket, groups);
        const presentment = { ...display, source: 'manual', quotedAt: '2030-06-01T00:00:00.000Z' };
        const content = freeze(basket, groups, presentment);
        const { orders, amounts, shippingTax, discounts } = content;
        const lines = orders
          .flatMap((order) => order.lines)
          .flatMap((line) => [line, ...(line.addons ?? [])]);
        expect(content).to.deep.include({ currency: display.currency, storeCurrency: 'GBP' });
        expect(content.amountsInStoreCurrency).to.deep.equal(own.amounts);
        expect(amounts.subTotal - amounts.discount + amounts.shipping + amounts.tax).to.equal(amounts.total);
        expect(amounts, 'as the basket was shown').to.deep.equal(displayFigures(own.amounts, 'GBP', display));
        expect(sum(lines.map(({ lineTotal }) => lineTotal))).to.equal(amounts.subTotal);
        const offShipping = discounts.filter(({ category }) => category === 'FreeShipping');
        for (const { amount } of discounts) expect(amount).to.be.at.least(0);
        expect(
          sum(lines.map(({ discount }) => discount)) + sum(offShipping.map(({ amount }) => amount)),
        ).to.equal(amounts.discount);
        expect(sum(discounts.map(({ amount }) => amount))).to.equal(amounts.discount);
        expect(sum(lines.map(({ tax }) => tax)) + shippingTax).to.equal(amounts.tax);
        expect(sum(orders.map(({ shippingCost }) => shippingCost))).to.equal(
          orders.some(({ warehouseId }) => warehouseId !== null) ? amounts.shipping : 0,
        );
        for (const { lineTotal, lineTotalInStoreCurrency, discount, tax, taxRate } of lines) {
          expect(Math.min(discount, tax)).to.be.at.least(0);
          if (taxRate === 0) expect(tax, 'tax at a rate of 0').to.equal(0);
          if (lineTotalInStoreCurrency >= 0) expect(lineTotal).to.be.at.least(0);
        }
        for (const line of orders.flatMap((order) => order.lines)) {
          const worth = sum([line, ...(line.addons ?? [])].map(({ lineTotal }) => lineTotal));
          expect(worth, 'a line with what its add-ons take off').to.be.at.least(0);
        }
        expect(sum(lines.map((line) => line.lineTotalInStoreCurrency))).to.equal(own.amounts.subTotal);
        expect(sum([...orderTotals(content).values()])).to.equal(amounts.total);
        expect(invoiceContent.parse(content)).to.deep.equal(content);
      }),
    );
  });

  it("has every amount of a store's own three decimals in steps of ten, and still adds up", () => {
    fc.assert(
      fc.property(anyBasket, ([pieces, percent, cost]) => {
        const { basket, groups } = basketOf(pieces, percent, cost);
        const content = freeze({ ...basket, currency: 'KWD' }, groups);
        const { orders, amounts, shippingTax, discounts } = content;
        const lines = orders
          .flatMap((order) => order.lines)
          .flatMap((line) => [line, ...(line.addons ?? [])]);
        const { subTotal, discount, shipping, tax, total } = amounts;
        expect(subTotal - discount + shipping + tax).to.equal(total);
        expect(Math.abs(total - basket.totals.total)).to.be.at.most(15);
        for (const part of Object.values(amounts)) expect(part % 10).to.equal(0);
        expect(content.amountsInStoreCurrency).to.deep.equal(amounts);
        expect(sum(lines.map(({ lineTotalInStoreCurrency }) => lineTotalInStoreCurrency))).to.equal(subTotal);
        expect(sum(lines.map((line) => line.tax)) + shippingTax).to.equal(tax);
        expect(sum(discounts.map(({ amount }) => amount))).to.equal(discount);
        expect(sum([...orderTotals(content).values()])).to.equal(total);
        expect(invoiceContent.parse(content)).to.deep.equal(content);
      }),
    );
  });

  it('keeps a discount of a line with the orders that hold the line, in proportion, and any other with the first', () => {
    fc.assert(
      fc.property(anyBasket, ([pieces, percent, cost]) => {
        const { basket, groups } = basketOf(pieces, percent, cost);
        const { orders, discounts } = freeze(basket, groups);
        const [first] = orders;
        const held = ({ orderId, lineId }: (typeof discounts)[number]): number | undefined =>
          orders
            .find((order) => order.orderId === orderId)
            ?.lines.find(({ basketLineId, addons = [] }) =>
              [{ basketLineId }, ...addons].some((one) => one.basketLineId === lineId),
            )?.quantity;
        for (const { discountId, lineId, amount } of basket.discounts) {
          const parts = discounts.filter((one) => one.discountId === discountId && one.lineId === lineId);
          expect(sum(parts.map((part) => part.amount))).to.equal(amount);
          if (lineId === null) expect(parts.map(({ orderId }) => orderId)).to.deep.equal([first?.orderId]);
          const line = basket.lines.find(({ lineId: id, addons = [] }) =>
            [{ lineId: id }, ...addons].some((one) => one.lineId === lineId),
          );
          for (const part of lineId === null ? [] : parts) {
            const share = (amount * (held(part) ?? NaN)) / (line?.quantity ?? NaN);
            expect(Math.abs(part.amount - share)).to.be.below(1);
          }
        }
        expect(new Set(discounts.map(({ id }) => id)).size).to.equal(discounts.length);
      }),
    );
  });

  it('makes an order per group, with ids of their own that a repeat makes again', () => {
    fc.assert(
      fc.property(anyBasket, ([pieces, percent, cost]) => {
        const { basket, groups } = basketOf(pieces, percent, cost);
        const content = freeze(basket, groups);
        expect(content.orders).to.have.length(Math.max(1, groups.length));
        const ids = content.orders.flatMap(({ orderId, lines }) => [
          orderId,
          ...lines.flatMap(({ id, addons = [] }) => [id, ...addons.map((addon) => addon.id)]),
        ]);
        expect(new Set(ids).size).to.equal(ids.length);
        expect(freeze(basket, groups)).to.deep.equal(content);
      }),
      { numRuns: 50 },
    );
  });

  it('fits the event that carries it, and knows what goods have cost', () => {
    const { basket, groups } = basketOf(
      [{ price: 999, taxRate: 20, addons: [100], from: [1, 2, 0], digital: 1 }],
      10,
      500,
    );
    const content = freeze(basket, groups);
    expect(
      content.orders.flatMap(({ lines }) =>
        lines.map(({ costInStoreCurrency, addons }) => [
          costInStoreCurrency,
          addons?.[0]?.costInStoreCurrency,
        ]),
      ),
    ).to.deep.equal([
      [250, 40],
      [250, 40],
    ]);
    expect(invoiceContent.parse(content)).to.deep.equal(content);
  });
});
