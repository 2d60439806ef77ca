import type { BasketView, BasketViewLine } from '#events/basket-view.ts';
import type { ShippingChoice } from '#events/checkout.events.ts';
import type { Amounts, InvoiceContent, OrderContent, OrderLine } from '#events/invoice.fields.ts';
import { derivedId } from '#kernel/ids.ts';
import { allocate, type Minor } from '#values/money.ts';

/** What leaves one warehouse together: units of the basket's lines, and the shipping that was chosen for them. */
export interface FrozenGroup {
  readonly groupId: string;
  readonly warehouseId: string;
  readonly lines: readonly { readonly lineId: string; readonly quantity: number }[];
  readonly choice: ShippingChoice;
}

export interface InvoiceToFreeze {
  readonly placementId: string;
  readonly basketId: string;
  readonly basket: BasketView;
  readonly customerId: string;
  readonly groups: readonly FrozenGroup[];
  /** Cost of one unit by product id, store currency. */
  readonly costs: ReadonlyMap<string, Minor>;
  readonly termsAcceptedAt: string | null;
  readonly createdAt: string;
  readonly businessDay: string;
}

interface Share {
  readonly line: BasketViewLine;
  readonly quantity: number;
  readonly discount: Minor;
  readonly tax: Minor;
}

/**
 * Splits a line over the warehouses that deliver it: every part keeps the unit price, discount and tax are shared out
 * by quantity so that the parts sum exactly (docs/rules/orders.md#orders).
 */
const shareOut = (line: BasketViewLine, quantities: readonly number[]): Share[] => {
  const discounts = allocate(line.discount, quantities);
  const taxes = allocate(line.tax, quantities);
  return quantities.map((quantity, index) => ({
    line,
    quantity,
    discount: discounts[index] ?? 0,
    tax: taxes[index] ?? 0,
  }));
};

const orderLine = (orderId: string, share: Share, costs: ReadonlyMap<string, Minor>): OrderLine => {
  const { line, quantity, discount, tax } = share;
  const lineTotal = line.unitPrice * quantity;
  return {
    id: derivedId('order-line', orderId, line.lineId),
    basketLineId: line.lineId,
    productId: line.productId,
    productRootId: line.productRootId,
    sku: line.sku,
    name: line.name,
    productRootName: line.productRootName,
    selectedOptions: line.selectedOptions.map((option) => ({ ...option })),
    quantity,
    unitPrice: line.unitPrice,
    lineTotal,
    discount,
    tax,
    taxRate: line.taxRate,
    isTaxable: line.isTaxable,
    isDigital: line.isDigital,
    costInStoreCurrency: costs.get(line.productId) ?? 0,
    lineTotalInStoreCurrency: lineTotal,
  };
};

const orderOf = (
  placementId: string,
  group: FrozenGroup,
  shares: readonly Share[],
  costs: ReadonlyMap<string, Minor>,
): OrderContent => {
  const orderId = derivedId('order', placementId, group.groupId);
  const { choice } = group;
  return {
    orderId,
    warehouseId: group.warehouseId,
    shippingOptionId: choice.shippingOptionId,
    shippingOptionKey: choice.optionKey,
    shippingServiceName: choice.name,
    shippingCost: choice.cost,
    shippingCostInStoreCurrency: choice.cost,
    requestedDeliveryDate: choice.deliveryDate,
    lines: shares.map((share) => orderLine(orderId, share, costs)),
  };
};

/** An order for what needs no shipping when nothing else does (docs/rules/orders.md#orders). */
const digitalOrder = (
  placementId: string,
  shares: readonly Share[],
  costs: ReadonlyMap<string, Minor>,
): OrderContent => {
  const orderId = derivedId('order', placementId, 'digital');
  return {
    orderId,
    warehouseId: null,
    shippingOptionId: null,
    shippingOptionKey: null,
    shippingServiceName: 'digital',
    shippingCost: 0,
    shippingCostInStoreCurrency: 0,
    requestedDeliveryDate: null,
    lines: shares.map((share) => orderLine(orderId, share, costs)),
  };
};

const ordersOf = ({ placementId, basket, groups, costs }: InvoiceToFreeze): OrderContent[] => {
  const sharesByGroup = groups.map((): Share[] => []);
  const ungrouped: Share[] = [];
  for (const line of basket.lines) {
    const places = groups.flatMap((group, index) =>
      group.lines.filter(({ lineId }) => lineId === line.lineId).map(({ quantity }) => ({ index, quantity })),
    );
    if (places.length === 0)
      ungrouped.push({ line, quantity: line.quantity, discount: line.discount, tax: line.tax });
    shareOut(
      line,
      places.map(({ quantity }) => quantity),
    ).forEach((share, at) => {
      sharesByGroup[places[at]?.index ?? 0]?.push(share);
    });
  }
  if (groups.length === 0) return [digitalOrder(placementId, ungrouped, costs)];
  return groups.map((group, index) => {
    const shares = sharesByGroup[index] ?? [];
    return orderOf(placementId, group, index === 0 ? [...shares, ...ungrouped] : shares, costs);
  });
};

const amountsOf = ({ totals }: BasketView): Amounts => ({
  subTotal: totals.subTotal,
  discount: totals.productDiscount + totals.shippingDiscount,
  shipping: totals.shipping,
  tax: totals.tax,
  total: totals.total,
});

/**
 * Freezes a priced basket into the content of an invoice: prices, rates, rules and shipping as they are now, for ever
 * (docs/rules/orders.md#frozen). The shop sells in its own currency, so the locked rate is 1 and both amounts are
 * equal.
 */
export const freezeInvoice = (order: InvoiceToFreeze): InvoiceContent => {
  const { basket, basketId, customerId } = order;
  const amounts = amountsOf(basket);
  return {
    basketId,
    customerId,
    channel: 'Online Store',
    source: {
      type: 'web',
      displayName: 'Online Store',
      sourceName: null,
      sourceId: null,
      sessionId: basketId,
    },
    storeCurrency: basket.currency,
    currency: basket.currency,
    rate: '1',
    amounts,
    amountsInStoreCurrency: amounts,
    discounts: basket.discounts.map((discount) => ({ ...discount })),
    shippingTax: basket.totals.shippingTax,
    effectiveShippingTaxRate: basket.totals.effectiveShippingTaxRate,
    itemCount: basket.itemCount,
    orders: ordersOf(order),
    termsAcceptedAt: order.termsAcceptedAt,
    createdAt: order.createdAt,
    businessDay: order.businessDay,
  };
};
