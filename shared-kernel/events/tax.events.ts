import { z } from 'zod';
import { defineEvents, secret, type EventOf } from './define-events.ts';
import { text } from './fields.ts';

/** Who says what tax is due (docs/rules/tax.md#providers). Stream `taxProviders-<one>`. */
export const taxProviderEvents = defineEvents('tax', {
  TaxProviderActivated: { provider: text },
  /** `configuration` is the whole of it, by the fields of the provider: keys of accounts are among them. */
  TaxProviderConfigured: {
    provider: text,
    configuration: secret(z.record(text, z.union([z.string(), z.number()]))),
  },
});
export type TaxProviderEvent = EventOf<typeof taxProviderEvents>;
