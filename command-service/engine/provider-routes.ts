import { z } from 'zod';
import {
  providerFieldsResponse,
  providerParams,
  providerSettingsBody,
  providerTestResponse,
} from '#contracts/provider-fields.contract.ts';
import { admin, ok, reader, route, type Route, type RouteRequest } from '#http/route.ts';
import { shownField, type ProviderField } from '#values/provider-field.ts';
import type { CommandMeta } from './command-engine.ts';
import { metaOf } from './request-meta.ts';

interface Changed {
  readonly provider: object;
  readonly position: number;
}
type Choose = (alias: string, meta: CommandMeta) => Promise<Changed>;
type Configure = (
  alias: string,
  given: Readonly<Record<string, unknown>>,
  meta: CommandMeta,
) => Promise<Changed>;

interface ManagedProviders {
  list(): readonly object[];
  active(): object;
  fields(alias: string): readonly ProviderField[];
  readonly activate: Choose;
  readonly deactivate: Choose;
  readonly configure: Configure;
  /** Null: it responds. */
  test(alias: string): Promise<string | null>;
}

interface ProviderRoutes<Verb extends keyof ManagedProviders> {
  readonly file: string;
  readonly path: string;
  /** Of one. */
  readonly response: z.ZodType;
  readonly actions: Pick<ManagedProviders, NoInfer<Verb>>;
  /** Of the endpoints that the kind has. */
  readonly summaries: Readonly<Record<Verb, string>>;
  /** The refusals of a configuration; default: what is wrong with it. */
  readonly configureErrors?: readonly string[];
}

const named = { schemas: { params: providerParams } };
const reading = { base: 'management', service: 'command', caller: reader, method: 'GET' } as const;
const changing = { base: 'management', service: 'command', caller: admin } as const;

type Declare = (of: ProviderRoutes<keyof ManagedProviders>, summary: string) => Route;

const choosing =
  (verb: 'activate' | 'deactivate'): Declare =>
  ({ file, path, response, actions }, summary) =>
    route({
      ...{ ...changing, method: 'PUT', file, path: `${path}/{alias}/${verb}`, summary },
      ...{ ...named, response, errors: ['entity-not-found', 'setting-fixed'] },
      handle: async (request) => {
        const { provider, position } = await actions[verb](
          request.params.alias,
          metaOf(request as RouteRequest),
        );
        return ok(provider, { position });
      },
    });

/** In the order in which they are declared: a path without a parameter goes first. */
const declared: Readonly<Record<keyof ManagedProviders, Declare>> = {
  list: ({ file, path, response, actions }, summary) =>
    route({
      ...{ ...reading, file, path, summary, response: z.array(response) },
      handle: () => Promise.resolve(ok(actions.list())),
    }),
  active: ({ file, path, response, actions }, summary) =>
    route({
      ...{ ...reading, file, path: `${path}/active`, summary, response, errors: ['entity-not-found'] },
      handle: () => Promise.resolve(ok(actions.active())),
    }),
  fields: ({ file, path, actions }, summary) =>
    route({
      ...{ ...reading, file, path: `${path}/{alias}/fields`, summary, ...named },
      response: providerFieldsResponse,
      errors: ['entity-not-found'],
      handle: ({ params }) => Promise.resolve(ok(actions.fields(params.alias).map(shownField))),
    }),
  activate: choosing('activate'),
  deactivate: choosing('deactivate'),
  configure: (
    { file, path, response, actions, configureErrors = ['invalid-request', 'entity-not-found'] },
    summary,
  ) =>
    route({
      ...{ ...changing, method: 'PUT', file, path: `${path}/{alias}/settings`, summary, response },
      schemas: { params: providerParams, body: providerSettingsBody },
      errors: configureErrors,
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
  test: ({ file, path, actions }, summary) =>
    route({
      ...{ ...changing, method: 'POST', file, path: `${path}/{alias}/test`, summary, ...named },
      response: providerTestResponse,
      errors: ['entity-not-found'],
      handle: async ({ params }) => {
        const errorMessage = await actions.test(params.alias);
        return ok({ success: errorMessage === null, errorMessage });
      },
    }),
};

/** Those of the management endpoints of a kind of provider for which it has a summary. */
export const providerRoutes = <Verb extends keyof ManagedProviders>(
  of: ProviderRoutes<Verb>,
): readonly Route[] => {
  const summaries = of.summaries as Readonly<Partial<Record<string, string>>>;
  return Object.entries(declared).flatMap(([verb, declare]) => {
    const summary = summaries[verb];
    return summary === undefined ? [] : [declare(of as ProviderRoutes<keyof ManagedProviders>, summary)];
  });
};
