import { z } from 'zod';
import { guid } from '#fields/body-fields.ts';
import { providerField } from './provider-fields.contract.ts';

/** Carriers in the management API (docs/rules/shipping.md#carriers). */

export const carrierParams = z.object({ providerKey: z.string() });
export const warehouseQuery = z.object({ warehouseId: guid });

const service = z.object({ serviceCode: z.string(), name: z.string() });

export const carriersResponse = z.array(
  z.object({
    providerKey: z.string(),
    displayName: z.string(),
    description: z.string(),
    services: z.array(service),
  }),
);

export const fieldsResponse = z.array(
  providerField.extend({
    defaultValue: z.union([z.number(), z.string()]),
    options: z.array(z.string()).optional(),
  }),
);

/** The carriers that a warehouse can have asked, and whether it does. */
export const carriersOfWarehouseResponse = z.array(
  z.object({
    providerKey: z.string(),
    displayName: z.string(),
    isEnabled: z.boolean(),
    isEnabledInWarehouse: z.boolean(),
    markUpPercent: z.number(),
    daysFrom: z.int().nullable(),
    daysTo: z.int().nullable(),
  }),
);
