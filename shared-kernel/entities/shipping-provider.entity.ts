import { z } from 'zod';
import { freeForm } from '#fields/free-form.ts';
import { count } from '#fields/body-fields.ts';
import type { EventOf } from '#events/define-events.ts';
import { count as recordedCount, text } from '#events/fields.ts';
import { carrierOf, carriers } from '#values/carriers.ts';
import { defineEntity, type FieldsOf } from './define-entity.ts';

/** The key of a carrier that there is an adapter for. */
export const carrierKey = z
  .string()
  .trim()
  .toLowerCase()
  .refine(
    (key) => carrierOf(key) !== undefined,
    `must be one of ${carriers.map(({ key }) => key).join(', ')}`,
  );

/** A carrier that the shop asks for rates: whether it is on, and what staff have set for it. */
export const shippingProvider = defineEntity({
  category: 'shippingProvider',
  context: 'shipping',
  noun: 'shipping provider',
  path: '/shipping-providers',
  list: 'shippingProviders',
  fields: {
    providerKey: text,
    isEnabled: z.boolean(),
    configuration: z.record(z.string(), z.union([z.number(), z.string()])),
    sortOrder: recordedCount,
  },
  body: () => ({
    providerKey: carrierKey,
    isEnabled: z.boolean(),
    configuration: freeForm(z.record(z.string().max(50), z.union([z.number(), z.string().max(250)]))),
    sortOrder: count.max(1_000_000),
  }),
  defaults: { isEnabled: true, configuration: {}, sortOrder: 0 },
  response: {
    providerKey: z.string(),
    isEnabled: z.boolean(),
    configuration: z.record(z.string(), z.union([z.number(), z.string()])),
    sortOrder: z.int(),
  },
  called: ({ providerKey }) => providerKey,
  searched: ['providerKey'],
  sorted: ['sortOrder'],
  reordered: 'sortOrder',
  unique: { providerKey: { kind: 'shipping-provider', inCase: 'lower' } },
});
export type ShippingProvider = FieldsOf<typeof shippingProvider>;
export type ShippingProviderEvent = EventOf<(typeof shippingProvider)['events']>;
