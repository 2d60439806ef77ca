import type { InvoiceContent } from '#events/invoice.fields.ts';
import { decimalsOf, stepOf } from '#values/currency.ts';
import { invoiceAmount } from '#values/exchange.ts';
import { allocate, inSteps, scale, timesDecimal, type Minor } from '#values/money.ts';

/** Between the two currencies of an invoice, at its locked rate (docs/rules/invoice-editing.md#two-currencies). */
export interface EditMoney {
  readonly currency: string;
  readonly isForeign: boolean;
  /** What an amount of the store's currency is in the invoice's. */
  readonly own: (amount: Minor) => Minor;
  /** What an amount of the invoice's currency is in the store's. */
  readonly store: (amount: Minor) => Minor;
  /** What an amount of the invoice's currency is charged as (docs/rules/pricing.md#steps). */
  readonly charged: (amount: Minor) => Minor;
  /** The same of what is taken off pieces, no more off one than is `there`. */
  readonly chargedShares: (shares: readonly Minor[], there: readonly Minor[]) => readonly Minor[];
}

export const moneyOf = ({
  currency,
  storeCurrency,
  rate,
}: Pick<InvoiceContent, 'currency' | 'storeCurrency' | 'rate'>): EditMoney => {
  const shiftDecimals = decimalsOf(storeCurrency) - decimalsOf(currency);
  const step = stepOf(currency);
  return {
    currency,
    isForeign: currency !== storeCurrency,
    own: (amount) => invoiceAmount(amount, storeCurrency, { currency, rate }),
    store: (amount) => timesDecimal(amount, rate, { shiftDecimals }),
    charged: (amount) => inSteps(amount, currency),
    chargedShares: (shares, there) =>
      step === 1
        ? shares
        : allocate(scale(sum(shares), 1, step), shares).map((share, index) =>
            Math.min(share * step, there[index] ?? 0),
          ),
  };
};

/** What a store amount becomes whose counterpart went from `before` to `now`: in proportion, where there was any. */
export const followed = (
  { store }: EditMoney,
  inStore: Minor,
  { before, now }: { readonly before: Minor; readonly now: Minor },
): Minor => {
  if (now === before) return inStore;
  return before === 0 ? store(now) : scale(inStore, now, before);
};

export const sum = (amounts: Iterable<Minor>): Minor => {
  let total = 0;
  for (const amount of amounts) total += amount;
  return total;
};
