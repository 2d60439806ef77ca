import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType } from '#kernel/event.ts';
import { projection, type Document } from '#kernel/projection.ts';
import { monthOf } from '#values/business-day.ts';
import { EVERY_RULE } from '#values/every-rule.ts';
import type { Minor } from '#values/money.ts';

export interface Sold {
  readonly conversions: number;
  readonly revenue: Minor;
}

/**
 * What suggestions of a rule have sold: in all, in one month by its days, and to one customer; and those of every rule,
 * in all and in one month. Amounts in minor units of the store's currency.
 */
export interface UpsellSales extends Document, Sold {
  /** `EVERY_RULE` for all of them together. */
  readonly upsellRuleId: string;
  readonly of: 'all' | 'month' | 'customer';
  /** `YYYY-MM`; null where it is of no month. */
  readonly month: string | null;
  /** Of a month, by business day. */
  readonly days: Readonly<Record<string, Sold>>;
  /** Invoices with a conversion; of every rule, one that several rules share counts for each. */
  readonly invoices: number;
  /** ISO instant. */
  readonly lastConversion: string;
}

const SLOTS = ['all', 'month', 'customer'] as const;

export const salesKey = (upsellRuleId: string): string => `${upsellRuleId} all`;

type UpsellConverted = EventOfType<InvoiceEvent, 'UpsellConverted'>;

const keysOf = ({ upsellRuleId, convertedDay, customerId }: UpsellConverted['data']): readonly string[] => [
  ...[upsellRuleId, EVERY_RULE].flatMap((rule) => [salesKey(rule), `${rule} month ${monthOf(convertedDay)}`]),
  ...(customerId === null ? [] : [`${upsellRuleId} customer ${customerId}`]),
];

const soldMore = (known: Sold | null | undefined, amount: Minor): Sold => ({
  conversions: (known?.conversions ?? 0) + 1,
  revenue: (known?.revenue ?? 0) + amount,
});

/** Conversions of upsell rules (docs/rules/upsell-performance.md#figures). */
export const upsellSalesProjection = projection<UpsellConverted>()<UpsellSales>({
  name: 'upsellSales',
  version: 2,
  indexes: [{ fields: ['upsellRuleId', 'of', 'month'] }, { fields: ['of', 'revenue'] }],
  keys: ({ data }) => keysOf(data),
  on: {
    UpsellConverted: (known, { data }, key) => {
      const [upsellRuleId = '', word = '', name = null] = key.split(' ');
      const of = SLOTS.find((slot) => slot === word) ?? 'all';
      const { convertedDay, amountInStoreCurrency: amount } = data;
      const { days = {} } = known ?? {};
      return {
        ...{ _id: key, upsellRuleId, of, month: of === 'month' ? name : null },
        days: of === 'month' ? { ...days, [convertedDay]: soldMore(days[convertedDay], amount) } : {},
        ...soldMore(known, amount),
        invoices: (known?.invoices ?? 0) + (data.isFirstOfRule ? 1 : 0),
        lastConversion: data.convertedAt,
      };
    },
  },
});
