import { providerRoutes } from '#command/engine/provider-routes.ts';
import { metaOf } from '#command/engine/request-meta.ts';
import {
  messageResponse,
  providerConfiguration,
  rateProviderResponse,
  rateProviderNamed,
  rateProviderSchema,
  refreshBody,
} from '#contracts/currency.contract.ts';
import { parseAt } from '#contracts/store-file.contract.ts';
import { admin, ok, route, type Route } from '#http/route.ts';
import { refuseProblems } from '#kernel/entity.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { RateProviderDescription } from '#values/exchange-rate-providers.ts';
import type { ChangedRates, RateProviderActions } from './rate-providers.actions.ts';

export interface RateProviderRouteDeps {
  readonly actions: RateProviderActions;
  readonly storeCurrency: () => string;
  readonly namedProvider: string | null;
}

const file = import.meta.url;
const common = { base: 'management', service: 'command', caller: admin, file } as const;
const path = '/exchange-rate-providers';

const found = (alias: string): RateProviderDescription => {
  const description = rateProviderNamed(alias);
  if (!description) throw new Rejection('entity-not-found', 'There is no such exchange rate provider.');
  return description;
};

const managedRoutes = ({
  actions,
  storeCurrency,
  namedProvider,
}: RateProviderRouteDeps): readonly Route[] => {
  const shown = (description: RateProviderDescription, { view, position }: ChangedRates) => ({
    provider: rateProviderResponse(description, view, namedProvider),
    position,
  });
  return providerRoutes({
    file,
    path,
    response: rateProviderSchema,
    actions: {
      activate: async (alias, meta) => {
        const description = found(alias);
        return shown(description, await actions.activate(description.alias, meta));
      },
      configure: async (given, body, meta) => {
        const description = found(given);
        const { alias } = description;
        const problems: string[] = [];
        const configuration = parseAt(
          providerConfiguration(alias, storeCurrency),
          body,
          'configuration',
          problems,
        );
        refuseProblems(problems);
        return shown(description, await actions.configure(alias, configuration ?? {}, meta));
      },
      test: async (alias) => actions.test(found(alias).alias),
    },
    configureErrors: ['invalid-request', 'entity-not-found', 'setting-fixed'],
    summaries: {
      activate: 'Choose the provider that is asked for rates',
      configure: 'Change the settings of a provider; those of the manual one are its rates, in force at once',
      test: 'Ask a provider, and change nothing',
    },
  });
};

const refreshRoute = ({ actions }: RateProviderRouteDeps): Route =>
  route({
    ...common,
    method: 'POST',
    path: `${path}/refresh`,
    summary: 'Ask the active provider for rates now; 500 with the reason where it has none',
    schemas: { body: refreshBody },
    response: messageResponse,
    errors: ['invalid-request', 'rates-unavailable'],
    handle: async (request) => {
      const { provider, failure, position } = await actions.refresh(metaOf(request));
      if (failure === null) {
        return ok({ success: true, message: `${provider} has given its rates.` }, { position });
      }
      const message = `${provider} gave no rates: ${failure}. Those from before stay in force.`;
      throw new Rejection('rates-unavailable', message, {}, position);
    },
  });

/** Where exchange rates come from: what changes it (docs/rules/currency.md#providers). */
export const rateProviderRoutes = (deps: RateProviderRouteDeps): readonly Route[] => [
  ...managedRoutes(deps),
  refreshRoute(deps),
];
