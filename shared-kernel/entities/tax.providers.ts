import { taxProviderEvents } from '#events/tax.events.ts';
import { defineProviders } from './define-providers.ts';

const { TaxProviderActivated, TaxProviderConfigured } = taxProviderEvents.create;

/** The providers of tax (docs/rules/tax.md#providers). */
export const taxProviders = defineProviders({
  name: 'taxProviders',
  version: 2,
  noun: 'tax provider',
  path: '/tax-providers',
  configured: TaxProviderConfigured,
  choice: { chosen: TaxProviderActivated, setting: 'Tax.Provider', byDefault: 'manual' },
});
