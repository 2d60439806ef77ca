import { z } from 'zod';
import {
  areDistinct,
  count,
  countryOrAll,
  name,
  optionalGuid,
  optionalText,
  percentage,
  placeAddress,
  withRegion,
} from '#fields/body-fields.ts';
import type { EventOf } from '#events/define-events.ts';
import { address, guid, text } from '#events/fields.ts';
import { defineEntity, type FieldsOf } from './define-entity.ts';
import { carrierKey } from './shipping-provider.entity.ts';

const place = { countryCode: text, regionCode: text.nullable() };
const providerConfig = z.object({
  providerKey: text,
  isEnabled: z.boolean(),
  markUpPercent: z.number(),
  daysFrom: z.int().nullable(),
  daysTo: z.int().nullable(),
});

const days = count.max(365).nullable().default(null);
const givenProviderConfigs = z
  .array(
    z
      .object({
        providerKey: carrierKey,
        isEnabled: z.boolean().default(true),
        markUpPercent: percentage.default(0),
        daysFrom: days,
        daysTo: days,
      })
      .refine(({ daysFrom, daysTo }) => daysFrom === null || daysTo === null || daysFrom <= daysTo, {
        path: ['daysTo'],
        message: 'must not be fewer than daysFrom',
      }),
  )
  .refine(
    (configs) => areDistinct(configs.map(({ providerKey }) => providerKey)),
    'must name each carrier once',
  );

export const warehouse = defineEntity({
  category: 'warehouse',
  context: 'shipping',
  noun: 'warehouse',
  path: '/warehouses',
  list: 'warehouses',
  version: 3,
  fields: {
    name: text,
    code: text.nullable(),
    /** Of a warehouse only the country is required; the other fields may be empty. */
    address,
    supplierId: guid.nullable(),
    fulfilmentProviderConfigurationId: guid.nullable(),
    serviceRegions: z.array(z.object({ ...place, isExcluded: z.boolean() })),
    /** The carriers that are asked what sending from here costs. */
    providerConfigs: z.array(providerConfig),
  },
  body: () => ({
    name,
    code: optionalText,
    address: placeAddress,
    supplierId: optionalGuid,
    fulfilmentProviderConfigurationId: optionalGuid,
    serviceRegions: z.array(
      withRegion({ countryCode: countryOrAll, isExcluded: z.boolean().default(false) }),
    ),
    providerConfigs: givenProviderConfigs,
  }),
  defaults: {
    code: null,
    supplierId: null,
    fulfilmentProviderConfigurationId: null,
    serviceRegions: [],
    providerConfigs: [],
  },
  response: {
    name: z.string(),
    code: z.string().nullable(),
    address: z.looseObject({ countryCode: z.string(), country: z.string() }),
    supplierId: z.string().nullable(),
    fulfilmentProviderConfigurationId: z.string().nullable(),
    serviceRegions: z.array(z.object({ ...place, isExcluded: z.boolean() })),
    providerConfigs: z.array(providerConfig),
  },
  searched: ['name', 'code'],
  unique: { code: { kind: 'warehouse-code', inCase: 'lower' } },
  references: {
    supplierId: 'supplier',
    fulfilmentProviderConfigurationId: 'fulfilmentProviderConfiguration',
  },
});
export type Warehouse = FieldsOf<typeof warehouse>;
export type WarehouseEvent = EventOf<(typeof warehouse)['events']>;
