import { metaOf } from '#command/engine/request-meta.ts';
import { providerFieldsAnswer } from '#contracts/provider-fields.contract.ts';
import {
  taxProviderAnswer,
  taxProviderParams,
  taxProvidersAnswer,
  taxProviderSettingsBody,
  taxProviderTestAnswer,
} from '#contracts/tax-providers.contract.ts';
import { admin, ok, reader, route, type Route } from '#http/route.ts';
import type { TaxProviderActions } from './tax-providers.actions.ts';

const common = { base: 'management', service: 'command', file: import.meta.url } as const;
const path = '/tax-providers';

const readingRoutes = (actions: TaxProviderActions): readonly Route[] => [
  route({
    ...common,
    caller: reader,
    method: 'GET',
    path,
    summary: 'Who can say what tax is due',
    answer: taxProvidersAnswer,
    handle: () => Promise.resolve(ok(actions.list())),
  }),
  route({
    ...common,
    caller: reader,
    method: 'GET',
    path: `${path}/active`,
    summary: 'Who says what tax is due',
    answer: taxProviderAnswer,
    errors: ['entity-not-found'],
    handle: () => Promise.resolve(ok(actions.active())),
  }),
  route({
    ...common,
    caller: reader,
    method: 'GET',
    path: `${path}/{alias}/fields`,
    summary: 'What a provider of tax can be set to',
    schemas: { params: taxProviderParams },
    answer: providerFieldsAnswer,
    errors: ['entity-not-found'],
    handle: ({ params }) => Promise.resolve(ok(actions.fields(params.alias))),
  }),
];

/** Who says what tax is due (docs/rules/tax.md#providers). */
export const taxProviderRoutes = (actions: TaxProviderActions): readonly Route[] => [
  ...readingRoutes(actions),
  route({
    ...common,
    caller: admin,
    method: 'PUT',
    path: `${path}/{alias}/activate`,
    summary: 'Choose who says what tax is due',
    schemas: { params: taxProviderParams },
    answer: taxProviderAnswer,
    errors: ['entity-not-found', 'setting-fixed'],
    handle: async (request) => {
      const { provider, position } = await actions.activate(request.params.alias, metaOf(request));
      return ok(provider, { position });
    },
  }),
  route({
    ...common,
    caller: admin,
    method: 'PUT',
    path: `${path}/{alias}/settings`,
    summary: 'Set a provider of tax',
    schemas: { params: taxProviderParams, body: taxProviderSettingsBody },
    answer: taxProviderAnswer,
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
    summary: 'Ask a provider of tax, and change nothing',
    schemas: { params: taxProviderParams },
    answer: taxProviderTestAnswer,
    errors: ['entity-not-found'],
    handle: async ({ params }) => {
      const errorMessage = await actions.test(params.alias);
      return ok({ success: errorMessage === null, errorMessage });
    },
  }),
];
