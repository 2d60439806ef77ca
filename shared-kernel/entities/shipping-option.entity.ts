import { z } from 'zod';
import {
  amount,
  areDistinct,
  count as wholeNumber,
  country,
  countryOrAll,
  enumOf,
  externalKey,
  guid as givenGuid,
  name,
  optionalText,
  withRegion,
} from '#fields/body-fields.ts';
import type { EventOf } from '#events/define-events.ts';
import { count, guid, minor, text } from '#events/fields.ts';
import { FLAT_RATE } from '#values/carriers.ts';
import { toDecimal } from '#values/money.ts';
import { defineEntity, type FieldsOf } from './define-entity.ts';
import { carrierKey } from './shipping-provider.entity.ts';

const place = { countryCode: text, regionCode: text.nullable() };
const days = wholeNumber.max(365);
const weight = z.number().min(0).max(100_000);

/** A way to ship from one warehouse. Money in minor units of the store's currency. */
export const shippingOption = defineEntity({
  category: 'shippingOption',
  context: 'shipping',
  noun: 'shipping option',
  path: '/shipping-options',
  list: 'shippingOptions',
  version: 2,
  fields: {
    name: text,
    warehouseId: guid,
    providerKey: text,
    serviceType: text.nullable(),
    isEnabled: z.boolean(),
    fixedCost: minor.nullable(),
    daysFrom: count,
    daysTo: count,
    isNextDay: z.boolean(),
    nextDayCutOffTime: text.nullable(),
    costs: z.array(z.object({ ...place, cost: minor })),
    weightTiers: z.array(
      z.object({ ...place, minWeightKg: z.number(), maxWeightKg: z.number().nullable(), surcharge: minor }),
    ),
    excludedRegions: z.array(z.object(place)),
    postcodeRules: z.array(
      z.object({
        countryCode: text,
        pattern: text,
        matchType: z.enum(['Prefix', 'OutcodeRange', 'NumericRange', 'Exact']),
        action: z.enum(['Block', 'Surcharge']),
        surcharge: minor,
      }),
    ),
    allowsDeliveryDateSelection: z.boolean(),
    minDeliveryDays: count.nullable(),
    maxDeliveryDays: count.nullable(),
    allowedDaysOfWeek: z.array(z.int()).nullable(),
    isDeliveryDateGuaranteed: z.boolean(),
    /** By which agents know the option; null: by its id. */
    externalKey: text.nullable(),
  },
  body: (currency) => ({
    name,
    warehouseId: givenGuid,
    providerKey: z.literal(FLAT_RATE).or(carrierKey),
    serviceType: optionalText,
    isEnabled: z.boolean(),
    fixedCost: amount(currency).nullable(),
    daysFrom: days,
    daysTo: days,
    isNextDay: z.boolean(),
    nextDayCutOffTime: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time HH:MM')
      .nullable(),
    costs: z
      .array(withRegion({ countryCode: countryOrAll, cost: amount(currency) }))
      .refine(
        (costs) =>
          areDistinct(costs.map(({ countryCode, regionCode }) => `${countryCode} ${regionCode ?? ''}`)),
        'must name each country and region once',
      ),
    weightTiers: z.array(
      withRegion({
        countryCode: countryOrAll,
        minWeightKg: weight,
        maxWeightKg: weight.nullable().default(null),
        surcharge: amount(currency),
      }),
    ),
    excludedRegions: z.array(withRegion({ countryCode: countryOrAll })),
    postcodeRules: z.array(
      z.object({
        countryCode: country,
        pattern: z.string().trim().min(1).max(50),
        matchType: enumOf({ Prefix: 0, OutcodeRange: 10, NumericRange: 20, Exact: 30 }),
        action: enumOf({ Block: 0, Surcharge: 10 }),
        surcharge: amount(currency).default(0),
      }),
    ),
    allowsDeliveryDateSelection: z.boolean(),
    minDeliveryDays: days.nullable(),
    maxDeliveryDays: days.nullable(),
    allowedDaysOfWeek: z.array(z.int().min(0).max(6)).nullable(),
    isDeliveryDateGuaranteed: z.boolean(),
    externalKey,
  }),
  defaults: {
    providerKey: FLAT_RATE,
    serviceType: null,
    isEnabled: true,
    fixedCost: null,
    daysFrom: 3,
    daysTo: 5,
    isNextDay: false,
    nextDayCutOffTime: null,
    costs: [],
    weightTiers: [],
    excludedRegions: [],
    postcodeRules: [],
    allowsDeliveryDateSelection: false,
    minDeliveryDays: null,
    maxDeliveryDays: null,
    allowedDaysOfWeek: null,
    isDeliveryDateGuaranteed: false,
    externalKey: null,
  },
  response: {
    name: z.string(),
    warehouseId: z.string(),
    providerKey: z.string(),
    serviceType: z.string().nullable(),
    isEnabled: z.boolean(),
    fixedCost: z.number().nullable(),
    daysFrom: z.int(),
    daysTo: z.int(),
    isNextDay: z.boolean(),
    nextDayCutOffTime: z.string().nullable(),
    costs: z.array(z.object({ ...place, cost: z.number() })),
    weightTiers: z.array(
      z.object({
        ...place,
        minWeightKg: z.number(),
        maxWeightKg: z.number().nullable(),
        surcharge: z.number(),
      }),
    ),
    excludedRegions: z.array(z.object(place)),
    postcodeRules: z.array(
      z.object({
        countryCode: z.string(),
        pattern: z.string(),
        matchType: z.string(),
        action: z.string(),
        surcharge: z.number(),
      }),
    ),
    allowsDeliveryDateSelection: z.boolean(),
    minDeliveryDays: z.int().nullable(),
    maxDeliveryDays: z.int().nullable(),
    allowedDaysOfWeek: z.array(z.int()).nullable(),
    isDeliveryDateGuaranteed: z.boolean(),
    externalKey: z.string().nullable(),
  },
  show: (fields, currency) => {
    const money = (sum: number): number => toDecimal(sum, currency);
    return {
      ...fields,
      fixedCost: fields.fixedCost === null ? null : money(fields.fixedCost),
      costs: fields.costs.map((rule) => ({ ...rule, cost: money(rule.cost) })),
      weightTiers: fields.weightTiers.map((tier) => ({ ...tier, surcharge: money(tier.surcharge) })),
      postcodeRules: fields.postcodeRules.map((rule) => ({ ...rule, surcharge: money(rule.surcharge) })),
    };
  },
  searched: ['name'],
  sorted: ['warehouseId'],
  unique: { externalKey: { kind: 'shipping-option-key', inCase: 'lower', within: 'warehouseId' } },
  references: { warehouseId: 'warehouse' },
});
export type ShippingOption = FieldsOf<typeof shippingOption>;
export type ShippingOptionEvent = EventOf<(typeof shippingOption)['events']>;
