import { z } from 'zod';
import {
  countryOrAll,
  name,
  noFulfilmentProvider,
  optionalGuid,
  optionalText,
  placeAddress,
  withRegion,
} from '#contracts/management.contract.ts';
import type { EventOf } from '#events/define-events.ts';
import { address, guid, text } from '#events/fields.ts';
import { defineEntity, type FieldsOf } from './define-entity.ts';

const place = { countryCode: text, regionCode: text.nullable() };
export const warehouse = defineEntity({
  category: 'warehouse',
  context: 'shipping',
  noun: 'warehouse',
  path: '/warehouses',
  list: 'warehouses',
  version: 2,
  fields: {
    name: text,
    code: text.nullable(),
    /** Of a warehouse only the country is required; the other fields may be empty. */
    address,
    supplierId: guid.nullable(),
    fulfilmentProviderConfigurationId: guid.nullable(),
    serviceRegions: z.array(z.object({ ...place, isExcluded: z.boolean() })),
  },
  body: () => ({
    name,
    code: optionalText,
    address: placeAddress,
    supplierId: optionalGuid,
    fulfilmentProviderConfigurationId: noFulfilmentProvider,
    serviceRegions: z.array(
      withRegion({ countryCode: countryOrAll, isExcluded: z.boolean().default(false) }),
    ),
  }),
  defaults: {
    code: null,
    supplierId: null,
    fulfilmentProviderConfigurationId: null,
    serviceRegions: [],
  },
  answer: {
    name: z.string(),
    code: z.string().nullable(),
    address: z.looseObject({ countryCode: z.string(), country: z.string() }),
    supplierId: z.string().nullable(),
    fulfilmentProviderConfigurationId: z.string().nullable(),
    serviceRegions: z.array(z.object({ ...place, isExcluded: z.boolean() })),
  },
  searched: ['name', 'code'],
  unique: { code: { kind: 'warehouse-code', inCase: 'lower' } },
  references: { supplierId: 'supplier' },
});
export type Warehouse = FieldsOf<typeof warehouse>;
export type WarehouseEvent = EventOf<(typeof warehouse)['events']>;
