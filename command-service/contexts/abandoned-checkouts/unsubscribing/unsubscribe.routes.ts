import { metaOf } from '#command/engine/request-meta.ts';
import { recoveryParams, unsubscribedResponse } from '#contracts/recovery.contract.ts';
import { prefersHtml } from '#http/home-page.routes.ts';
import { htmlPage, pageReply } from '#http/page.ts';
import { anyone, ok, route, type Route } from '#http/route.ts';
import type { Unsubscribing } from './unsubscribe.actions.ts';

const common = {
  base: 'checkout',
  service: 'command',
  caller: anyone,
  path: '/unsubscribe/{token}',
  schemas: { params: recoveryParams },
  errors: ['unsubscribe-link-invalid'],
  file: import.meta.url,
} as const;

const form = htmlPage(
  'No more reminders',
  `<h1>No more reminders?</h1>
<p>We will not write to this address any more about baskets that were left behind. Mails about orders still come.</p>
<form method="post"><button>No more reminders</button></form>`,
);

const done = htmlPage(
  'No more reminders',
  `<h1>Done</h1>
<p>We will not write to this address any more about baskets that were left behind.</p>`,
);

/**
 * What looks at links before their reader does changes nothing; mail programs send the POST themselves (RFC 8058, one
 * click), from which nothing is read but the address (docs/rules/abandoned-checkouts.md#unsubscribing).
 */
export const unsubscribeRoutes = ({ check, unsubscribe }: Unsubscribing): readonly Route[] => [
  route({
    ...common,
    method: 'GET',
    summary: 'A page with a button that ends recovery mails',
    status: 200,
    responseType: 'text/html',
    handle: ({ params: { token } }) => {
      check(token);
      return Promise.resolve(pageReply(form));
    },
  }),
  route({
    ...common,
    method: 'POST',
    summary: 'End recovery mails to the address that the link was sent to',
    response: unsubscribedResponse,
    alsoAs: ['text/html'],
    handle: async (request) => {
      await unsubscribe(request.params.token, metaOf(request));
      if (prefersHtml(request.header('accept'))) return pageReply(done);
      return ok({ success: true, message: 'No more recovery mails will be sent to this address.' });
    },
  }),
];
