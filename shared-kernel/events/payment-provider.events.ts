import { z } from 'zod';
import { defineEvents, secret, type EventOf } from './define-events.ts';
import { text } from './fields.ts';

/** What shoppers see of a method; null: as the provider calls it. */
const shownMethod = z.object({ methodAlias: text, displayName: text.nullable(), isShown: z.boolean() });
export type ShownMethod = z.infer<typeof shownMethod>;

/** How the backoffice keeps payment providers (docs/rules/payment-providers.md). Stream `paymentProviders-<one>`. */
export const paymentProviderEvents = defineEvents('payment-provider', {
  PaymentProviderSwitched: { provider: text, isEnabled: z.boolean() },
  /** The whole of what shoppers see of it. `methods`: those of which anything is said. */
  PaymentProviderPresented: {
    provider: text,
    displayName: text.nullable(),
    vaultingEnabled: z.boolean(),
    methods: z.array(shownMethod),
  },
  /** `configuration` is the whole of it, by the fields of the provider: keys of accounts are among them. */
  PaymentProviderConfigured: {
    provider: text,
    configuration: secret(z.record(text, z.union([z.string(), z.number(), z.boolean()]))),
  },
  /** Those that come first, in this order. */
  PaymentProvidersReordered: { providers: z.array(text) },
});
export type PaymentProviderEvent = EventOf<typeof paymentProviderEvents>;
