import { z } from 'zod';
import { chosenMethod } from './checkout.contract.ts';

/** A way to pay that a customer has saved: nothing by which anybody else could pay. */
export const savedMethod = z.object({
  id: z.string(),
  providerAlias: z.string(),
  methodType: z.string(),
  cardBrand: z.string().nullable(),
  last4: z.string().nullable(),
  /** `MM/YY`. */
  expiryFormatted: z.string().nullable(),
  isExpired: z.boolean(),
  displayLabel: z.string(),
  isDefault: z.boolean(),
  iconHtml: z.string().nullable(),
});

export const savedMethodsResponse = z.array(savedMethod);

export const savedMethodDone = z.object({ success: z.literal(true), message: z.string() });

export const savedMethodResponse = savedMethod.extend({
  ...savedMethodDone.shape,
  paymentMethod: savedMethod,
});

export const vaultProvidersResponse = z.array(
  z.object({
    alias: z.string(),
    displayName: z.string(),
    iconHtml: z.string().nullable(),
    requiresProviderCustomerId: z.boolean(),
  }),
);

export const setupBody = z.object({
  ...chosenMethod,
  returnUrl: z.string().min(1),
  cancelUrl: z.string().min(1),
});

export const setupResponse = savedMethodDone.extend({
  errorMessage: z.null(),
  setupSessionId: z.string(),
  clientSecret: z.string().nullable(),
  redirectUrl: z.string().nullable(),
  providerCustomerId: z.string().nullable(),
  /** As the provider's own script takes it. */
  sdkConfig: z.record(z.string(), z.unknown()),
});

export const confirmSetupBody = z.object({
  providerAlias: z.string().min(1),
  setupSessionId: z.string().min(1).max(250),
  paymentMethodToken: z.string().max(500).nullish(),
  providerCustomerId: z.string().max(250).nullish(),
  setAsDefault: z.boolean().nullish(),
});
