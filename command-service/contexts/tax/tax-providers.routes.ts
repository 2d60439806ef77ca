import { providerRoutes } from '#command/engine/provider-routes.ts';
import { taxProviderResponse } from '#contracts/tax-providers.contract.ts';
import type { Route } from '#http/route.ts';
import type { TaxProviderActions } from './tax-providers.actions.ts';

/** Who says what tax is due (docs/rules/tax.md#providers). */
export const taxProviderRoutes = (actions: TaxProviderActions): readonly Route[] =>
  providerRoutes({
    file: import.meta.url,
    path: '/tax-providers',
    response: taxProviderResponse,
    actions,
    summaries: {
      list: 'Who can say what tax is due',
      active: 'Who says what tax is due',
      fields: 'What a provider of tax can be set to',
      activate: 'Choose who says what tax is due',
      configure: 'Change the settings of a tax provider',
      test: 'Ask a provider of tax, and change nothing',
    },
  });
