import { MAX_AMOUNT, type Minor } from '#values/money.ts';
import type { ClosedSale, InvoiceContent, OrderLine, SourceType } from './invoice.fields.ts';

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
