import { z } from 'zod';
import { country, optionalGuid, region } from '#fields/body-fields.ts';
import type { EventOf } from '#events/define-events.ts';
import { guid, text } from '#events/fields.ts';
import { countryName, findRegion } from '#values/region.ts';
import { defineEntity, type FieldsOf } from './define-entity.ts';

/** Where shipping is taxed otherwise than the settings say (docs/rules/tax.md#overrides). */
export const shippingTaxOverride = defineEntity({
  category: 'shippingTaxOverride',
  context: 'tax',
  noun: 'shipping tax override',
  path: '/shipping-tax-overrides',
  list: 'shippingTaxOverrides',
  fields: {
    countryCode: text,
    /** Null: the whole country. */
    regionCode: text.nullable(),
    /** Null: shipping is not taxed there. */
    shippingTaxGroupId: guid.nullable(),
  },
  body: () => ({ countryCode: country, regionCode: region, shippingTaxGroupId: optionalGuid }),
  defaults: { regionCode: null, shippingTaxGroupId: null },
  stored: ({ countryCode, regionCode, shippingTaxGroupId = null }) => ({
    shippingTaxGroupId,
    ...(countryCode !== undefined &&
      regionCode !== undefined &&
      regionCode !== null && { regionCode: findRegion(countryCode, regionCode)?.regionCode ?? regionCode }),
  }),
  response: {
    countryCode: z.string(),
    regionCode: z.string().nullable(),
    shippingTaxGroupId: z.string().nullable(),
  },
  beside: {
    response: {
      shippingTaxGroupName: z.string().nullable(),
      shippingTaxGroupPercentage: z.number().nullable(),
      countryName: z.string(),
      regionName: z.string().nullable(),
    },
    show: ({ countryCode, regionCode, shippingTaxGroupId }, find) => {
      const group = shippingTaxGroupId === null ? undefined : find('taxGroup', shippingTaxGroupId);
      return {
        shippingTaxGroupName: group?.['name'] ?? null,
        shippingTaxGroupPercentage: group?.['taxPercentage'] ?? null,
        countryName: countryName(countryCode),
        regionName: regionCode === null ? null : (findRegion(countryCode, regionCode)?.name ?? regionCode),
      };
    },
  },
  searched: ['countryCode', 'regionCode'],
  uniqueTogether: { kind: 'shipping-tax-place', fields: ['countryCode', 'regionCode'] },
  fixed: ['countryCode', 'regionCode'],
  called: ({ countryCode, regionCode }) => [countryCode, regionCode ?? ''].join(' ').trim(),
  references: { shippingTaxGroupId: 'taxGroup' },
});
export type ShippingTaxOverride = FieldsOf<typeof shippingTaxOverride>;
export type ShippingTaxOverrideEvent = EventOf<(typeof shippingTaxOverride)['events']>;
