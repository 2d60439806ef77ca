import type { DiscountRule } from '#entities/discount.entity.ts';
import type { BasketView, BasketViewAddon, BasketViewLine } from '#events/basket-view.ts';
import type { ShippingChoice } from '#events/checkout.events.ts';
import type { LineFigures } from '#events/pricing.fields.ts';
import type {
  Amounts,
  FrozenDiscount,
  InvoiceContent,
  OrderAddon,
  OrderContent,
  OrderLine,
} from '#events/invoice.fields.ts';
import { defined } from '#kernel/defined.ts';
import { derivedId } from '#kernel/ids.ts';
import { allocate, type Minor } from '#values/money.ts';
import { addonKey } from './addons.ts';
import { collectionsOf } from './product-line.ts';
import { soldAs } from './sold-discount.ts';
import { inOwnSteps, inPresentment, type Presentment } from './present-invoice.ts';

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
  readonly customerId: string | null;
  /** Of a customer with account terms: when it is due; null: none, or not theirs to have. */
  readonly accountTerms: { readonly dueDate: string | null } | null;
  readonly groups: readonly FrozenGroup[];
  /** Cost of one unit, store currency: of a product by its id, of an add-on by `addonKey`. */
  readonly costs: ReadonlyMap<string, Minor>;
  /** By root: the collections that a product is in. */
  readonly collections: ReadonlyMap<string, readonly string[]>;
  readonly termsAcceptedAt: string | null;
  readonly createdAt: string;
  readonly businessDay: string;
  /** Where it is sold; left out: in the online store. */
  readonly source?: InvoiceContent['source'];
  /** What the shopper was shown; null: the store's own currency. */
  readonly presentment: Presentment | null;
  /** The rule of a discount, as it is. */
  readonly ruleOf: (discountId: string) => DiscountRule | undefined;
}

/** What is taken off a line or an add-on, and the tax on it. */
interface Taken {
  readonly discount: Minor;
  readonly tax: Minor;
}

interface Share extends Taken {
  readonly line: BasketViewLine;
  readonly quantity: number;
  readonly addons: readonly (Taken & { readonly addon: BasketViewAddon })[];
}

const takenBy = ({ discount, tax }: LineFigures, quantities: readonly number[]): Taken[] => {
  const discounts = allocate(discount, quantities);
  const taxes = allocate(tax, quantities);
  return quantities.map((_, index) => ({ discount: discounts[index] ?? 0, tax: taxes[index] ?? 0 }));
};

/**
 * Splits a line over the warehouses that deliver it, and its add-ons with it: every part keeps the unit price, discount
 * and tax are shared out by quantity so that the parts sum exactly (docs/rules/orders.md#orders).
 */
const shareOut = (line: BasketViewLine, quantities: readonly number[]): Share[] => {
  const ofLine = takenBy(line, quantities);
  const ofAddons = (line.addons ?? []).map((addon) => ({ addon, taken: takenBy(addon, quantities) }));
  const nothing: Taken = { discount: 0, tax: 0 };
  return quantities.map((quantity, index) => ({
    line,
    quantity,
    ...(ofLine[index] ?? nothing),
    addons: ofAddons.map(({ addon, taken }) => ({ addon, ...(taken[index] ?? nothing) })),
  }));
};

/** What a part of a line or of an add-on comes to. */
const amountsOfPart = (
  { unitPrice, taxRate, isTaxable }: LineFigures,
  quantity: number,
  { discount, tax }: Taken,
  cost: Minor = 0,
) => {
  const lineTotal = unitPrice * quantity;
  return {
    unitPrice,
    lineTotal,
    discount,
    tax,
    taxRate,
    isTaxable,
    costInStoreCurrency: cost,
    lineTotalInStoreCurrency: lineTotal,
  };
};

type Goods = Pick<InvoiceToFreeze, 'costs' | 'collections'>;

const orderLine = (orderId: string, share: Share, { costs, collections }: Goods): OrderLine => {
  const { line, quantity } = share;
  const addons = share.addons.map(({ addon, ...taken }): OrderAddon => ({
    id: derivedId('order-line', orderId, addon.lineId),
    basketLineId: addon.lineId,
    optionId: addon.optionId,
    valueId: addon.valueId,
    sku: addon.sku,
    name: addon.name,
    ...amountsOfPart(addon, quantity, taken, costs.get(addonKey(line.productId, addon))),
  }));
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
    ...amountsOfPart(line, quantity, share, costs.get(line.productId)),
    isDigital: line.isDigital,
    ...collectionsOf(collections.get(line.productRootId) ?? []),
    ...(addons.length > 0 && { addons }),
  };
};

const orderOf = (
  placementId: string,
  group: FrozenGroup,
  shares: readonly Share[],
  goods: Goods,
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
    ...(choice.isDeliveryDateGuaranteed && { isDeliveryDateGuaranteed: true }),
    ...defined({ deliveryDescription: choice.deliveryDescription }),
    lines: shares.map((share) => orderLine(orderId, share, goods)),
  };
};

/** An order for what needs no shipping when nothing else does (docs/rules/orders.md#orders). */
const digitalOrder = (placementId: string, shares: readonly Share[], goods: Goods): OrderContent => {
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
    lines: shares.map((share) => orderLine(orderId, share, goods)),
  };
};

const ordersOf = (order: InvoiceToFreeze): OrderContent[] => {
  const { placementId, basket, groups } = order;
  const sharesByGroup = groups.map((): Share[] => []);
  const ungrouped: Share[] = [];
  for (const line of basket.lines) {
    const places = groups.flatMap((group, index) =>
      group.lines.filter(({ lineId }) => lineId === line.lineId).map(({ quantity }) => ({ index, quantity })),
    );
    if (places.length === 0) ungrouped.push(...shareOut(line, [line.quantity]));
    shareOut(
      line,
      places.map(({ quantity }) => quantity),
    ).forEach((share, at) => {
      sharesByGroup[places[at]?.index ?? 0]?.push(share);
    });
  }
  if (groups.length === 0) return [digitalOrder(placementId, ungrouped, order)];
  return groups.map((group, index) => {
    const shares = sharesByGroup[index] ?? [];
    return orderOf(placementId, group, index === 0 ? [...shares, ...ungrouped] : shares, order);
  });
};

/** What an edit will need to know of it, even if its rule changes. */
const withSold = (
  row: FrozenDiscount,
  lines: BasketView['lines'],
  ruleOf: InvoiceToFreeze['ruleOf'],
): FrozenDiscount => {
  const rule = row.isReferral ? undefined : ruleOf(row.discountId);
  if (rule === undefined) return row;
  const unitOf = (): Minor | undefined =>
    lines
      .flatMap((line): LineFigures[] => [line, ...(line.addons ?? [])])
      .find(({ lineId }) => lineId === row.lineId)?.unitPrice;
  const unit = rule.category === 'BuyXGetY' ? unitOf() : undefined;
  const sold = soldAs(rule, unit === undefined ? undefined : { amount: row.amount, unit });
  return sold === undefined ? row : { ...row, sold };
};

/** Shared out over the orders that hold their line, by quantity; with one order, or of no line, as they are. */
const frozenDiscounts = (
  { discounts, lines }: BasketView,
  orders: readonly OrderContent[],
  ruleOf: InvoiceToFreeze['ruleOf'],
): InvoiceContent['discounts'] =>
  discounts.flatMap((taken) => {
    const holding = orders.flatMap(({ orderId, lines }) => {
      const line = lines.find(
        ({ basketLineId, addons = [] }) =>
          basketLineId === taken.lineId || addons.some((addon) => addon.basketLineId === taken.lineId),
      );
      return line ? [{ orderId, quantity: line.quantity }] : [];
    });
    const [place = orders[0], ...others] = holding;
    const frozen = (row: FrozenDiscount): FrozenDiscount => withSold(row, lines, ruleOf);
    if (place === undefined) return [frozen({ ...taken })];
    if (others.length === 0) return [frozen({ ...taken, orderId: place.orderId })];
    const amounts = allocate(
      taken.amount,
      holding.map(({ quantity }) => quantity),
    );
    return holding.flatMap(({ orderId }, index) => {
      const amount = amounts[index] ?? 0;
      return amount === 0 ? [] : [frozen({ ...taken, id: derivedId(taken.id, orderId), orderId, amount })];
    });
  });

const amountsOf = ({ totals }: BasketView): Amounts => ({
  subTotal: totals.subTotal,
  discount: totals.productDiscount + totals.shippingDiscount,
  shipping: totals.shipping,
  tax: totals.tax,
  total: totals.total,
});

/**
 * Freezes a priced basket into the content of an invoice: prices, rates, rules and shipping as they are now, for ever
 * (docs/rules/orders.md#frozen). In the currency that the shopper was shown, at the rate of this moment.
 */
export const freezeInvoice = (order: InvoiceToFreeze): InvoiceContent => {
  const content = inStoreCurrency(order);
  return order.presentment === null ? inOwnSteps(content) : inPresentment(content, order.presentment);
};

/** Where there is only one currency the locked rate is 1 and both amounts are equal. */
const inStoreCurrency = (order: InvoiceToFreeze): InvoiceContent => {
  const { basket, basketId, customerId } = order;
  const amounts = amountsOf(basket);
  const orders = ordersOf(order);
  return {
    basketId,
    customerId,
    ...(basket.memberId !== null && { memberId: basket.memberId }),
    ...(order.accountTerms !== null && { accountTerms: { ...order.accountTerms } }),
    channel: 'Online Store',
    source: order.source ?? {
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
    discounts: frozenDiscounts(basket, orders, order.ruleOf),
    shippingTax: basket.totals.shippingTax,
    effectiveShippingTaxRate: basket.totals.effectiveShippingTaxRate,
    itemCount: basket.itemCount,
    orders,
    termsAcceptedAt: order.termsAcceptedAt,
    createdAt: order.createdAt,
    businessDay: order.businessDay,
  };
};
