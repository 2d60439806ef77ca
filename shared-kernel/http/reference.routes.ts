import type { Service } from '#values/service.ts';
import { openApi } from './openapi.ts';
import { escapeHtml } from '#values/escape-html.ts';
import { htmlPage, pageReply } from './page.ts';
import { type Endpoint, listRoutes } from './route-list.ts';
import { sharedText } from './reply.ts';
import { anyone, route, type Route } from './route.ts';
import { surfaceAt } from './surfaces/surfaces.ts';

const rowOf = ({ method, path, summary, caller, file }: Endpoint): string =>
  `<tr><td class="method"><code>${method}</code></td><td><code>${escapeHtml(path)}</code><br>${escapeHtml(summary)}</td>` +
  `<td class="quiet">${escapeHtml(caller)}<br><code>${escapeHtml(file)}</code></td></tr>`;

/** A page that lists every endpoint; it needs nothing but itself. */
const referencePage = (endpoints: readonly Endpoint[]): string => {
  const groups = Object.entries(Object.groupBy(endpoints, ({ path }) => surfaceAt(path).title));
  const tables = groups.map(
    ([title, group = []]) => `<h2>${title}</h2><table>${group.map(rowOf).join('\n')}</table>`,
  );
  return htmlPage(
    'Tillroll: endpoints',
    `<h1>Tillroll</h1>
<p>${endpoints.length} endpoints. Request and answer bodies are in <a href="/openapi.json">/openapi.json</a>
(OpenAPI 3.1); this list as JSON is at <a href="/reference/endpoints">/reference/endpoints</a>.</p>
${tables.join('\n')}`,
  );
};

export interface ReferenceOptions {
  readonly service: Service;
  /** What is described, these routes included; evaluated once, on first use. */
  readonly routes: () => Promise<readonly Route[]>;
  readonly version: string;
}

/** The description of the API for programs and for people. */
export const referenceRoutes = (options: ReferenceOptions): readonly Route[] => {
  const describe = once(async () => {
    const routes = await options.routes();
    const endpoints = listRoutes(routes);
    return {
      endpoints: sharedText(JSON.stringify(endpoints)),
      openApi: sharedText(JSON.stringify(openApi(routes, options.version))),
      page: sharedText(referencePage(endpoints)),
    };
  });
  const common = {
    method: 'GET',
    base: 'root',
    service: options.service,
    caller: anyone,
    status: 200,
    isPublic: true,
    file: import.meta.url,
  } as const;
  return [
    route({
      ...common,
      path: '/openapi.json',
      summary: 'This API as OpenAPI 3.1',
      handle: async () => ({ status: 200, shared: (await describe()).openApi }),
    }),
    route({
      ...common,
      path: '/reference',
      summary: 'This API as a page to browse',
      handle: async () => pageReply((await describe()).page),
    }),
    route({
      ...common,
      path: '/reference/endpoints',
      summary: 'Method, path and file of every endpoint',
      handle: async () => ({ status: 200, shared: (await describe()).endpoints }),
    }),
  ];
};

/** The same result for all callers; a failure concerns only the caller who asked. */
const once = <Value>(make: () => Promise<Value>): (() => Promise<Value>) => {
  let made: Promise<Value> | null = null;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = null;
      throw error;
    });
    return made;
  };
};
