import { decimalsOf } from '#values/currency.ts';
import { scale, timesDecimal, type Minor } from '#values/money.ts';
import type { SetOutstanding } from '../../customers/customer.commands.ts';
import type { KnownInvoice } from '../invoice.state.ts';

type Kept = Pick<KnownInvoice, 'payments' | 'refunds' | 'returns'>;

/** What its payments are on record for in the store's currency. */
const recordedInStoreCurrency = ({ payments }: Pick<Kept, 'payments'>): Minor =>
  payments.reduce((sum, { amountInStoreCurrency }) => sum + amountInStoreCurrency, 0);

/**
 * A payment in the store's currency. Payments share the sale's own total in proportion, so that what pays an invoice
 * in full adds up to it, however the earlier ones were recorded; anything above is converted at the locked rate
 * (docs/rules/currency.md#invoices).
 */
export const paymentInStoreCurrency = (invoice: KnownInvoice, amount: Minor): Minor => {
  const paid = invoice.balance.amountPaid + amount;
  return Math.max(0, paidInStoreCurrency(paid, invoice.content) - recordedInStoreCurrency(invoice));
};

const paidInStoreCurrency = (
  paid: Minor,
  { rate, storeCurrency, currency, amounts, amountsInStoreCurrency }: KnownInvoice['content'],
): Minor => {
  const { total } = amounts;
  if (paid < total) return scale(amountsInStoreCurrency.total, paid, total);
  const shift = decimalsOf(storeCurrency) - decimalsOf(currency);
  return amountsInStoreCurrency.total + timesDecimal(paid - total, rate, shift);
};

/** What came in and did not go out, and what was given back on top. */
const keptInStoreCurrency = ({ payments, refunds, returns }: Kept): Minor =>
  refunds.reduce(
    (kept, { given }) => kept - (given?.inStoreCurrency ?? 0),
    recordedInStoreCurrency({ payments }),
  ) + returns;

/** What an invoice still has to bring in, in the store's currency; a closed one nothing. */
export const dueInStoreCurrency = (invoice: KnownInvoice): Minor => {
  const { status, content, balance } = invoice;
  if (status !== 'open' || balance.balanceDue === 0) return 0;
  return Math.max(0, content.amountsInStoreCurrency.total - keptInStoreCurrency(invoice));
};

/** When it is to be paid: a purchase order's own terms win; ISO instant, null without terms that name days. */
export const dueDateOfInvoice = ({ purchaseOrder, content }: KnownInvoice): string | null =>
  purchaseOrder ? purchaseOrder.dueDate : (content.accountTerms?.dueDate ?? null);

/** Of a sale that is confirmed before it is paid, and for which no credit was claimed. */
export const owedOnceConfirmed = ({
  purchaseOrder,
  balance,
}: Pick<KnownInvoice, 'purchaseOrder' | 'balance'>): { isOnAccount?: true } =>
  purchaseOrder === null && balance.balanceDue > 0 ? { isOnAccount: true } : {};

/** What the customer's stream is to be told; null where it knows already, or there was never anything to tell. */
export const outstandingToNote = (
  invoice: KnownInvoice,
): Pick<SetOutstanding, 'amount' | 'dueDate'> | null =>
  invoice.isOutstandingNoted === false
    ? { amount: dueInStoreCurrency(invoice), dueDate: dueDateOfInvoice(invoice) }
    : null;
