import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import type { InvoiceContent, OrderLine } from '#events/invoice.fields.ts';
import type { ShownUpsell } from '#events/upsell.shapes.ts';
import { defined } from '#kernel/defined.ts';
import type { Moment } from './invoice.context.ts';
import type { Part } from './invoice-part.state.ts';

const { UpsellConverted } = invoiceEvents.create;

/** What an invoice knows of suggestions (docs/rules/upsell-performance.md#attribution). */
export interface Suggested {
  /** What its basket was shown; empty once the sale is confirmed. */
  readonly shownUpsells: readonly ShownUpsell[];
  /** Rules and products that have converted, as `keyOf` writes them. */
  readonly conversions: readonly string[];
}

export const unsuggested: Suggested = { shownUpsells: [], conversions: [] };

interface Sold extends Suggested {
  readonly invoiceNumber: string;
  readonly content: Pick<InvoiceContent, 'businessDay' | 'customerId'>;
}

const keyOf = (upsellRuleId: string, productId: string): string => `${upsellRuleId} ${productId}`;

/** Each product's amount over these lines, and its root product. */
const productsOf = (lines: readonly OrderLine[]) => {
  const products = new Map<string, { readonly productRootId: string; readonly amount: number }>();
  for (const { productId, productRootId, lineTotalInStoreCurrency } of lines) {
    if (productId === null || productRootId === null) continue;
    const amount = (products.get(productId)?.amount ?? 0) + lineTotalInStoreCurrency;
    products.set(productId, { productRootId, amount });
  }
  return products;
};

/** Converts each shown product once per rule, unless the invoice has counted it already. */
export const convertedBy = (
  { invoiceNumber, content: { businessDay, customerId }, conversions }: Sold,
  shown: readonly ShownUpsell[],
  lines: readonly OrderLine[],
  { now, today }: Moment,
): InvoiceEvent[] => {
  if (shown.length === 0) return [];
  const counted = new Set(conversions);
  const rules = new Set(conversions.map((key) => key.split(' ')[0]));
  const products = [...productsOf(lines)];
  return shown.flatMap(({ upsellRuleId, displayLocation, productRootIds }) =>
    products.flatMap(([productId, { productRootId, amount }]) => {
      const key = keyOf(upsellRuleId, productId);
      if (!productRootIds.includes(productRootId) || counted.has(key)) return [];
      counted.add(key);
      const isFirstOfRule = !rules.has(upsellRuleId) || undefined;
      rules.add(upsellRuleId);
      return [
        UpsellConverted({
          ...{ invoiceNumber, businessDay, upsellRuleId, productId, displayLocation, customerId },
          amountInStoreCurrency: amount,
          ...defined({ isFirstOfRule }),
          convertedDay: today,
          convertedAt: now,
        }),
      ];
    }),
  );
};

export const onConversionEvents = {
  UpsellConverted: ({ conversions }, { data: { upsellRuleId, productId } }) => ({
    conversions: [...conversions, keyOf(upsellRuleId, productId)],
  }),
  SaleConfirmed: () => ({ shownUpsells: [] }),
} satisfies Part<Suggested>;
