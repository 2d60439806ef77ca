import { openApi } from './openapi.ts';
import { referencePage } from './reference-page.ts';
import { listRoutes } from './route-list.ts';
import type { Service } from '#values/service.ts';
import { anyone, ok, route, type Route } from './route.ts';

export interface ReferenceOptions {
  readonly service: Service;
  /** What is described, asked once: the routes of every service. These ones are added. */
  readonly routes: () => readonly Route[];
  readonly version: string;
}

/** The description of the API for programs and for people. */
export const referenceRoutes = (options: ReferenceOptions): readonly Route[] => {
  const all = lazy(() => [...options.routes(), ...routes]);
  const endpoints = lazy(() => listRoutes(all()));
  const description = lazy(() => JSON.stringify(openApi(all(), options.version)));
  const page = lazy(() => referencePage(endpoints()));
  const common = {
    method: 'GET',
    base: 'root',
    service: options.service,
    caller: anyone,
    status: 200,
    file: 'shared-kernel/http/reference.routes.ts',
  } as const;
  const routes: readonly Route[] = [
    route({
      ...common,
      path: '/openapi.json',
      summary: 'This API as OpenAPI 3.1',
      handle: async () => ({ status: 200, text: description() }),
    }),
    route({
      ...common,
      path: '/reference',
      summary: 'This API as a page to browse',
      handle: async () => ({
        status: 200,
        text: page(),
        headers: {
          'Content-Type': 'text/html; charset=utf-8',
          'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
        },
      }),
    }),
    route({
      ...common,
      path: '/reference/endpoints',
      summary: 'Method, path and file of every endpoint',
      handle: async () => ok(endpoints()),
    }),
  ];
  return routes;
};

const lazy = <Value>(make: () => Value): (() => Value) => {
  let made: { readonly value: Value } | null = null;
  return () => (made ??= { value: make() }).value;
};
