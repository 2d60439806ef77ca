import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import type { EventOfType } from '#kernel/event.ts';
import { projection, type Document } from '#kernel/projection.ts';
import type { Minor } from '#values/money.ts';

/**
 * What a rule has brought in confirmed sales: in all, on one day, and with one customer. Amounts in minor units of the
 * store's currency.
 */
export interface DiscountUses extends Document {
  readonly discountId: string;
  readonly of: 'all' | 'day' | 'customer';
  /** Business day; null where it is of no day. */
  readonly day: string | null;
  readonly uses: number;
  /** What it took off. */
  readonly amount: Minor;
  /** The totals of the invoices. */
  readonly revenue: Minor;
  readonly firstUsed: string;
  readonly lastUsed: string;
}

export const usesKey = (discountId: string): string => `${discountId} all`;

const SLOTS = ['all', 'day', 'customer'] as const;

/** What each rule of a sale took off: a product rule has a row for each line. */
const amountsOf = ({ discounts }: InvoiceContent): ReadonlyMap<string, Minor> => {
  const amounts = new Map<string, Minor>();
  for (const { discountId, amount, amountInStoreCurrency = amount, isReferral } of discounts)
    if (!isReferral) amounts.set(discountId, (amounts.get(discountId) ?? 0) + amountInStoreCurrency);
  return amounts;
};

type SaleConfirmed = EventOfType<InvoiceEvent, 'SaleConfirmed'>;

/** Uses of discounts in confirmed sales (docs/rules/discounts.md#performance). */
export const discountUsesProjection = projection<SaleConfirmed>()<DiscountUses>({
  name: 'discountUses',
  version: 1,
  indexes: [
    { fields: ['discountId', 'of', 'day'] },
    { fields: ['of', 'uses'] },
    { fields: ['of', 'lastUsed'] },
  ],
  keys: ({ data: { content } }) =>
    [...amountsOf(content).keys()].flatMap((id) => [
      usesKey(id),
      `${id} day ${content.businessDay}`,
      `${id} customer ${content.customerId}`,
    ]),
  on: {
    SaleConfirmed: (known, { data: { content, confirmedAt } }, key) => {
      const [discountId = '', word = '', name = null] = key.split(' ');
      const of = SLOTS.find((slot) => slot === word) ?? 'all';
      return {
        _id: key,
        discountId,
        of,
        day: of === 'day' ? name : null,
        uses: (known?.uses ?? 0) + 1,
        amount: (known?.amount ?? 0) + (amountsOf(content).get(discountId) ?? 0),
        revenue: (known?.revenue ?? 0) + content.amountsInStoreCurrency.total,
        firstUsed: known?.firstUsed ?? confirmedAt,
        lastUsed: confirmedAt,
      };
    },
  },
});
