import type { Service } from '#values/service.ts';
import { escapeHtml } from '#values/escape-html.ts';
import { htmlPage, pageReply } from './page.ts';
import { anyone, ok, route, type Route } from './route.ts';

export interface HomePageOptions {
  readonly service: Service;
  readonly version: string;
  /** What is not ready; empty when the process can serve. */
  readonly problems: () => Promise<readonly unknown[]>;
}

/** True for a caller who would rather read a page than JSON, as browsers do and curl does not. */
export const prefersHtml = (accept: string | undefined): boolean => accept?.includes('text/html') ?? false;

const rows: readonly (readonly [term: string, meaning: string])[] = [
  [
    'A first purchase',
    'The tour in <code>README.md</code> goes from a basket to a paid invoice with curl, line by line.',
  ],
  [
    'Every endpoint',
    '<a href="/reference">/reference</a> to read, <a href="/openapi.json">/openapi.json</a> for programs.',
  ],
  ['Health', '<a href="/health/ready">/health/ready</a> says whether the shop can serve.'],
  [
    'The backoffice key',
    'The file <code>backoffice.key</code> in the data folder (<code>./data</code>, unless <code>DATA_DIR</code> says ' +
      'otherwise). Send it as <code>Authorization: Bearer …</code> to <code>/backoffice/api/v1</code>.',
  ],
];

const page = (version: string, isOpen: boolean): string =>
  htmlPage(
    'Tillroll',
    `<h1>Tillroll</h1>
<p>An online-shop back end that never loses a sale: every change is an event in an append-only log. There is no shop
window here; storefronts and the backoffice talk to it over HTTP.</p>
<p><strong>${isOpen ? 'The shop is open.' : 'The shop is not ready yet.'}</strong>
<span class="quiet">Version ${escapeHtml(version)}</span></p>
<dl>
${rows.map(([term, meaning]) => `<dt>${term}</dt><dd>${meaning}</dd>`).join('\n')}
</dl>`,
  );

/** What stands at the address that the start prints: a page for people, the same in JSON for programs. */
export const homePageRoutes = ({ service, version, problems }: HomePageOptions): readonly Route[] => [
  route({
    method: 'GET',
    base: 'root',
    path: '/',
    service,
    caller: anyone,
    status: 200,
    summary: 'What this is, whether it is open, and where to go from here',
    file: import.meta.url,
    handle: async ({ header }) => {
      const isOpen = (await problems()).length === 0;
      const vary = { Vary: 'Accept' };
      if (prefersHtml(header('accept'))) {
        const reply = pageReply(page(version, isOpen));
        return { ...reply, headers: { ...reply.headers, ...vary } };
      }
      return ok(
        {
          name: 'Tillroll',
          version,
          status: isOpen ? 'ready' : 'not ready',
          reference: '/reference',
          openApi: '/openapi.json',
          health: '/health/ready',
        },
        { headers: vary },
      );
    },
  }),
];
