import { z } from 'zod';
import { defineEvents, type EventOf } from './define-events.ts';
import { address, count, guid, instant, minor, text } from './fields.ts';

const place = { countryCode: text, regionCode: text.nullable() };

export const warehouse = z.object({
  name: text,
  code: text.nullable(),
  /** Of a warehouse only the country is required; the other fields may be empty. */
  address,
  supplierId: guid.nullable(),
  serviceRegions: z.array(z.object({ ...place, isExcluded: z.boolean() })),
});
export type Warehouse = z.output<typeof warehouse>;

/** A way to ship from one warehouse (decisions, storefront 3.3). Money in minor units of the store's currency. */
export const shippingOption = z.object({
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
});
export type ShippingOption = z.output<typeof shippingOption>;

/** Warehouses and shipping options. Streams `warehouse-<id>`, `shippingOption-<id>`. */
export const warehouseEvents = defineEvents('shipping', {
  WarehouseCreated: { warehouse, at: instant },
  WarehouseChanged: { warehouse, at: instant },
  WarehouseDeleted: {},
});
export type WarehouseEvent = EventOf<typeof warehouseEvents>;

export const shippingOptionEvents = defineEvents('shipping', {
  ShippingOptionCreated: { shippingOption, at: instant },
  ShippingOptionChanged: { shippingOption, at: instant },
  ShippingOptionDeleted: {},
});
export type ShippingOptionEvent = EventOf<typeof shippingOptionEvents>;
