import { decimalsOf } from '#values/currency.ts';
import { scale, timesDecimal, type Minor } from '#values/money.ts';
import type { KnownInvoice } from './invoice.state.ts';

/**
 * What payments come to in the store's currency: in proportion, so that what pays an invoice whole is the sale's own
 * total; more than that at the locked rate (docs/rules/currency.md#invoices).
 */
export const paidInStoreCurrency = (
  paid: Minor,
  { rate, storeCurrency, currency, amounts, amountsInStoreCurrency }: KnownInvoice['content'],
): Minor => {
  const { total } = amounts;
  if (paid < total) return scale(amountsInStoreCurrency.total, paid, total);
  const shift = decimalsOf(storeCurrency) - decimalsOf(currency);
  return amountsInStoreCurrency.total + timesDecimal(paid - total, rate, shift);
};

/** What an invoice still has to bring in, in the store's currency; a closed one nothing. */
export const dueInStoreCurrency = ({ status, content, balance }: KnownInvoice): Minor =>
  status === 'open'
    ? content.amountsInStoreCurrency.total -
      paidInStoreCurrency(content.amounts.total - balance.balanceDue, content)
    : 0;

/** What the customer's stream is to be told; null where nothing is owed on account, or it knows already. */
export const outstandingToNote = (invoice: KnownInvoice): Minor | null =>
  invoice.purchaseOrder === null || invoice.purchaseOrder.isOutstandingNoted
    ? null
    : dueInStoreCurrency(invoice);
