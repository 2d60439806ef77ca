import { decimalsOf } from '#values/currency.ts';
import { scale, timesDecimal, type Minor } from '#values/money.ts';
import type { SetOutstanding } from '../../customers/customer.commands.ts';
import type { KnownInvoice } from '../invoice.state.ts';

type Kept = Pick<KnownInvoice, 'payments' | 'refunds' | 'returns'>;

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
  const shiftDecimals = decimalsOf(storeCurrency) - decimalsOf(currency);
  return amountsInStoreCurrency.total + timesDecimal(paid - total, rate, { shiftDecimals });
};

/** Payments less refunds; what was given back of the total counts as paid. */
const keptInStoreCurrency = ({ payments, refunds, returns }: Kept): Minor =>
  refunds.reduce(
    (kept, { given }) => kept - (given?.inStoreCurrency ?? 0),
    recordedInStoreCurrency({ payments }),
  ) + returns;

/** What is still due, in the store's currency; zero for a closed invoice. */
export const dueInStoreCurrency = (invoice: KnownInvoice): Minor => {
  const { status, content, balance } = invoice;
  if (status !== 'open' || balance.balanceDue === 0) return 0;
  return Math.max(0, content.amountsInStoreCurrency.total - keptInStoreCurrency(invoice));
};

/** ISO instant; a purchase order's terms win. Null if no terms name days. */
export const dueDateOfInvoice = ({ purchaseOrder, content }: KnownInvoice): string | null =>
  purchaseOrder ? purchaseOrder.dueDate : (content.accountTerms?.dueDate ?? null);

/** For a sale that is confirmed unpaid without a claim on credit. */
export const owedOnceConfirmed = ({
  purchaseOrder,
  balance,
}: Pick<KnownInvoice, 'purchaseOrder' | 'balance'>): { isOnAccount?: true } =>
  purchaseOrder === null && balance.balanceDue > 0 ? { isOnAccount: true } : {};

/** What the customer's stream is to be told; null if it knows, or nothing was ever owed. */
export const outstandingToNote = (invoice: KnownInvoice): Pick<SetOutstanding, 'amount' | 'dueDate'> | null =>
  invoice.isOutstandingNoted === false
    ? { amount: dueInStoreCurrency(invoice), dueDate: dueDateOfInvoice(invoice) }
    : null;
