import { z } from 'zod';
import { enumOf, name, optionalGuid, optionalText, placeAddress } from '#fields/body-fields.ts';
import { address, guid, text } from '#events/fields.ts';
import { defineEntity } from './define-entity.ts';

/** Who owns a warehouse: what is sent from there is theirs (docs/rules/catalogue.md#suppliers). */
export const supplier = defineEntity({
  category: 'supplier',
  context: 'catalogue',
  noun: 'supplier',
  path: '/suppliers',
  list: 'suppliers',
  fields: {
    name: text,
    code: text.nullable(),
    /** Only its country is required; the other fields may be empty. */
    address: address.nullable(),
    contactName: text.nullable(),
    contactEmail: text.nullable(),
    contactPhone: text.nullable(),
    defaultFulfilmentProviderConfigurationId: guid.nullable(),
    fulfilmentTrigger: z.enum(['OnPaid', 'ExplicitRelease']),
  },
  body: () => ({
    name,
    code: optionalText,
    address: placeAddress.nullable(),
    contactName: optionalText,
    contactEmail: z.union([z.literal('').transform(() => null), z.email().max(250)]).nullable(),
    contactPhone: optionalText,
    defaultFulfilmentProviderConfigurationId: optionalGuid,
    fulfilmentTrigger: enumOf({ OnPaid: 0, ExplicitRelease: 10 }),
  }),
  defaults: {
    code: null,
    address: null,
    contactName: null,
    contactEmail: null,
    contactPhone: null,
    defaultFulfilmentProviderConfigurationId: null,
    fulfilmentTrigger: 'OnPaid',
  },
  response: {
    name: z.string(),
    code: z.string().nullable(),
    address: z.looseObject({ countryCode: z.string(), country: z.string() }).nullable(),
    contactName: z.string().nullable(),
    contactEmail: z.string().nullable(),
    contactPhone: z.string().nullable(),
    defaultFulfilmentProviderConfigurationId: z.string().nullable(),
    fulfilmentTrigger: z.string(),
  },
  searched: ['name', 'code'],
  references: { defaultFulfilmentProviderConfigurationId: 'fulfilmentProviderConfiguration' },
});
