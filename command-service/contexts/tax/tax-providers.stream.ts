import { providersDecider } from '#entities/define-providers.ts';
import { taxProviders } from '#entities/tax.providers.ts';

export const taxProvidersStream = { decider: providersDecider(taxProviders) };
