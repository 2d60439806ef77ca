import type { CommandModule } from '#command/engine/module.ts';
import { createAddressLookupActions } from './address-lookup.actions.ts';
import { addressLookupRoutes } from './address-lookup.routes.ts';
import { lookupProviderRoutes } from './lookup-providers.routes.ts';

export const addressLookup: CommandModule = {
  name: 'address-lookup',
  create: (deps) => {
    const { config, limits } = deps;
    const namedProvider = config.addressLookup.provider;
    const actions = createAddressLookupActions({ ...deps, namedProvider });
    const { addressSuggestionsPerMinute: suggestions, addressResolvesPerMinute: resolves } =
      config.storefront;
    return {
      routes: [
        ...addressLookupRoutes({ actions, limits, perMinute: { suggestions, resolves } }),
        ...lookupProviderRoutes(actions),
      ],
    };
  },
};
