import { storedProvider } from '#entities/payment.providers.ts';
import type { ProviderConfiguration } from '#values/provider-field.ts';
import type { Reference } from './reference.ts';

/** What the configuration gives payment providers, by their alias and the key of the field. */
export type GivenPaymentSettings = Readonly<Record<string, ProviderConfiguration>>;

/** What a payment provider is set to: what the configuration gives stands above what the backoffice has kept. */
export const paymentSettings = (
  { paymentProviders }: Pick<Reference, 'paymentProviders'>,
  given: GivenPaymentSettings,
  alias: string,
): ProviderConfiguration => ({
  ...storedProvider(paymentProviders.current(), alias).configuration,
  ...given[alias],
});
