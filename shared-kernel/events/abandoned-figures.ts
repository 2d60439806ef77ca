import type { AbandonedFigures } from './abandoned-checkout.events.ts';
import type { InvoiceContent } from './invoice.fields.ts';

/** Lines that warehouses share are one product; those that staff have added came of no basket. */
const productsIn = ({ orders }: InvoiceContent): number =>
  new Set(orders.flatMap(({ lines }) => lines.map(({ basketLineId, id }) => basketLineId ?? id))).size;

/** What a checkout comes to as it is ordered. */
export const orderedFigures = (content: InvoiceContent): AbandonedFigures => {
  const { currency, storeCurrency, amounts, amountsInStoreCurrency, quote } = content;
  return {
    currency,
    total: amounts.total,
    storeCurrency,
    totalInStoreCurrency: amountsInStoreCurrency.total,
    rate: quote?.displayRate ?? '1',
    lineCount: productsIn(content),
  };
};
