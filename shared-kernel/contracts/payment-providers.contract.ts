import { z } from 'zod';
import { pageSchema } from './listing.contract.ts';

/** Payment providers as the backoffice keeps them (docs/rules/payment-providers.md#keeping). */

const name = z.string().trim().min(1).max(250);

export const paymentProviderToggleBody = z.object({ isEnabled: z.boolean() });
export const paymentProviderOrderBody = z.object({ ids: z.array(z.string().max(250)).min(1).max(200) });

/** PUT …/{alias}: what is given is replaced; a name of null is the provider's own. */
export const paymentProviderBody = z.object({
  displayName: name.nullish(),
  isEnabled: z.boolean().optional(),
  vaultingEnabled: z.boolean().optional(),
  methods: z
    .array(
      z.object({
        methodAlias: z.string().max(250),
        displayName: name.nullish(),
        showInCheckout: z.boolean().optional(),
      }),
    )
    .max(50)
    .optional(),
});

const ability = {
  supportsRefunds: z.boolean(),
  supportsPartialRefunds: z.boolean(),
  supportsAuthAndCapture: z.boolean(),
  supportsPaymentLinks: z.boolean(),
  supportsVaultedPayments: z.boolean(),
  requiresProviderCustomerId: z.boolean(),
  requiresWebhook: z.boolean(),
};

const method = z.object({
  methodAlias: z.string(),
  displayName: z.string(),
  integrationType: z.string(),
  isExpressCheckout: z.boolean(),
  methodType: z.string().nullable(),
});

export const paymentProviderResponse = z.object({
  alias: z.string(),
  displayName: z.string(),
  isEnabled: z.boolean(),
  isConfigured: z.boolean(),
  sortOrder: z.int(),
  vaultingEnabled: z.boolean(),
  ...ability,
  methods: z.array(method.extend({ showInCheckout: z.boolean() })),
  configuration: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
});
export const paymentProviderPage = pageSchema(paymentProviderResponse);
export const paymentProvidersResponse = z.array(paymentProviderResponse);

export const availablePaymentProvidersResponse = z.array(
  z.object({ alias: z.string(), displayName: z.string(), ...ability, methods: z.array(method) }),
);

export const paymentProviderFieldsResponse = z.array(
  z.object({
    key: z.string(),
    label: z.string(),
    type: z.enum(['Text', 'Secret', 'Boolean', 'Number', 'Url']),
    isRequired: z.boolean(),
    isSecret: z.boolean(),
    defaultValue: z.string().nullable(),
  }),
);
