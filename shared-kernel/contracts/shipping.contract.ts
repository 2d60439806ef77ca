import { z } from 'zod';
import type { ShippingOption, Warehouse } from '#events/shipping.events.ts';
import type { Entity } from '#kernel/entity.ts';
import type { Address } from '#values/address.ts';
import { toDecimal } from '#values/money.ts';
import { countryName } from '#values/region.ts';
import {
  amount,
  answerDates,
  areDistinct,
  changeBody,
  count,
  country,
  countryOrAll,
  createBody,
  enumOf,
  guid,
  name,
  optionalGuid,
  optionalText,
  withRegion,
  type CurrencyOf,
} from './management.contract.ts';

const text = z.string().trim().max(250).default('');

/** Of a warehouse's address only the country is required. */
const warehouseAddress = z
  .object({
    name: text,
    company: optionalText.default(null),
    addressOne: text,
    addressTwo: optionalText.default(null),
    townCity: text,
    countyState: optionalText.default(null),
    regionCode: z.string().trim().toUpperCase().max(10).nullable().default(null),
    postalCode: text,
    countryCode: country,
    email: optionalText.default(null),
    phone: optionalText.default(null),
  })
  .transform((given): Address => ({ ...given, country: countryName(given.countryCode) }));

const warehouseShape = {
  name,
  code: optionalText,
  address: warehouseAddress,
  supplierId: optionalGuid,
  serviceRegions: z.array(withRegion({ countryCode: countryOrAll, isExcluded: z.boolean().default(false) })),
};

export const createWarehouse = createBody(warehouseShape, {
  code: null,
  supplierId: null,
  serviceRegions: [],
});
export const changeWarehouse = changeBody(warehouseShape);

const days = count.max(365);
const weight = z.number().min(0).max(100_000);

const optionShape = (currency: CurrencyOf) => ({
  name,
  warehouseId: guid,
  providerKey: z.literal('flat-rate', 'flat-rate was expected: no carrier is connected'),
  serviceType: optionalText,
  isEnabled: z.boolean(),
  fixedCost: amount(currency).nullable(),
  daysFrom: days,
  daysTo: days,
  isNextDay: z.boolean(),
  nextDayCutOffTime: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time HH:MM was expected')
    .nullable(),
  costs: z
    .array(withRegion({ countryCode: countryOrAll, cost: amount(currency) }))
    .refine(
      (costs) =>
        areDistinct(costs.map(({ countryCode, regionCode }) => `${countryCode} ${regionCode ?? ''}`)),
      'each country and region once was expected',
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
});

export const createShippingOption = (currency: CurrencyOf) =>
  createBody(optionShape(currency), {
    providerKey: 'flat-rate',
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
  });
export const changeShippingOption = (currency: CurrencyOf) => changeBody(optionShape(currency));

export const warehouseAnswer = ({ id, fields, dateCreated, dateUpdated }: Entity<Warehouse>) => ({
  id,
  ...fields,
  dateCreated,
  dateUpdated,
});

export const shippingOptionAnswer = (
  { id, fields, dateCreated, dateUpdated }: Entity<ShippingOption>,
  currency: string,
) => {
  const money = (minor: number): number => toDecimal(minor, currency);
  return {
    id,
    ...fields,
    fixedCost: fields.fixedCost === null ? null : money(fields.fixedCost),
    costs: fields.costs.map((rule) => ({ ...rule, cost: money(rule.cost) })),
    weightTiers: fields.weightTiers.map((tier) => ({ ...tier, surcharge: money(tier.surcharge) })),
    postcodeRules: fields.postcodeRules.map((rule) => ({ ...rule, surcharge: money(rule.surcharge) })),
    dateCreated,
    dateUpdated,
  };
};

const place = { countryCode: z.string(), regionCode: z.string().nullable() };

export const warehouseSchema = z.object({
  ...answerDates,
  name: z.string(),
  code: z.string().nullable(),
  address: z.looseObject({ countryCode: z.string(), country: z.string() }),
  supplierId: z.string().nullable(),
  serviceRegions: z.array(z.object({ ...place, isExcluded: z.boolean() })),
});

export const shippingOptionSchema = z.object({
  ...answerDates,
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
});
