import type { Endpoint } from './route-list.ts';

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => escapes[sign] ?? sign);

const style = `
:root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 15%, transparent); }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 72rem; padding: 0 1rem; }
h2 { margin-top: 2.5rem; }
table { border-collapse: collapse; width: 100%; }
td { border-top: 1px solid var(--line); padding: .4rem .6rem .4rem 0; vertical-align: top; }
code { font: 13px/1.6 ui-monospace, monospace; overflow-wrap: anywhere; }
.method { width: 4.5rem; font-weight: 600; }
.quiet { opacity: .65; font-size: 13px; }`;

const titles: readonly (readonly [prefix: string, title: string])[] = [
  ['/api/shop/storefront', 'Storefront'],
  ['/api/shop/checkout', 'Checkout'],
  ['/backoffice/api/v1', 'Management'],
  ['/testing', 'Testing'],
];

const titleOf = (path: string): string =>
  titles.find(([prefix]) => path.startsWith(prefix))?.[1] ?? 'Operations and description';

const rowOf = ({ method, path, summary, caller, file }: Endpoint): string =>
  `<tr><td class="method"><code>${method}</code></td><td><code>${escaped(path)}</code><br>${escaped(summary)}</td>` +
  `<td class="quiet">${escaped(caller)}<br><code>${escaped(file)}</code></td></tr>`;

/** A page that lists every endpoint; it needs nothing but itself. */
export const referencePage = (endpoints: readonly Endpoint[]): string => {
  const groups = Object.entries(Object.groupBy(endpoints, ({ path }) => titleOf(path)));
  const tables = groups.map(
    ([title, group = []]) => `<h2>${title}</h2><table>${group.map(rowOf).join('\n')}</table>`,
  );
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Tillroll: endpoints</title>
<style>${style}</style></head>
<body>
<h1>Tillroll</h1>
<p>${endpoints.length} endpoints. Request and answer bodies are in <a href="/openapi.json">/openapi.json</a>
(OpenAPI 3.1); this list as JSON is at <a href="/reference/endpoints">/reference/endpoints</a>.</p>
${tables.join('\n')}
</body>
</html>
`;
};
