import { allocate, type Minor } from '#values/money.ts';
import type { InvoiceContent, OrderContent } from './invoice.fields.ts';

const ownTotal = ({ lines, shippingCost }: OrderContent): Minor =>
  lines
    .flatMap((line) => [line, ...(line.addons ?? [])])
    .reduce((sum, { lineTotal, discount, tax }) => sum + lineTotal - discount + tax, shippingCost);

/**
 * What each order of an invoice comes to, by order id, in the invoice's currency: its lines after discount and tax and
 * its shipping. What the invoice has as a whole (tax and discount on shipping) is shared out by the cost of shipping,
 * or by what the orders come to, so that the totals sum to the invoice's.
 */
export const orderTotals = ({ orders, amounts }: InvoiceContent): ReadonlyMap<string, Minor> => {
  const own = orders.map(ownTotal);
  const shared = amounts.total - own.reduce((sum, total) => sum + total, 0);
  const shipping = orders.map(({ shippingCost }) => shippingCost);
  const weights = shipping.some((cost) => cost > 0) ? shipping : own.map((total) => Math.max(total, 0));
  const shares = allocate(shared, weights);
  return new Map(orders.map(({ orderId }, index) => [orderId, (own[index] ?? 0) + (shares[index] ?? 0)]));
};
