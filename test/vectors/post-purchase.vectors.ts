import type { InvoiceContent, OrderLine } from '#events/invoice.fields.ts';
import type { Minor } from '#values/money.ts';
import { addedProduct, edited, editFacts, foundProduct } from '../support/builders/edit.ts';
import { mugOrder, twoMugs } from '../support/builders/invoice.ts';
import { table } from './vector.ts';

/** By hand: how many minor units of it a penny was, at the rates below, and how many decimals it has. */
const currencies = {
  GBP: { perPenny: 1, decimals: 2 },
  EUR: { perPenny: 1.25, decimals: 2 },
  JPY: { perPenny: 1.5625, decimals: 0 },
  KWD: { perPenny: 4, decimals: 3 },
} as const;
type Currency = keyof typeof currencies;

const inCurrency =
  (currency: Currency) =>
  (pence: Minor): Minor =>
    Math.round(pence * currencies[currency].perPenny);

/** Two mugs that were sold in a currency at a rate (pounds for one of it): shipping 4.00 pounds, 20 % on everything. */
const soldIn = (currency: Currency, rate: string): InvoiceContent => {
  const content = twoMugs();
  const own = inCurrency(currency);
  const { subTotal, discount, shipping, tax, total } = content.amounts;
  const line = (sold: OrderLine): OrderLine => ({
    ...sold,
    unitPrice: own(sold.unitPrice),
    lineTotal: own(sold.lineTotal),
    discount: own(sold.discount),
    tax: own(sold.tax),
  });
  return {
    ...content,
    ...{ currency, rate },
    amounts: {
      subTotal: own(subTotal),
      discount: own(discount),
      shipping: own(shipping),
      tax: own(tax),
      total: own(total),
    },
    shippingTax: own(content.shippingTax),
    discounts: content.discounts.map((row) => ({
      ...row,
      amount: own(row.amount),
      amountInStoreCurrency: row.amount,
    })),
    orders: content.orders.map((order) => ({
      ...order,
      shippingCost: own(order.shippingCost),
      lines: order.lines.map(line),
    })),
  };
};

/** What two of something come to on top; `moreShipping` in pounds. */
const delta = (currency: Currency, rate: string, price: Minor, moreShipping: Minor): string => {
  const content = soldIn(currency, rate);
  const { decimals } = currencies[currency];
  const { orderId } = mugOrder('order');
  const cost = content.orders[0]?.shippingCost ?? 0;
  const updates =
    moreShipping > 0 ? [{ orderId, shippingCost: cost + inCurrency(currency)(moreShipping) }] : [];
  const facts = editFacts({ products: [foundProduct('tea', price)] });
  const wanted = { productsToAdd: [addedProduct('tea', 2)], orderShippingUpdates: updates };
  const after = edited(content, wanted, { facts }).content;
  return (['subTotal', 'tax', 'shipping', 'total', 'discount'] as const)
    .map((figure) => ((after.amounts[figure] - content.amounts[figure]) / 10 ** decimals).toFixed(decimals))
    .join(' ');
};

export const postPurchaseDeltas = table(
  'What do two teas come to after the purchase (goods, tax 20 %, shipping, charged, discount)?',
  'docs/rules/post-purchase.md#figures',
  delta,
  [
    ['4.00 pounds in pounds', '8.00 1.60 0.00 9.60 0.00', 'GBP', '1', 400, 0],
    ['in euros that were 0.80 pounds', '10.00 2.00 0.00 12.00 0.00', 'EUR', '0.8', 400, 0],
    ['3.99 pounds, so: 9.975 is rounded once', '9.98 2.00 0.00 11.98 0.00', 'EUR', '0.8', 399, 0],
    ['in yen that were 0.0064 pounds', '1250 250 0 1500 0', 'JPY', '0.0064', 400, 0],
    ['in dinars that were 2.50 pounds', '3.200 0.640 0.000 3.840 0.000', 'KWD', '2.5', 400, 0],
    ['in euros, 2.00 pounds more for the weight', '10.00 2.50 2.50 15.00 0.00', 'EUR', '0.8', 400, 200],
    ['for nothing', '0.00 0.00 0.00 0.00 0.00', 'EUR', '0.8', 0, 0],
  ],
);
