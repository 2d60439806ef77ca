import { defined } from '#kernel/defined.ts';
import { allocate, MAX_AMOUNT, type Minor } from '#values/money.ts';
import type { ClosedSale, InvoiceContent, OrderLine, SoldProduct, SourceType } from './invoice.fields.ts';

/** With its add-ons, each of which may cost the shop more or less. */
const unitCost = ({ costInStoreCurrency, addons = [] }: OrderLine): Minor =>
  addons.reduce((cost, addon) => cost + addon.costInStoreCurrency, costInStoreCurrency);

/** At most the largest amount: what a shop says its goods cost is bounded by nothing that it sells them for. */
const costOf = ({ orders }: InvoiceContent): Minor => {
  let cost = 0;
  for (const { lines } of orders) {
    for (const line of lines) cost += unitCost(line) * line.quantity;
  }
  return Math.max(0, Math.min(cost, MAX_AMOUNT));
};

/** What each rule of a sale took off, in the store's currency: a product rule has a row for each line. */
export const discountAmounts = ({
  discounts,
}: Pick<InvoiceContent, 'discounts'>): ReadonlyMap<string, Minor> => {
  const amounts = new Map<string, Minor>();
  for (const { discountId, amount, amountInStoreCurrency = amount, isReferral, isManual } of discounts)
    if (!isReferral && !isManual)
      amounts.set(discountId, (amounts.get(discountId) ?? 0) + amountInStoreCurrency);
  return amounts;
};

/** Where it was sold, if not in the storefront. */
export const laterSourceTypeOf = ({
  source: { type },
}: Pick<InvoiceContent, 'source'>): { readonly sourceType?: Exclude<SourceType, 'web'> } =>
  type === 'web' ? {} : { sourceType: type };

/** What a sale brings to its business day, in the store's currency. */
export const saleFigures = (content: InvoiceContent, returns: Minor): ClosedSale => ({
  amounts: content.amountsInStoreCurrency,
  cost: costOf(content),
  items: content.itemCount,
  returns,
  ...laterSourceTypeOf(content),
});

type OwnFigure = 'lineTotalInStoreCurrency' | 'discount' | 'tax';

/** A line with its add-ons. */
const ofLine = (line: OrderLine, figure: OwnFigure): Minor =>
  (line.addons ?? []).reduce((sum, addon) => sum + addon[figure], line[figure]);

/**
 * What lines have of a figure of their invoice, in the store's currency; the rest is of its shipping. In one currency
 * it is what the lines say.
 */
const inStoreCurrency = (
  { amounts, amountsInStoreCurrency }: InvoiceContent,
  lines: readonly OrderLine[],
  figure: 'discount' | 'tax',
): Minor[] => {
  const parts = lines.map((line) => Math.max(0, ofLine(line, figure)));
  const ofShipping = amounts[figure] - parts.reduce((sum, part) => sum + part, 0);
  return allocate(amountsInStoreCurrency[figure], [...parts, Math.max(0, ofShipping)]);
};

/** Products that several lines sell are one; what staff write by hand is none (docs/rules/reporting.md#top). */
const soldProducts = (content: InvoiceContent): SoldProduct[] => {
  const lines = content.orders.flatMap((order) => order.lines);
  const discounts = inStoreCurrency(content, lines, 'discount');
  const taxes = inStoreCurrency(content, lines, 'tax');
  const products = new Map<string, SoldProduct>();
  for (const [place, line] of lines.entries()) {
    const { productId, productRootId, collectionIds, quantity } = line;
    if (productId === null || productRootId === null) continue;
    const before = products.get(productId);
    const grossSales = ofLine(line, 'lineTotalInStoreCurrency');
    const discount = discounts[place] ?? 0;
    products.set(productId, {
      productId,
      productRootId,
      ...defined({ collectionIds: before?.collectionIds ?? collectionIds }),
      items: (before?.items ?? 0) + quantity,
      grossSales: (before?.grossSales ?? 0) + grossSales,
      discounts: (before?.discounts ?? 0) + discount,
      sales: (before?.sales ?? 0) + grossSales - discount + (taxes[place] ?? 0),
    });
  }
  return [...products.values()];
};

/** A sale with everything that it is counted under; `countryCode` as it was confirmed with. */
export const saleAsItStands = (
  content: InvoiceContent,
  returns: Minor,
  countryCode: string | undefined,
): ClosedSale => ({
  ...saleFigures(content, returns),
  uses: {
    customerId: content.customerId,
    discounts: [...discountAmounts(content)].map(([discountId, amount]) => ({ discountId, amount })),
  },
  products: soldProducts(content),
  ...defined({ countryCode }),
});
