import fc from 'fast-check';
import { expect } from 'chai';
import { freezeInvoice, type FrozenGroup } from '#command/pricing/freeze-invoice.ts';
import { priceBasket } from '#command/pricing/price-basket.ts';
import { invoiceContent } from '#events/invoice.fields.ts';
import { startedBasket, type BasketView, type BasketViewLine } from '#events/basket-view.ts';
import {
  codeOf,
  idNamed,
  lineOf,
  london,
  offer,
  percentOff,
  pricesOf,
} from '#test/support/builders/basket.ts';

interface Piece {
  readonly price: number;
  readonly taxRate: number;
  /** Units that each of up to three warehouses sends; all 0 for what needs no shipping. */
  readonly from: readonly number[];
  readonly digital: number;
}

const piece: fc.Arbitrary<Piece> = fc.record({
  price: fc.integer({ min: 0, max: 100_000 }),
  taxRate: fc.constantFrom(0, 5, 8.875, 20),
  from: fc.array(fc.integer({ min: 0, max: 7 }), { minLength: 3, maxLength: 3 }),
  digital: fc.integer({ min: 1, max: 5 }),
});

const unitsOf = ({ from, digital }: Piece): number => from.reduce((sum, units) => sum + units, 0) || digital;

/** A priced basket of these pieces, with the groups that send them. */
const basketOf = (pieces: readonly Piece[], percent: number, shippingCost: number) => {
  const lines: BasketViewLine[] = pieces.map((one, index) => ({
    ...lineOf(`sku ${index}`),
    quantity: unitsOf(one),
    ...offer(one.price, one.taxRate),
    discount: 0,
    tax: 0,
  }));
  const groups = [0, 1, 2].flatMap((warehouse): FrozenGroup[] => {
    const sent = pieces.flatMap(({ from }, index) => {
      const quantity = from[warehouse] ?? 0;
      const line = lines[index];
      return quantity > 0 && line ? [{ lineId: line.lineId, quantity }] : [];
    });
    const groupId = idNamed(`group ${warehouse}`);
    const warehouseId = idNamed(`warehouse ${warehouse}`);
    const choice = {
      groupId,
      warehouseId,
      optionKey: `so:${idNamed('parcel')}`,
      shippingOptionId: idNamed('parcel'),
      name: 'Parcel',
      cost: shippingCost,
      quotedAt: '2030-06-01T12:00:00.000Z',
      deliveryDate: null,
    };
    return sent.length > 0 ? [{ groupId, warehouseId, lines: sent, choice }] : [];
  });
  const code = percentOff('OFF', percent);
  const offers = Object.fromEntries(
    pieces.map((one, index) => [`sku ${index}`, offer(one.price, one.taxRate)]),
  );
  const shipping = shippingCost * groups.length;
  const { pricing } = priceBasket({ lines, codes: [codeOf(code)], shipping }, pricesOf(offers, [code]));
  const figures = new Map(pricing.changedLines.map((line) => [line.lineId, line]));
  const basket: BasketView = {
    ...startedBasket('GBP', london),
    lines: lines.map((line) => ({ ...line, ...figures.get(line.lineId) })),
    itemCount: lines.reduce((count, { quantity }) => count + quantity, 0),
    totals: pricing.totals,
    discounts: pricing.discounts,
  };
  return { basket, groups };
};

const freeze = (basket: BasketView, groups: readonly FrozenGroup[]) =>
  freezeInvoice({
    placementId: idNamed('placement'),
    basketId: idNamed('basket'),
    basket,
    customerId: idNamed('ada'),
    groups,
    costs: new Map([[idNamed('sku 0'), 250]]),
    termsAcceptedAt: null,
    createdAt: '2030-06-01T12:00:00.000Z',
    businessDay: '2030-06-01',
  });

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

const anyBasket = fc.tuple(
  fc.array(piece, { minLength: 1, maxLength: 6 }),
  fc.integer({ min: 1, max: 100 }),
  fc.integer({ min: 0, max: 2000 }),
);

describe('freezing an invoice', () => {
  it('splits lines over warehouses so that the parts sum exactly, and every part keeps the unit price', () => {
    fc.assert(
      fc.property(anyBasket, ([pieces, percent, cost]) => {
        const { basket, groups } = basketOf(pieces, percent, cost);
        const { orders } = freeze(basket, groups);
        for (const line of basket.lines) {
          const parts = orders
            .flatMap((order) => order.lines)
            .filter(({ basketLineId }) => basketLineId === line.lineId);
          expect(sum(parts.map(({ quantity }) => quantity))).to.equal(line.quantity);
          expect(sum(parts.map(({ discount }) => discount))).to.equal(line.discount);
          expect(sum(parts.map(({ tax }) => tax))).to.equal(line.tax);
          expect(sum(parts.map(({ lineTotal }) => lineTotal))).to.equal(line.unitPrice * line.quantity);
          for (const part of parts) {
            expect(part.unitPrice).to.equal(line.unitPrice);
            expect(part.discount).to.be.at.least(0);
            expect(part.tax).to.be.at.least(0);
          }
        }
      }),
    );
  });

  it('adds up: lines, discounts, tax and shipping of the orders are those of the invoice', () => {
    fc.assert(
      fc.property(anyBasket, ([pieces, percent, cost]) => {
        const { basket, groups } = basketOf(pieces, percent, cost);
        const { orders, amounts, shippingTax } = freeze(basket, groups);
        const lines = orders.flatMap((order) => order.lines);
        expect(sum(lines.map(({ lineTotal }) => lineTotal))).to.equal(amounts.subTotal);
        expect(sum(lines.map(({ discount }) => discount))).to.equal(amounts.discount);
        expect(sum(lines.map(({ tax }) => tax)) + shippingTax).to.equal(amounts.tax);
        expect(sum(orders.map(({ shippingCost }) => shippingCost))).to.equal(amounts.shipping);
        expect(amounts.subTotal - amounts.discount + amounts.tax + amounts.shipping).to.equal(amounts.total);
      }),
    );
  });

  it('makes an order per group, with ids of their own that a repeat makes again', () => {
    fc.assert(
      fc.property(anyBasket, ([pieces, percent, cost]) => {
        const { basket, groups } = basketOf(pieces, percent, cost);
        const content = freeze(basket, groups);
        expect(content.orders).to.have.length(Math.max(1, groups.length));
        const ids = content.orders.flatMap(({ orderId, lines }) => [orderId, ...lines.map(({ id }) => id)]);
        expect(new Set(ids).size).to.equal(ids.length);
        expect(freeze(basket, groups)).to.deep.equal(content);
      }),
      { numRuns: 50 },
    );
  });

  it('fits the event that carries it, and knows what goods have cost', () => {
    const { basket, groups } = basketOf([{ price: 999, taxRate: 20, from: [1, 2, 0], digital: 1 }], 10, 500);
    const content = freeze(basket, groups);
    expect(
      content.orders.flatMap(({ lines }) => lines.map((line) => line.costInStoreCurrency)),
    ).to.deep.equal([250, 250]);
    expect(invoiceContent.parse(content)).to.deep.equal(content);
  });
});
