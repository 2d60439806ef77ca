import { z } from 'zod';
import { escapeHtml } from '#values/escape-html.ts';
import { guardedPageReply, htmlPage } from '../page.ts';
import { oauth } from './oauth.ts';
import type { ErrorForm, Surface } from './surface.ts';

/** For people in a browser. */
const pageErrors: ErrorForm = {
  name: 'ErrorPage',
  schema: z.string(),
  write: ({ code, message }) => {
    const body = `<main class="narrow"><h1>This did not work</h1>\n<p>${escapeHtml(message)}</p></main>`;
    const { text = '', headers = {} } = guardedPageReply(htmlPage('This did not work', body));
    return { code, text, headers };
  },
};

/** Pages on which members decide who may buy for them (docs/rules/identity-linking.md#consent). */
export const consent: Surface = {
  ...oauth,
  name: 'consent',
  title: 'Linking agents',
  answersBelow: ['/oauth/authorize'],
  callers: ['visitor'],
  errors: pageErrors,
  setsCookies: true,
};
