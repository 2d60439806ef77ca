import { z } from 'zod';
import {
  providerFieldsResponse,
  providerParams,
  providerSettingsBody,
  providerTestResponse,
} from '#contracts/provider-fields.contract.ts';
import { admin, ok, reader, route, type Route, type RouteRequest } from '#http/route.ts';
import type { ProviderField } from '#values/exchange-rate-providers.ts';
import type { CommandMeta } from './command-engine.ts';
import { metaOf } from './request-meta.ts';

interface Changed {
  readonly provider: object;
  readonly position: number;
}
type Choose = (alias: string, meta: CommandMeta) => Promise<Changed>;

/** Providers of which one is asked, as the backoffice lists, chooses, sets and tries them. */
interface ChosenProviderRoutes {
  readonly file: string;
  readonly path: string;
  /** Of one. */
  readonly response: z.ZodType;
  readonly actions: {
    list(): readonly object[];
    active(): object;
    fields(alias: string): readonly ProviderField[];
    readonly activate: Choose;
    /** Where no check is needed. */
    readonly deactivate?: Choose;
    configure(alias: string, given: Readonly<Record<string, unknown>>, meta: CommandMeta): Promise<Changed>;
    /** Null: it answers. */
    test(alias: string): Promise<string | null>;
  };
  readonly summaries: Readonly<
    Record<'list' | 'active' | 'fields' | 'activate' | 'settings' | 'test', string>
  > & {
    readonly deactivate?: string;
  };
}

const readingRoutes = ({
  file,
  path,
  response,
  actions,
  summaries,
}: ChosenProviderRoutes): readonly Route[] => {
  const reading = { base: 'management', service: 'command', caller: reader, method: 'GET', file } as const;
  return [
    route({
      ...reading,
      path,
      summary: summaries.list,
      response: z.array(response),
      handle: () => Promise.resolve(ok(actions.list())),
    }),
    route({
      ...reading,
      path: `${path}/active`,
      summary: summaries.active,
      response,
      errors: ['entity-not-found'],
      handle: () => Promise.resolve(ok(actions.active())),
    }),
    route({
      ...reading,
      path: `${path}/{alias}/fields`,
      summary: summaries.fields,
      schemas: { params: providerParams },
      response: providerFieldsResponse,
      errors: ['entity-not-found'],
      handle: ({ params }) => Promise.resolve(ok(actions.fields(params.alias))),
    }),
  ];
};

const choosingRoute = (
  { file, path, response }: ChosenProviderRoutes,
  verb: 'activate' | 'deactivate',
  choose: Choose | undefined,
  summary = '',
): readonly Route[] =>
  choose === undefined
    ? []
    : [
        route({
          ...{ base: 'management', service: 'command', caller: admin, method: 'PUT', file },
          path: `${path}/{alias}/${verb}`,
          summary,
          schemas: { params: providerParams },
          response,
          errors: ['entity-not-found', 'setting-fixed'],
          handle: async (request) => {
            const { provider, position } = await choose(
              request.params.alias,
              metaOf(request as RouteRequest),
            );
            return ok(provider, { position });
          },
        }),
      ];

/** The management endpoints of such providers. */
export const chosenProviderRoutes = (of: ChosenProviderRoutes): readonly Route[] => {
  const { file, path, response, actions, summaries } = of;
  const changing = { base: 'management', service: 'command', caller: admin, file } as const;
  return [
    ...readingRoutes(of),
    ...choosingRoute(of, 'activate', actions.activate, summaries.activate),
    ...choosingRoute(of, 'deactivate', actions.deactivate, summaries.deactivate),
    route({
      ...changing,
      method: 'PUT',
      path: `${path}/{alias}/settings`,
      summary: summaries.settings,
      schemas: { params: providerParams, body: providerSettingsBody },
      response,
      errors: ['invalid-request', 'entity-not-found'],
      handle: async (request) => {
        const { params, body } = request;
        const changed = await actions.configure(params.alias, body.configuration, metaOf(request));
        return ok(changed.provider, { position: changed.position });
      },
    }),
    route({
      ...changing,
      method: 'POST',
      path: `${path}/{alias}/test`,
      summary: summaries.test,
      schemas: { params: providerParams },
      response: providerTestResponse,
      errors: ['entity-not-found'],
      handle: async ({ params }) => {
        const errorMessage = await actions.test(params.alias);
        return ok({ success: errorMessage === null, errorMessage });
      },
    }),
  ];
};
