import type { InvoiceEdit } from '#command/pricing/edits/invoice-edit.ts';
import { Rejection } from '#kernel/rejection.ts';
import { toDecimal } from '#values/money.ts';
import { idNamed } from '../support/builders/basket.ts';
import { addedProduct, edited, editFacts, foundProduct } from '../support/builders/edit.ts';
import { mugOrder, twoMugs } from '../support/builders/invoice.ts';
import { table } from './vector.ts';

const line = idNamed('line order');
const facts = editFacts({
  products: [foundProduct('tea', 400)],
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
      { orderShippingUpdates: [{ orderId: mugOrder('order').orderId, shippingCost: 800 }] },
    ],
    ['without tax', '20.00 -2.00 4.00 0.00 22.00', { shouldRemoveTax: true }],
  ],
);
