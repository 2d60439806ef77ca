import { addressLookupProviders } from '#entities/address-lookup.providers.ts';
import { providersDecider } from '#entities/define-providers.ts';

export const addressLookupStream = { decider: providersDecider(addressLookupProviders) };
