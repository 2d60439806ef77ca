import { metaOf } from '#command/engine/request-meta.ts';
import {
  lookupProviderAnswer,
  lookupProviderParams,
  lookupProvidersAnswer,
} from '#contracts/address-lookup.contract.ts';
import { providerFieldsAnswer } from '#contracts/provider-fields.contract.ts';
import { taxProviderSettingsBody, taxProviderTestAnswer } from '#contracts/tax-providers.contract.ts';
import { admin, ok, reader, route, type Route, type RouteRequest } from '#http/route.ts';
import type { LookupProviderActions } from './lookup-providers.actions.ts';

const common = { base: 'management', service: 'command', file: import.meta.url } as const;
const path = '/address-lookup-providers';

const readingRoutes = (actions: LookupProviderActions): readonly Route[] => [
  route({
    ...common,
    caller: reader,
    method: 'GET',
    path,
    summary: 'Who can be asked for addresses',
    answer: lookupProvidersAnswer,
    handle: () => Promise.resolve(ok(actions.list())),
  }),
  route({
    ...common,
    caller: reader,
    method: 'GET',
    path: `${path}/active`,
    summary: 'Who is asked for addresses',
    answer: lookupProviderAnswer,
    errors: ['entity-not-found'],
    handle: () => Promise.resolve(ok(actions.active())),
  }),
  route({
    ...common,
    caller: reader,
    method: 'GET',
    path: `${path}/{alias}/fields`,
    summary: 'What an address lookup can be set to',
    schemas: { params: lookupProviderParams },
    answer: providerFieldsAnswer,
    errors: ['entity-not-found'],
    handle: ({ params }) => Promise.resolve(ok(actions.fields(params.alias))),
  }),
];

const choosingRoute = (
  actions: LookupProviderActions,
  verb: 'activate' | 'deactivate',
  summary: string,
): Route =>
  route({
    ...common,
    caller: admin,
    method: 'PUT',
    path: `${path}/{alias}/${verb}`,
    summary,
    schemas: { params: lookupProviderParams },
    answer: lookupProviderAnswer,
    errors: ['entity-not-found', 'setting-fixed'],
    handle: async (request) => {
      const { provider, position } = await actions[verb](
        request.params.alias,
        metaOf(request as RouteRequest),
      );
      return ok(provider, { position });
    },
  });

/** Who is asked for addresses: what changes it (docs/rules/address-lookup.md#providers). */
export const lookupProviderRoutes = (actions: LookupProviderActions): readonly Route[] => [
  ...readingRoutes(actions),
  choosingRoute(actions, 'activate', 'Choose who is asked for addresses'),
  choosingRoute(actions, 'deactivate', 'Ask nobody for addresses any more'),
  route({
    ...common,
    caller: admin,
    method: 'PUT',
    path: `${path}/{alias}/settings`,
    summary: 'Set an address lookup',
    schemas: { params: lookupProviderParams, body: taxProviderSettingsBody },
    answer: lookupProviderAnswer,
    errors: ['invalid-request', 'entity-not-found'],
    handle: async (request) => {
      const { params, body } = request;
      const { provider, position } = await actions.configure(
        params.alias,
        body.configuration,
        metaOf(request),
      );
      return ok(provider, { position });
    },
  }),
  route({
    ...common,
    caller: admin,
    method: 'POST',
    path: `${path}/{alias}/test`,
    summary: 'Ask an address lookup, and change nothing',
    schemas: { params: lookupProviderParams },
    answer: taxProviderTestAnswer,
    errors: ['entity-not-found'],
    handle: async ({ params }) => {
      const errorMessage = await actions.test(params.alias);
      return ok({ success: errorMessage === null, errorMessage });
    },
  }),
];
