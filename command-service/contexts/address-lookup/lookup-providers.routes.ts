import { providerRoutes } from '#command/engine/provider-routes.ts';
import { lookupProviderResponse } from '#contracts/address-lookup.contract.ts';
import type { Route } from '#http/route.ts';
import type { AddressLookupActions } from './address-lookup.actions.ts';

/** Who is asked for addresses (docs/rules/address-lookup.md#providers). */
export const lookupProviderRoutes = ({ managed: actions }: AddressLookupActions): readonly Route[] =>
  providerRoutes({
    file: import.meta.url,
    path: '/address-lookup-providers',
    response: lookupProviderResponse,
    actions,
    summaries: {
      list: 'Who can be asked for addresses',
      active: 'Who is asked for addresses',
      fields: 'What an address lookup can be set to',
      activate: 'Choose who is asked for addresses',
      deactivate: 'Turn the address lookup off',
      configure: 'Change the settings of an address lookup',
      test: 'Ask an address lookup, and change nothing',
    },
  });
