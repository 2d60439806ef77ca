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

const savedMethodResponse = savedMethod.extend({
  ...savedMethodDone.shape,
  paymentMethod: savedMethod,
});

/** The payer goes on at their bank, or in the provider's script, and comes back to where `/setup` said. */
const setupActionResponse = z.object({
  success: z.literal(false),
  status: z.literal('RequiresAction'),
  message: z.string(),
  setupSessionId: z.string(),
  redirectUrl: z.string().nullable(),
  clientSecret: z.string().nullable(),
});

export const confirmedSetupResponse = z.union([savedMethodResponse, setupActionResponse]);

/** With what a payer comes back, and what the provider or bank adds. */
export const setupReturnQuery = z
  .object({ provider: z.string().min(1).max(100), sessionId: z.string().min(1).max(250).optional() })
  .catchall(z.unknown());

export const setupReturnResponse = z.object({
  success: z.boolean(),
  message: z.string(),
  setupSessionId: z.string(),
  status: z.enum(['Saved', 'RequiresAction', 'Failed']),
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
