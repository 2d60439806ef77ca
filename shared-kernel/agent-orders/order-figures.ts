import type { ProtocolTotal } from '#agents/protocol-parts.ts';
import type { FrozenDiscount, InvoiceContent, OrderContent, OrderLine } from '#events/invoice.fields.ts';
import type { Minor } from '#values/money.ts';

const sum = (amounts: readonly Minor[]): Minor => amounts.reduce((total, amount) => total + amount, 0);

const isOfShipping = ({ category }: FrozenDiscount): boolean => category === 'FreeShipping';
const isOfLine = (discount: FrozenDiscount): boolean => discount.lineId !== null && !isOfShipping(discount);

/** Its add-ons travel with a line: what they cost, and what is taken off them, is the line's. */
const keysOf = ({ id, basketLineId, addons = [] }: OrderLine): ReadonlySet<string> =>
  new Set([basketLineId ?? id, ...addons.map((addon) => addon.basketLineId)]);

/**
 * What a line of the invoice comes to; `discount`: what is taken off this line alone, positive. What rounding in a
 * foreign currency would take off it beyond its price is taken off the order.
 */
export interface LineAmounts {
  readonly unitPrice: Minor;
  readonly subtotal: Minor;
  readonly discount: Minor;
}

export const amountsOfLine = (
  { discounts }: Pick<InvoiceContent, 'discounts'>,
  { orderId }: Pick<OrderContent, 'orderId'>,
  line: OrderLine,
): LineAmounts => {
  const keys = keysOf(line);
  const pieces = [line, ...(line.addons ?? [])];
  const taken = discounts.filter(
    (one) =>
      isOfLine(one) && keys.has(one.lineId ?? '') && (one.orderId === undefined || one.orderId === orderId),
  );
  const subtotal = sum(pieces.map(({ lineTotal }) => lineTotal));
  return {
    unitPrice: sum(pieces.map(({ unitPrice }) => unitPrice)),
    subtotal,
    discount: Math.max(0, Math.min(subtotal, sum(taken.map(({ amount }) => amount)))),
  };
};

const discountOnLines = (content: InvoiceContent): Minor =>
  sum(
    content.orders.flatMap((order) =>
      order.lines.map((line) => amountsOfLine(content, order, line).discount),
    ),
  );

const unlessZero = (type: ProtocolTotal['type'], amount: Minor): readonly ProtocolTotal[] =>
  amount === 0 ? [] : [{ type, amount }];

/** Of a line; what lowers the sum is negative. */
export const totalsOfLine = ({ subtotal, discount }: Omit<LineAmounts, 'unitPrice'>): ProtocolTotal[] => [
  { type: 'subtotal', amount: subtotal },
  ...unlessZero('items_discount', 0 - discount),
  { type: 'total', amount: subtotal - discount },
];

/** Of the whole order, as the invoice has them: all but the last add up to the last. */
export const totalsOfOrder = (content: InvoiceContent): ProtocolTotal[] => {
  const { amounts, discounts, orders } = content;
  const onLines = discountOnLines(content);
  const offShipping = sum(discounts.filter(isOfShipping).map(({ amount }) => amount));
  const onShipping = Math.min(amounts.shipping, offShipping);
  const fulfilment = amounts.shipping - onShipping;
  const isSent = fulfilment !== 0 || orders.some(({ shippingOptionKey }) => shippingOptionKey !== null);
  return [
    { type: 'subtotal', amount: amounts.subTotal },
    ...unlessZero('items_discount', 0 - onLines),
    ...unlessZero('discount', 0 - (amounts.discount - onLines - onShipping)),
    ...(isSent ? [{ type: 'fulfillment', amount: fulfilment } as const] : []),
    { type: 'tax', amount: amounts.tax },
    { type: 'total', amount: amounts.total },
  ];
};

/** Everything that it costs to send the order is taken off. */
export const isSentForNothing = ({ amounts, discounts }: InvoiceContent): boolean => {
  const onShipping = sum(discounts.filter(isOfShipping).map(({ amount }) => amount));
  return onShipping > 0 && onShipping >= amounts.shipping;
};
