import type { BasketViewAddon, BasketViewLine } from '#events/basket-view.ts';
import type { Amounts, InvoiceContent, OrderAddon, OrderLine } from '#events/invoice.fields.ts';
import type { DisplayCurrency } from '#values/exchange.ts';
import type { Minor } from '#values/money.ts';
import type { RememberedBasket } from './remembered-basket.ts';

/** An order as it was sold: what it takes to price it again, and what was recorded of it. */
export interface SoldOrder {
  readonly day: string;
  /** In milliseconds: when it was priced. */
  readonly at: number;
  readonly customerId: string | null;
  readonly storeCurrency: string;
  /** What the shopper was shown. */
  readonly display: DisplayCurrency;
  readonly basket: RememberedBasket;
  readonly lines: readonly BasketViewLine[];
  /** By line, the warehouses that send it. */
  readonly sentFrom: ReadonlyMap<string, readonly string[]>;
  readonly shipping: Minor;
  readonly shippingOptions: readonly string[];
  readonly shippingTax: Minor;
  readonly recorded: RecordedFigures;
}

export interface RecordedFigures {
  readonly shown: Amounts;
  readonly inStoreCurrency: Amounts;
  /** What each discount took off, in the store's currency. */
  readonly takenOff: ReadonlyMap<string, Minor>;
  /** The rules among them, each once. */
  readonly rules: ReadonlySet<string>;
}

type Part = OrderLine | OrderAddon;

/** The parts of a line, or of an add-on, that several warehouses send: all have one unit price. */
const figuresOf = (lineId: string, first: Part, parts: readonly Part[], quantity: number) => {
  let total = 0;
  let discount = 0;
  let tax = 0;
  for (const part of parts) {
    total += part.lineTotalInStoreCurrency;
    discount += part.discount;
    tax += part.tax;
  }
  const { taxRate, isTaxable } = first;
  return { lineId, unitPrice: total / quantity, taxRate, isTaxable, discount, tax };
};

const addonOf = (addon: OrderAddon, parts: readonly OrderLine[], quantity: number): BasketViewAddon => {
  const { basketLineId, optionId, valueId, sku, name } = addon;
  const same = parts.flatMap(({ addons = [] }) => addons.filter((one) => one.basketLineId === basketLineId));
  return { optionId, valueId, sku, name, ...figuresOf(basketLineId, addon, same, quantity) };
};

const lineOf = (lineId: string, parts: readonly OrderLine[]): BasketViewLine | null => {
  const [first] = parts;
  if (first === undefined || first.productId === null || first.productRootId === null) return null;
  const { productId, productRootId, sku, name, productRootName, selectedOptions, isDigital } = first;
  const quantity = parts.reduce((sum, part) => sum + part.quantity, 0);
  const addons = first.addons?.map((addon) => addonOf(addon, parts, quantity));
  return {
    productId,
    productRootId,
    sku,
    name,
    productRootName,
    selectedOptions,
    imageUrl: null,
    isDigital,
    quantity,
    ...figuresOf(lineId, first, parts, quantity),
    ...(addons && { addons }),
  };
};

/** What an invoice says of its figures. */
export const recordedIn = ({
  amounts: shown,
  amountsInStoreCurrency: inStoreCurrency,
  discounts,
}: Pick<InvoiceContent, 'amounts' | 'amountsInStoreCurrency' | 'discounts'>): RecordedFigures => {
  const takenOff = new Map<string, Minor>();
  const rules = new Set<string>();
  for (const { discountId, amount, amountInStoreCurrency = amount, isReferral, isManual } of discounts) {
    takenOff.set(discountId, (takenOff.get(discountId) ?? 0) + amountInStoreCurrency);
    if (!isReferral && !isManual) rules.add(discountId);
  }
  return { shown, inStoreCurrency, takenOff, rules };
};

/** The order that was made of a basket, as it was frozen. */
export const soldOrder = (content: InvoiceContent, basket: RememberedBasket): SoldOrder => {
  const { orders, currency, quote, customerId, storeCurrency, shippingTax } = content;
  const parts = Map.groupBy(
    orders.flatMap(({ warehouseId, lines }) => lines.map((line) => ({ line, warehouseId }))),
    ({ line }) => line.basketLineId,
  );
  const lines: BasketViewLine[] = [];
  const sentFrom = new Map<string, readonly string[]>();
  for (const [lineId, places] of parts) {
    if (lineId === null) continue;
    const line = lineOf(
      lineId,
      places.map((place) => place.line),
    );
    if (line === null) continue;
    lines.push(line);
    sentFrom.set(lineId, [...new Set(places.flatMap(({ warehouseId }) => warehouseId ?? []))]);
  }
  return {
    day: content.businessDay,
    at: Date.parse(content.createdAt),
    customerId,
    storeCurrency,
    display: { currency, rate: quote?.displayRate ?? '1' },
    basket,
    lines,
    sentFrom,
    shipping: content.amountsInStoreCurrency.shipping,
    shippingOptions: orders.flatMap(({ shippingOptionKey }) => shippingOptionKey ?? []),
    shippingTax,
    recorded: recordedIn(content),
  };
};
