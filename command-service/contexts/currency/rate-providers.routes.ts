import { metaOf } from '#command/engine/request-meta.ts';
import {
  messageResponse,
  providerConfiguration,
  rateProviderResponse,
  rateProviderNamed,
  rateProviderSchema,
  refreshBody,
} from '#contracts/currency.contract.ts';
import {
  providerParams,
  providerSettingsBody,
  providerTestResponse,
} from '#contracts/provider-fields.contract.ts';
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

const respondWith =
  ({ namedProvider }: RateProviderRouteDeps) =>
  (description: RateProviderDescription, { view, position }: ChangedRates) =>
    ok(rateProviderResponse(description, view, namedProvider), { position });

const settingRoutes = (deps: RateProviderRouteDeps): readonly Route[] => {
  const { actions, storeCurrency } = deps;
  const reply = respondWith(deps);
  return [
    route({
      ...common,
      method: 'PUT',
      path: `${path}/{alias}/settings`,
      summary: 'Set a provider; of the manual one these are its rates, in force at once',
      schemas: { params: providerParams, body: providerSettingsBody },
      response: rateProviderSchema,
      errors: ['invalid-request', 'entity-not-found', 'setting-fixed'],
      handle: async (request) => {
        const description = found(request.params.alias);
        const { alias } = description;
        const problems: string[] = [];
        const schema = providerConfiguration(alias, storeCurrency);
        const configuration = parseAt(schema, request.body.configuration, 'configuration', problems);
        refuseProblems(problems);
        return reply(description, await actions.configure(alias, configuration ?? {}, metaOf(request)));
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: `${path}/{alias}/activate`,
      summary: 'Choose the provider that is asked for rates',
      schemas: { params: providerParams },
      response: rateProviderSchema,
      errors: ['entity-not-found', 'setting-fixed'],
      handle: async (request) => {
        const description = found(request.params.alias);
        return reply(description, await actions.activate(description.alias, metaOf(request)));
      },
    }),
  ];
};

const askingRoutes = ({ actions }: RateProviderRouteDeps): readonly Route[] => [
  route({
    ...common,
    method: 'POST',
    path: `${path}/{alias}/test`,
    summary: 'Ask a provider, and change nothing',
    schemas: { params: providerParams },
    response: providerTestResponse,
    errors: ['entity-not-found'],
    handle: async ({ params }) => {
      const errorMessage = await actions.test(found(params.alias).alias);
      return ok({ success: errorMessage === null, errorMessage });
    },
  }),
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
  }),
];

/** Where exchange rates come from: what changes it (docs/rules/currency.md#providers). */
export const rateProviderRoutes = (deps: RateProviderRouteDeps): readonly Route[] => [
  ...settingRoutes(deps),
  ...askingRoutes(deps),
];
