import { z } from 'zod';
import { freeForm } from '#fields/free-form.ts';
import { count, enumOf } from '#fields/body-fields.ts';
import { secret } from '#events/define-events.ts';
import { count as recordedCount, text } from '#events/fields.ts';
import {
  fulfilmentProviderOf,
  fulfilmentProviders,
  maskedConfiguration,
} from '#values/fulfilment-providers.ts';
import { meantConfiguration } from '#values/provider-field.ts';
import { defineEntity, type FieldsOf } from './define-entity.ts';

/** The key of a provider that there is an adapter for. */
const providerKey = z
  .string()
  .trim()
  .toLowerCase()
  .refine(
    (key) => fulfilmentProviderOf(key) !== undefined,
    `must be one of ${fulfilmentProviders.map(({ key }) => key).join(', ')}`,
  );

/** Settings are texts; numbers may be sent as such. */
const given = z
  .union([z.string().max(2000), z.number(), z.boolean(), z.null()])
  .transform((value) => (value === null ? '' : String(value).trim()));

type Configuration = Readonly<Record<string, string>>;

/** Without what is empty; what comes back as it is shown stays as it was. */
const settled = (configuration: Configuration, known: Configuration): Record<string, string> =>
  Object.fromEntries(
    Object.entries(meantConfiguration(configuration, known) as Configuration).filter(
      ([, now]) => (now ?? '') !== '',
    ),
  );

/** A provider that sends goods, as staff have set it up; of one kind there may be several. */
export const fulfilmentProviderConfiguration = defineEntity({
  category: 'fulfilmentProviderConfiguration',
  context: 'fulfilment',
  noun: 'fulfilment provider configuration',
  path: '/fulfilment-providers',
  list: 'fulfilmentProviderConfigurations',
  recordedAs: null,
  fields: {
    providerKey: text,
    displayName: text,
    isEnabled: z.boolean(),
    inventorySyncMode: z.enum(['Full', 'Delta']),
    /** Keys of accounts are among them. */
    configuration: secret(z.record(z.string(), z.string())),
    sortOrder: recordedCount,
  },
  body: () => ({
    providerKey,
    displayName: z.string().trim().min(1).max(250),
    isEnabled: z.boolean(),
    inventorySyncMode: enumOf({ Full: 0, Delta: 1 }),
    configuration: freeForm(z.record(z.string().max(50), given)),
    sortOrder: count.max(1_000_000),
  }),
  defaults: { isEnabled: true, inventorySyncMode: 'Full', configuration: {}, sortOrder: 0 },
  derived: {
    displayName: ({ providerKey: key }) => fulfilmentProviderOf(key)?.displayName ?? key,
  },
  stored: ({ configuration }, known) =>
    configuration === undefined ? {} : { configuration: settled(configuration, known?.configuration ?? {}) },
  masked: {
    field: 'configuration',
    mask: ({ providerKey: key, configuration }) => maskedConfiguration(key, configuration),
  },
  response: {
    providerKey: z.string(),
    displayName: z.string(),
    isEnabled: z.boolean(),
    inventorySyncMode: z.string(),
    configuration: z.record(z.string(), z.string()),
    sortOrder: z.int(),
  },
  called: ({ displayName }) => displayName,
  searched: ['displayName', 'providerKey'],
  sorted: ['sortOrder'],
  reordered: 'sortOrder',
  immutable: ['providerKey'],
});
export type FulfilmentProviderConfiguration = FieldsOf<typeof fulfilmentProviderConfiguration>;
