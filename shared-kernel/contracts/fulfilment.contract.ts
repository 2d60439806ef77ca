import { z } from 'zod';
import { listFields } from './listing.contract.ts';
import { freeForm } from '#fields/free-form.ts';
import { guid, instant } from '#fields/body-fields.ts';

/** Fulfilment providers in the management API (docs/rules/fulfilment.md#providers). */

/** In any case, and the same for whoever counts calls. */
export const providerKeyParams = z.object({ providerKey: z.string().min(1).max(250).toLowerCase() });

const capabilities = {
  supportsOrderSubmission: z.boolean(),
  supportsOrderCancellation: z.boolean(),
  supportsWebhooks: z.boolean(),
  supportsPolling: z.boolean(),
  supportsProductSync: z.boolean(),
  supportsInventorySync: z.boolean(),
  createsShipmentOnSubmission: z.boolean(),
};

export const availableProvidersResponse = z.array(
  z.object({
    key: z.string(),
    displayName: z.string(),
    icon: z.string().nullable(),
    iconSvg: z.string().nullable(),
    description: z.string(),
    setupInstructions: z.string(),
    ...capabilities,
    apiStyle: z.string(),
  }),
);

/** What warehouses and suppliers may choose from. */
export const providerOptionsResponse = z.array(
  z.object({
    id: z.string(),
    configurationId: z.string(),
    providerKey: z.string(),
    displayName: z.string(),
    isEnabled: z.boolean(),
    ...capabilities,
  }),
);

export const connectionTestResponse = z.object({
  success: z.boolean(),
  providerVersion: z.string().nullable(),
  accountName: z.string().nullable(),
  warehouseCount: z.int().nullable(),
  errorMessage: z.string().nullable(),
  errorCode: z.string().nullable(),
});

export const orderTestResponse = z.object({
  success: z.boolean(),
  providerReference: z.string().nullable(),
  providerStatus: z.string().nullable(),
  errorMessage: z.string().nullable(),
});

export const webhookEventsResponse = z.array(
  z.object({ eventType: z.string(), displayName: z.string(), description: z.string() }),
);

export const orderParams = z.object({ orderId: guid });

export const releaseResponse = z.object({
  orderId: z.string(),
  released: z.boolean(),
  alreadyReleased: z.boolean(),
  message: z.string(),
  fulfilmentProviderReference: z.string().nullable(),
});

export const submitResponse = z.object({
  orderId: z.string(),
  submitted: z.boolean(),
  message: z.string(),
  fulfilmentProviderReference: z.string().nullable(),
});

export const syncLogQuery = z.object({ ...listFields(20), configurationId: guid.optional() });

export const syncLogResponse = z.object({
  id: z.string(),
  providerConfigurationId: z.string(),
  /** Null once it is deleted. */
  providerDisplayName: z.string().nullable(),
  syncType: z.enum(['ProductsOut', 'InventoryIn']),
  syncTypeLabel: z.string(),
  status: z.enum(['Pending', 'Running', 'Completed', 'Failed']),
  statusLabel: z.string(),
  itemsProcessed: z.int(),
  itemsSucceeded: z.int(),
  itemsFailed: z.int(),
  errorMessage: z.string().nullable(),
  startedAt: z.string(),
  completedAt: z.string().nullable(),
});

export const fulfilmentCallbackResponse = z.object({
  message: z.enum(['Webhook processed', 'Already processed']),
  eventType: z.string().optional(),
  statusUpdates: z.int().optional(),
  shipmentUpdates: z.int().optional(),
  /** Levels that were taken over. */
  inventoryUpdates: z.int().optional(),
});

const given = z
  .string()
  .trim()
  .max(250)
  .nullish()
  .transform((text) => text || null);

export const simulateWebhookBody = z.object({
  eventType: z.string().trim().min(1).max(250),
  providerReference: given,
  providerShipmentId: given,
  trackingNumber: given,
  carrier: given,
  shippedDate: instant.nullish().transform((date) => date ?? null),
  /** The whole message, in place of the fields beside it. */
  customPayload: z
    .union([z.string().max(100_000), freeForm(z.record(z.string(), z.unknown()))])
    .nullish()
    .transform((payload) => {
      if (payload === undefined || payload === null) return null;
      return typeof payload === 'string' ? payload : JSON.stringify(payload);
    }),
});

export const simulateWebhookResponse = z.object({
  success: z.boolean(),
  eventTypeDetected: z.string().nullable(),
  actionsPerformed: z.array(z.string()),
  /** As the provider would have sent it. */
  payload: z.string(),
  errorMessage: z.string().nullable(),
});
