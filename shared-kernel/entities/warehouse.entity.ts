import { z } from 'zod';
import {
  country,
  countryOrAll,
  name,
  optionalGuid,
  optionalText,
  withRegion,
} from '#contracts/management.contract.ts';
import type { EventOf } from '#events/define-events.ts';
import { address, guid, text } from '#events/fields.ts';
import type { Address } from '#values/address.ts';
import { countryName } from '#values/region.ts';
import { defineEntity, type FieldsOf } from './define-entity.ts';

const place = { countryCode: text, regionCode: text.nullable() };
const line = z.string().trim().max(250).default('');

/** Of a warehouse's address only the country is required. */
const warehouseAddress = z
  .object({
    name: line,
    company: optionalText.default(null),
    addressOne: line,
    addressTwo: optionalText.default(null),
    townCity: line,
    countyState: optionalText.default(null),
    regionCode: z.string().trim().toUpperCase().max(10).nullable().default(null),
    postalCode: line,
    countryCode: country,
    email: optionalText.default(null),
    phone: optionalText.default(null),
  })
  .transform((given): Address => ({ ...given, country: countryName(given.countryCode) }));

export const warehouse = defineEntity({
  category: 'warehouse',
  context: 'shipping',
  noun: 'warehouse',
  path: '/warehouses',
  list: 'warehouses',
  fields: {
    name: text,
    code: text.nullable(),
    /** Of a warehouse only the country is required; the other fields may be empty. */
    address,
    supplierId: guid.nullable(),
    serviceRegions: z.array(z.object({ ...place, isExcluded: z.boolean() })),
  },
  body: () => ({
    name,
    code: optionalText,
    address: warehouseAddress,
    supplierId: optionalGuid,
    serviceRegions: z.array(
      withRegion({ countryCode: countryOrAll, isExcluded: z.boolean().default(false) }),
    ),
  }),
  defaults: {
    code: null,
    supplierId: null,
    serviceRegions: [],
  },
  answer: {
    name: z.string(),
    code: z.string().nullable(),
    address: z.looseObject({ countryCode: z.string(), country: z.string() }),
    supplierId: z.string().nullable(),
    serviceRegions: z.array(z.object({ ...place, isExcluded: z.boolean() })),
  },
  searched: ['name', 'code'],
  unique: { code: { kind: 'warehouse-code', inCase: 'lower' } },
});
export type Warehouse = FieldsOf<typeof warehouse>;
export type WarehouseEvent = EventOf<(typeof warehouse)['events']>;
