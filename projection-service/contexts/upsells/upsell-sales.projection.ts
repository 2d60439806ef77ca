import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType } from '#kernel/event.ts';
import { projection, type Document } from '#kernel/projection.ts';
import { EVERY_RULE } from '#values/every-rule.ts';
import type { Minor } from '#values/money.ts';

/**
 * What suggestions of a rule have sold: in all, on one day, and to one customer; and those of every rule, in all and on
 * one day. Amounts in minor units of the store's currency.
 */
export interface UpsellSales extends Document {
  /** `EVERY_RULE` for all of them together. */
  readonly upsellRuleId: string;
  readonly of: 'all' | 'day' | 'customer';
  /** Business day; null where it is of no day. */
  readonly day: string | null;
  readonly conversions: number;
  readonly revenue: Minor;
  /** Invoices with a conversion; of every rule, one that several rules share counts for each. */
  readonly invoices: number;
  /** ISO instant. */
  readonly lastConversion: string;
}

const SLOTS = ['all', 'day', 'customer'] as const;

export const salesKey = (upsellRuleId: string): string => `${upsellRuleId} all`;

type UpsellConverted = EventOfType<InvoiceEvent, 'UpsellConverted'>;

const keysOf = ({ upsellRuleId, convertedDay, customerId }: UpsellConverted['data']): readonly string[] => [
  ...[upsellRuleId, EVERY_RULE].flatMap((rule) => [salesKey(rule), `${rule} day ${convertedDay}`]),
  `${upsellRuleId} customer ${customerId}`,
];

/** Conversions of upsell rules (docs/rules/upsell-performance.md#figures). */
export const upsellSalesProjection = projection<UpsellConverted>()<UpsellSales>({
  name: 'upsellSales',
  version: 1,
  indexes: [{ fields: ['upsellRuleId', 'of', 'day'] }, { fields: ['of', 'revenue'] }],
  keys: ({ data }) => keysOf(data),
  on: {
    UpsellConverted: (known, { data }, key) => {
      const [upsellRuleId = '', word = '', name = null] = key.split(' ');
      const of = SLOTS.find((slot) => slot === word) ?? 'all';
      return {
        _id: key,
        upsellRuleId,
        of,
        day: of === 'day' ? name : null,
        conversions: (known?.conversions ?? 0) + 1,
        revenue: (known?.revenue ?? 0) + data.amountInStoreCurrency,
        invoices: (known?.invoices ?? 0) + (data.isFirstOfRule ? 1 : 0),
        lastConversion: data.convertedAt,
      };
    },
  },
});
