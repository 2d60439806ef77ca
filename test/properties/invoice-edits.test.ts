import { expect } from 'chai';
import fc from 'fast-check';
import { applyEdit } from '#command/pricing/edits/apply-edit.ts';
import { moneyOf } from '#command/pricing/edits/edit-money.ts';
import { editedPieces } from '#command/pricing/edits/edited-pieces.ts';
import {
  noEdit,
  type EditedInvoice,
  type EditFacts,
  type InvoiceEdit,
} from '#command/pricing/edits/invoice-edit.ts';
import { inOwnSteps, inPresentment } from '#command/pricing/present-invoice.ts';
import type { Amounts, InvoiceContent, OrderLine } from '#events/invoice.fields.ts';
import { Rejection } from '#kernel/rejection.ts';
import { stepOf } from '#values/currency.ts';
import { allocate, percentOf } from '#values/money.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { editFacts, foundProduct, nowhere } from '#test/support/builders/edit.ts';
import { twoMugs } from '#test/support/builders/invoice.ts';

const sum = (amounts: readonly number[]): number => amounts.reduce((all, amount) => all + amount, 0);
const warehouseId = idNamed('east');

interface SoldLine {
  readonly price: number;
  readonly quantity: number;
  readonly taxRate: number;
  readonly isDigital: boolean;
}

/** As it is sold: `percent` off the order, `off` each unit of the first line, in the store's currency. */
const sold = (lines: readonly SoldLine[], percent: number, off: number, shipping: number): InvoiceContent => {
  const totals = lines.map(({ price, quantity }) => price * quantity);
  const linked = lines.map(({ price, quantity }, index) =>
    index === 0 ? Math.min(off, price) * quantity : 0,
  );
  const left = totals.map((total, index) => total - (linked[index] ?? 0));
  const ofOrder = percentOf(sum(left), percent);
  const shares = allocate(ofOrder, left);
  const orderLines = lines.map(({ price, quantity, taxRate, isDigital }, index): OrderLine => {
    const discount = (linked[index] ?? 0) + (shares[index] ?? 0);
    return {
      id: idNamed(`line ${index}`),
      basketLineId: idNamed(`basket line ${index}`),
      productId: idNamed(`product ${index}`),
      productRootId: idNamed(`root ${index}`),
      sku: `sku-${index}`,
      name: `Product ${index}`,
      productRootName: `Product ${index}`,
      selectedOptions: [],
      quantity,
      unitPrice: price,
      lineTotal: price * quantity,
      discount,
      tax: percentOf(price * quantity - discount, taxRate),
      taxRate,
      isTaxable: taxRate > 0,
      isDigital,
      costInStoreCurrency: 100,
      lineTotalInStoreCurrency: price * quantity,
    };
  });
  const shippingTax = percentOf(shipping, 20);
  const discount = ofOrder + sum(linked);
  const tax = sum(orderLines.map((line) => line.tax)) + shippingTax;
  const amounts = {
    subTotal: sum(totals),
    discount,
    shipping,
    tax,
    total: sum(totals) - discount + shipping + tax,
  };
  const row = (name: string, lineId: string | null, amount: number) => ({
    id: idNamed(name),
    discountId: idNamed(`rule ${name}`),
    name,
    code: null,
    category: lineId === null ? ('AmountOffOrder' as const) : ('AmountOffProducts' as const),
    lineId,
    amount,
    orderId: idNamed('order'),
  });
  const [order] = twoMugs().orders;
  if (!order) throw new Error('must be an order');
  return twoMugs({
    amounts,
    amountsInStoreCurrency: amounts,
    shippingTax,
    itemCount: sum(lines.map(({ quantity }) => quantity)),
    discounts: [
      ...(sum(linked) > 0 ? [row('each', idNamed('basket line 0'), sum(linked))] : []),
      ...(ofOrder > 0 ? [{ ...row('percent', null, ofOrder), sold: { percent } }] : []),
    ],
    orders: [{ ...order, shippingCost: shipping, shippingCostInStoreCurrency: shipping, lines: orderLines }],
  });
};

const factsFor = (price: number): EditFacts =>
  editFacts({
    products: [foundProduct('new', price)],
    items: [{ warehouseId, optionKey: null, shipping: nowhere }],
    shippingTax: { mode: 'FixedRate', rate: 20 },
  });

type Step = (content: InvoiceContent) => Partial<InvoiceEdit>;
const at = <Item>(items: readonly Item[], place: number): Item | undefined => items[place % items.length];
const lineAt = ({ orders }: InvoiceContent, place: number): string =>
  at(
    orders.flatMap(({ lines }) => lines),
    place,
  )?.id ?? '';

const hand = { name: null, reason: null, isVisibleToCustomer: true };
const place = fc.nat(20);
const units = fc.integer({ min: 1, max: 9 });
const amount = fc.integer({ min: 1, max: 5000 });
const discount = fc.oneof(
  fc.record({ type: fc.constant('Percentage' as const), value: fc.integer({ min: 1, max: 100 }) }),
  fc.record({ type: fc.constant('FixedAmount' as const), value: amount }),
  fc.record({ type: fc.constant('Free' as const), value: fc.constant(0) }),
);

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(place, units, fc.boolean()).map(([line, quantity, shouldReturnToStock]): Step => (content) => ({
    lineItems: [{ id: lineAt(content, line), quantity, shouldReturnToStock }],
  })),
  fc.tuple(place, fc.boolean()).map(([line, shouldReturnToStock]): Step => (content) => ({
    removedLineItems: [{ id: lineAt(content, line), shouldReturnToStock }],
  })),
  units.map((quantity): Step => () => ({
    productsToAdd: [
      { productId: '', quantity, warehouseId, shippingOptionId: null, selectionKey: null, addons: [] },
    ],
  })),
  fc.tuple(amount, units).map(([unit, quantity]): Step => () => ({
    customItems: [
      {
        ...{ name: 'Engraving', sku: '', amount: unit, cost: 10, quantity, taxGroupId: idNamed('standard') },
        ...{ isPhysical: true, addons: [], warehouseId: null, shippingOptionId: null },
      },
    ],
  })),
  discount.map((given): Step => () => ({ orderDiscounts: [{ ...given, ...hand }] })),
  fc.tuple(place, discount).map(([line, given]): Step => (content) => ({
    lineItems: [{ id: lineAt(content, line), shouldReturnToStock: true, discount: { ...given, ...hand } }],
  })),
  amount.map((shippingCost): Step => ({ orders }) => ({
    orderShippingUpdates: [{ orderId: orders[0]?.orderId ?? '', shippingCost }],
  })),
  place.map((row): Step => ({ discounts }) => ({
    removedOrderDiscounts: discounts.length > 0 ? [at(discounts, row)?.id ?? ''] : [],
  })),
  fc.constant((): Partial<InvoiceEdit> => ({ shouldRemoveTax: true })),
);

const soldLine = fc.record({
  price: fc.integer({ min: 1, max: 20_000 }),
  quantity: units,
  taxRate: fc.constantFrom(0, 5, 8.1, 20),
  isDigital: fc.boolean(),
});

const invoice = fc
  .tuple(
    fc.array(soldLine, { minLength: 1, maxLength: 6 }),
    fc.integer({ min: 0, max: 60 }),
    fc.integer({ min: 0, max: 500 }),
    fc.integer({ min: 0, max: 1500 }),
    fc.constantFrom('GBP 1', 'EUR 1.25', 'EUR 0.0063', 'JPY 151.37', 'KWD 1', 'KWD 0.3871'),
  )
  .map(([lines, percent, off, shipping, shown]) => {
    const content = sold(lines, percent, off, shipping);
    const [currency = '', rate = ''] = shown.split(' ');
    if (rate === '1') return inOwnSteps({ ...content, currency, storeCurrency: currency });
    return inPresentment(content, { currency, rate, source: 'manual', quotedAt: '2026-01-01T00:00:00.000Z' });
  });

/** Of next to nothing, the shown tax may not balance the rest: such an invoice keeps its total. */
const addingUp = invoice.filter(
  ({ amounts: { subTotal, discount: off, shipping, tax: taxes, total } }) =>
    total === subTotal - off + shipping + taxes,
);

const cases = fc.tuple(
  addingUp,
  fc.array(step, { minLength: 1, maxLength: 5 }),
  fc.integer({ min: 1, max: 9000 }),
);

/** Everything that happened on the way; an edit that takes the last line out is refused, and passed over. */
const edited = ([content, steps, price]: [InvoiceContent, Step[], number]): EditedInvoice[] => {
  const done: EditedInvoice[] = [];
  let now = content;
  steps.forEach((change, index) => {
    const wanted = {
      editId: idNamed(`edit ${index}`),
      version: index + 1,
      edit: { ...noEdit, ...change(now) },
      shipped: new Map<string, number>(),
      closedOrderIds: [],
    };
    try {
      const after = applyEdit(now, wanted, factsFor(price));
      done.push(after);
      now = after.content;
    } catch (error) {
      if (!(error instanceof Rejection) || error.code !== 'invalid-request') throw error;
    }
  });
  return done;
};

const offShipping = ({ discounts }: InvoiceContent): number =>
  sum(discounts.filter(({ category }) => category === 'FreeShipping').map((row) => row.amount));

const partsOf = (content: InvoiceContent): Amounts => {
  const pieces = editedPieces(content.orders);
  const subTotal = sum(pieces.map(({ total }) => total));
  const off = sum(pieces.map((piece) => piece.discount)) + offShipping(content);
  const shipping = sum(content.orders.map(({ shippingCost }) => shippingCost));
  const taxes = sum(pieces.map((piece) => piece.tax)) + content.shippingTax;
  return { subTotal, discount: off, shipping, tax: taxes, total: subTotal - off + shipping + taxes };
};

const unitsOf = ({ orders }: InvoiceContent): number =>
  sum(
    orders
      .flatMap(({ lines }) => lines.filter((line) => line.productId !== null && !line.isDigital))
      .map((line) => line.quantity),
  );

describe('Edits of an invoice', () => {
  it('leave lines, discounts, shipping and tax adding up to what it says, in both currencies', () => {
    fc.assert(
      fc.property(cases, (given) => {
        for (const { content } of edited(given)) {
          expect(content.amounts).to.deep.equal(partsOf(content));
          const { subTotal, discount: off, shipping, tax: taxes, total } = content.amountsInStoreCurrency;
          expect(total).to.equal(subTotal - off + shipping + taxes);
          const lines = content.orders.flatMap((order) => order.lines);
          expect(subTotal).to.equal(sum(lines.map((line) => line.lineTotalInStoreCurrency)));
          expect(off).to.equal(sum(content.discounts.map((row) => row.amountInStoreCurrency ?? row.amount)));
          expect(content.itemCount).to.equal(sum(lines.map(({ quantity }) => quantity)));
        }
      }),
    );
  });

  it('never take off more than there is, and never charge less than nothing', () => {
    fc.assert(
      fc.property(cases, (given) => {
        for (const { content } of edited(given)) {
          for (const { worth, discount: off, tax: own } of editedPieces(content.orders)) {
            expect(off).to.be.within(0, worth);
            expect(own).to.be.at.least(0);
          }
          expect(content.amounts.total).to.be.at.least(0);
          expect(content.amountsInStoreCurrency.total).to.be.at.least(0);
        }
      }),
    );
  });

  it('come to what a card can be charged, with all that makes it up (docs/rules/pricing.md#steps)', () => {
    fc.assert(
      fc.property(cases, (given) => {
        for (const { content } of edited(given)) {
          const step = stepOf(content.currency);
          const pieces = editedPieces(content.orders).flatMap(({ total, worth, discount: off, tax: own }) => [
            ...[total, worth, off, own],
          ]);
          const rows = content.discounts.map((row) => row.amount);
          const amounts = [...Object.values(content.amounts), content.shippingTax, ...pieces, ...rows];
          expect(amounts.filter((one) => one % step !== 0)).to.deep.equal([]);
        }
      }),
    );
  });

  it('keep to the locked rate: the store has what the invoice comes to, but for rounding', () => {
    fc.assert(
      fc.property(cases, (given) => {
        for (const { content } of edited(given)) {
          const { store } = moneyOf(content);
          const parts = content.discounts.length + editedPieces(content.orders).length + 10;
          // A unit of the invoice's currency may be many of the store's.
          const unit = Math.max(1, store(1));
          const apart = Math.abs(store(content.amounts.total) - content.amountsInStoreCurrency.total);
          expect(apart).to.be.at.most(parts * unit * given[1].length);
        }
      }),
    );
  });

  it('move the units that come and go, and tell the reports what differs', () => {
    fc.assert(
      fc.property(cases, (given) => {
        let before = given[0];
        for (const { content, stock, difference } of edited(given)) {
          const moved = sum(
            stock.map(({ reserved, released, destroyed }) => reserved - released - destroyed),
          );
          expect(unitsOf(content) - unitsOf(before)).to.equal(moved);
          const [was, is] = [before.amountsInStoreCurrency, content.amountsInStoreCurrency];
          expect(difference.amounts.total).to.equal(is.total - was.total);
          expect(difference.items).to.equal(content.itemCount - before.itemCount);
          before = content;
        }
      }),
    );
  });

  it('change nothing where nothing is wanted', () => {
    fc.assert(
      fc.property(invoice, (content) => {
        const wanted = {
          editId: idNamed('edit'),
          version: 1,
          edit: noEdit,
          shipped: new Map(),
          closedOrderIds: [],
        };
        expect(applyEdit(content, wanted, factsFor(100)).content).to.deep.equal(content);
      }),
    );
  });
});
