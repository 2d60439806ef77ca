import { z } from 'zod';
import { areDistinct, country, name, percentage, withRegion } from '#fields/body-fields.ts';
import type { EventOf } from '#events/define-events.ts';
import { percent, text } from '#events/fields.ts';
import { defineEntity, type FieldsOf } from './define-entity.ts';

/** Tax groups (docs/rules/tax.md). */
export const taxGroup = defineEntity({
  category: 'taxGroup',
  context: 'tax',
  noun: 'tax group',
  path: '/tax-groups',
  list: 'taxGroups',
  fields: {
    name: text,
    /** Where no rate matches. */
    taxPercentage: percent,
    rates: z.array(z.object({ countryCode: text, regionCode: text.nullable(), taxPercentage: percent })),
  },
  body: () => ({
    name,
    taxPercentage: percentage,
    rates: z
      .array(withRegion({ countryCode: country, taxPercentage: percentage }))
      .refine(
        (rates) =>
          areDistinct(rates.map(({ countryCode, regionCode }) => `${countryCode} ${regionCode ?? ''}`)),
        'must name each country and region once',
      ),
  }),
  defaults: { rates: [] },
  response: {
    name: z.string(),
    taxPercentage: z.number(),
    rates: z.array(
      z.object({ countryCode: z.string(), regionCode: z.string().nullable(), taxPercentage: z.number() }),
    ),
  },
  searched: ['name'],
});
export type TaxGroup = FieldsOf<typeof taxGroup>;
export type TaxGroupEvent = EventOf<(typeof taxGroup)['events']>;
