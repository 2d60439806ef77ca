import { escapeHtml, htmlPage } from './page.ts';
import type { Endpoint } from './route-list.ts';
import { surfaceAt } from './surfaces/surfaces.ts';

const rowOf = ({ method, path, summary, caller, file }: Endpoint): string =>
  `<tr><td class="method"><code>${method}</code></td><td><code>${escapeHtml(path)}</code><br>${escapeHtml(summary)}</td>` +
  `<td class="quiet">${escapeHtml(caller)}<br><code>${escapeHtml(file)}</code></td></tr>`;

/** A page that lists every endpoint; it needs nothing but itself. */
export const referencePage = (endpoints: readonly Endpoint[]): string => {
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
