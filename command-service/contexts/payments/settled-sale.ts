import { goodsKey } from '#command/pricing/addons.ts';
import type { BasketView } from '#events/basket-view.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import { to } from '#kernel/stream.ts';
import type { PlacedOrder } from '../basket/basket.state.ts';
import { countersOf, customerUsageId } from '../discounts/discount-usage.commands.ts';
import { discountUsageStream } from '../discounts/discount-usage.stream.ts';
import { usesOfEdits } from '../invoices/order-desk/edits.state.ts';
import type { KnownInvoice } from '../invoices/invoice.state.ts';

/** Units that are in the basket and not on the invoice. */
export const leftoversOf = (basket: BasketView, content: InvoiceContent) => {
  const bought = new Map<string, number>();
  for (const { productId, addons = [], quantity } of content.orders.flatMap((order) => order.lines)) {
    if (productId === null) continue;
    const key = goodsKey({ productId, addons });
    bought.set(key, (bought.get(key) ?? 0) + quantity);
  }
  return basket.lines
    .map((line) => {
      const key = goodsKey(line);
      const addons = (line.addons ?? []).map(({ optionId, valueId }) => ({ optionId, valueId }));
      const { productId } = line;
      return { key, productId, addons, quantity: line.quantity - (bought.get(key) ?? 0) };
    })
    .filter(({ quantity }) => quantity > 0);
};

/** The uses that an order has claimed, where they are counted. */
export const settledUses = ({ content: { basketId } }: KnownInvoice, order: PlacedOrder) => {
  const { placementId, claimedDiscountIds, customerClaims } = order;
  const settle = (discountId: string, counter: string) =>
    to(discountUsageStream, counter, {
      type: 'SettleDiscountUse',
      discountId,
      basketId: basketId ?? '',
      placementId,
    });
  return [
    ...claimedDiscountIds.map((discountId) => settle(discountId, discountId)),
    ...(customerClaims?.discountIds ?? []).map((discountId) =>
      settle(discountId, customerUsageId(discountId, customerClaims?.customerId ?? '')),
    ),
  ];
};

/** The uses that edits have claimed in their own names. */
export const settledUsesOfEdits = ({ content }: KnownInvoice) =>
  usesOfEdits(content).flatMap(({ discountId, editId }) =>
    countersOf({ discountId, perCustomer: true }, content.customerId).map((counter) =>
      to(discountUsageStream, counter, {
        type: 'SettleDiscountUse',
        discountId,
        basketId: editId,
        placementId: editId,
      }),
    ),
  );
