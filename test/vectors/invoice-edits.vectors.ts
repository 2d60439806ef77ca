import type { InvoiceEdit } from '#command/pricing/edits/invoice-edit.ts';
import { Rejection } from '#kernel/rejection.ts';
import { inPresentment } from '#command/pricing/present-invoice.ts';
import { toDecimal } from '#values/money.ts';
import { idNamed } from '../support/builders/basket.ts';
import { addedProduct, edited, editFacts, foundProduct, nowhere } from '../support/builders/edit.ts';
import { mugOrder, twoMugs } from '../support/builders/invoice.ts';
import { table } from './vector.ts';

const line = idNamed('line order');
const facts = editFacts({
  products: [foundProduct('tea', 400)],
  items: [{ warehouseId: idNamed('east'), optionKey: null, shipping: nowhere }],
  available: () => 10,
});

/** Two mugs at 10.00 with 10 % off the order, shipping 4.00, 20 % tax on everything. */
const mugs = (() => {
  const content = twoMugs();
  return { ...content, discounts: content.discounts.map((row) => ({ ...row, sold: { percent: 10 } })) };
})();

const previewed = (edit: Partial<InvoiceEdit>): string => {
  try {
    const { amounts } = edited(mugs, edit, { facts }).content;
    const { subTotal, discount, shipping: sent, tax, total } = amounts;
    return [subTotal, -discount, sent, tax, total]
      .map((amount) => toDecimal(amount, 'GBP').toFixed(2))
      .join(' ');
  } catch (error) {
    return error instanceof Rejection ? error.code : String(error);
  }
};

const hand = { name: null, reason: null, isVisibleToCustomer: true };
const { orderId } = mugOrder('order');
const mugLine = { id: line, shouldReturnToStock: true };
const engraving = {
  ...{ name: 'Engraving', sku: '', amount: 333, cost: 0, taxGroupId: idNamed('standard'), isPhysical: true },
  ...{ addons: [], warehouseId: null, shippingOptionId: null },
};

export const editPreviews = table(
  'What do two mugs at 10.00 (10 % off, shipping 4.00, tax 20 %) come to after an edit?',
  'docs/rules/invoice-editing.md#lines',
  previewed,
  [
    ['nothing', '20.00 -2.00 4.00 4.40 26.40', {}],
    [
      'one mug fewer',
      '10.00 -1.00 4.00 2.60 15.60',
      { lineItems: [{ id: line, quantity: 1, shouldReturnToStock: true }] },
    ],
    [
      'two mugs more',
      '40.00 -4.00 4.00 8.00 48.00',
      { lineItems: [{ id: line, quantity: 4, shouldReturnToStock: true }] },
    ],
    [
      'two teas at 4.00: no discount',
      '28.00 -2.00 4.00 6.00 36.00',
      { productsToAdd: [addedProduct('tea', 2)] },
    ],
    ['more teas than there are', 'out-of-stock', { productsToAdd: [addedProduct('tea', 11)] }],
    ['no line left', 'invalid-request', { removedLineItems: [{ id: line, shouldReturnToStock: true }] }],
    ['the discount taken away', '20.00 0.00 4.00 4.80 28.80', { removedOrderDiscounts: [idNamed('TEN')] }],
    [
      '5.00 off by hand',
      '20.00 -7.00 4.00 3.40 20.40',
      { orderDiscounts: [{ ...hand, type: 'FixedAmount', value: 500 }] },
    ],
    [
      '50.00 off by hand: what is left',
      '20.00 -20.00 4.00 0.80 4.80',
      { orderDiscounts: [{ ...hand, type: 'FixedAmount', value: 5000 }] },
    ],
    [
      'shipping 8.00',
      '20.00 -2.00 8.00 5.20 31.20',
      { orderShippingUpdates: [{ orderId, shippingCost: 800 }] },
    ],
    ['shipping 0', '20.00 -2.00 0.00 3.60 21.60', { orderShippingUpdates: [{ orderId, shippingCost: 0 }] }],
    ['without tax', '20.00 -2.00 4.00 0.00 22.00', { shouldRemoveTax: true }],
    [
      '10 % off the line by hand: the sold 10 % are of what is left',
      '20.00 -3.80 4.00 4.04 24.24',
      { lineItems: [{ ...mugLine, discount: { ...hand, type: 'Percentage', value: 10 } }] },
    ],
    [
      'the line for nothing',
      '20.00 -20.00 4.00 0.80 4.80',
      { lineItems: [{ ...mugLine, discount: { ...hand, type: 'Free', value: 0 } }] },
    ],
    [
      'two engravings at 3.33, written by hand',
      '26.66 -2.00 4.00 5.73 34.39',
      { customItems: [{ ...engraving, quantity: 2 }] },
    ],
  ],
);

/** The same mugs, sold in euro at 1.25 pounds each. */
const inEuro = inPresentment(mugs, {
  currency: 'EUR',
  rate: '0.8',
  source: 'manual',
  quotedAt: '2026-01-01T00:00:00.000Z',
});

const inBoth = (edit: Partial<InvoiceEdit>): string => {
  const { content } = edited(inEuro, edit, { facts });
  const { amounts, amountsInStoreCurrency: inStore } = content;
  return `${toDecimal(amounts.total, 'EUR').toFixed(2)} / ${toDecimal(inStore.total, 'GBP').toFixed(2)}`;
};

export const editsAbroad = table(
  'What do the same mugs, sold in euro at 1.25 pounds, come to after an edit, in euro / in pounds?',
  'docs/rules/invoice-editing.md#two-currencies',
  inBoth,
  [
    ['nothing', '21.12 / 26.40', {}],
    ['one mug fewer', '12.48 / 15.60', { lineItems: [{ ...mugLine, quantity: 1 }] }],
    ['two teas at 4.00 pounds', '28.80 / 36.00', { productsToAdd: [addedProduct('tea', 2)] }],
    [
      '2.00 euro off by hand',
      '18.72 / 23.40',
      { orderDiscounts: [{ ...hand, type: 'FixedAmount', value: 200 }] },
    ],
    ['shipping 4.00 euro', '22.08 / 27.60', { orderShippingUpdates: [{ orderId, shippingCost: 400 }] }],
    ['without tax', '17.60 / 22.00', { shouldRemoveTax: true }],
  ],
);
