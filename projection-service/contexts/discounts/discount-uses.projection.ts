import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import type { EventOfType } from '#kernel/event.ts';
import { discountAmounts } from '#events/sale-figures.ts';
import { projection, remove, type Document } from '#kernel/projection.ts';
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

type SaleConfirmed = EventOfType<InvoiceEvent, 'SaleConfirmed'>;
type InvoiceEdited = EventOfType<InvoiceEvent, 'InvoiceEdited'>;
type InvoiceClosed = EventOfType<InvoiceEvent, 'InvoiceCancelled' | 'InvoiceDeleted'>;

const keysOf = (
  ids: Iterable<string>,
  { businessDay, customerId }: Pick<InvoiceContent, 'businessDay' | 'customerId'>,
): readonly string[] =>
  [...ids].flatMap((id) => [
    usesKey(id),
    `${id} day ${businessDay}`,
    ...(customerId === null ? [] : [`${id} customer ${customerId}`]),
  ]);

/** What a sale, or an edit of one, adds to what a rule has brought. */
interface Brought {
  readonly uses: number;
  readonly amount: Minor;
  readonly revenue: Minor;
  readonly at: string;
}

const withUses = (known: DiscountUses | null, key: string, brought: Brought): DiscountUses => {
  const [discountId = '', word = '', name = null] = key.split(' ');
  const of = SLOTS.find((slot) => slot === word) ?? 'all';
  const { uses, amount, revenue, at } = brought;
  return {
    _id: key,
    discountId,
    of,
    day: of === 'day' ? name : null,
    uses: (known?.uses ?? 0) + uses,
    amount: (known?.amount ?? 0) + amount,
    revenue: (known?.revenue ?? 0) + revenue,
    firstUsed: known?.firstUsed ?? at,
    lastUsed: uses > 0 || !known ? at : known.lastUsed,
  };
};

/** Of a sale with the rule before and after, the total has changed; else it has come, or gone as it was. */
const broughtByEdit = (
  key: string,
  { difference, content, editedAt: at }: InvoiceEdited['data'],
): Brought => {
  const [discountId] = key.split(' ');
  const change = difference.discounts.find((one) => one.discountId === discountId);
  const { uses = 0, amount = 0 } = change ?? {};
  const { total } = content.amountsInStoreCurrency;
  const changed = difference.amounts.total;
  return { uses, amount, revenue: uses === 0 ? changed : uses > 0 ? total : changed - total, at };
};

/** What a sale that is closed had used; of one that was cancelled before it was deleted, that has been told. */
const usedBy = ({ data }: InvoiceClosed) =>
  'wasCancelled' in data && data.wasCancelled ? undefined : data.sale?.uses;

const keysOfClosed = (event: InvoiceClosed): readonly string[] => {
  const { customerId, discounts } = usedBy(event) ?? {};
  if (customerId === undefined || !discounts) return [];
  const { businessDay } = event.data;
  return keysOf(
    discounts.map(({ discountId }) => discountId),
    { businessDay, customerId },
  );
};

/** Takes back the sale's use, what it took off and what it brought in. A day, or a customer, without a use goes. */
const withoutSale = (known: DiscountUses | null, event: InvoiceClosed, key: string) => {
  const [discountId] = key.split(' ');
  const used = usedBy(event)?.discounts.find((one) => one.discountId === discountId);
  const { sale } = event.data;
  if (!known || !used || !sale) return known;
  if (known.uses <= 1) return remove;
  return {
    ...known,
    uses: known.uses - 1,
    amount: known.amount - used.amount,
    revenue: known.revenue - sale.amounts.total,
  };
};

/** Uses of discounts in confirmed sales that stand (docs/rules/discounts.md#performance). */
export const discountUsesProjection = projection<
  SaleConfirmed | InvoiceEdited | InvoiceClosed
>()<DiscountUses>({
  name: 'discountUses',
  version: 2,
  indexes: [
    { fields: ['discountId', 'of', 'day'] },
    { fields: ['of', 'uses'] },
    { fields: ['of', 'lastUsed'] },
  ],
  keys: (event) => {
    if (event.type === 'InvoiceCancelled' || event.type === 'InvoiceDeleted') return keysOfClosed(event);
    const { type, data } = event;
    if (type === 'SaleConfirmed') return keysOf(discountAmounts(data.content).keys(), data.content);
    const ids = data.difference.discounts.map(({ discountId }) => discountId);
    return data.isOfSale ? keysOf(ids, data.content) : [];
  },
  on: {
    SaleConfirmed: (known, { data: { content, confirmedAt: at } }, key) => {
      const amount = discountAmounts(content).get(key.split(' ')[0] ?? '') ?? 0;
      const revenue = content.amountsInStoreCurrency.total;
      return withUses(known, key, { uses: 1, amount, revenue, at });
    },
    InvoiceEdited: (known, { data }, key) => withUses(known, key, broughtByEdit(key, data)),
    InvoiceCancelled: withoutSale,
    InvoiceDeleted: withoutSale,
  },
});
