import { recoveryParams } from '#contracts/recovery.contract.ts';
import { htmlPage, pageReply } from '#http/page.ts';
import { isLookingAhead } from '#http/prefetch.ts';
import { route, visitor, type Reply, type Route, type RouteRequest } from '#http/route.ts';
import { Rejection } from '#kernel/rejection.ts';
import { CHECKOUT_PAGE, restore, type RecoverRouteDeps } from './recover.routes.ts';

const common = {
  base: 'pages',
  service: 'command',
  caller: visitor,
  path: '/recover/{token}',
  schemas: { params: recoveryParams },
  responseType: 'text/html',
  sendsBrowsersOn: true,
  file: import.meta.url,
} as const;

/** The same for every link: looking at it tells nothing. */
const button = htmlPage(
  'Your basket',
  `<h1>Go on where you left</h1>
<form method="post"><button>Back to your basket</button></form>`,
);

/** The token stays in the address of this page alone. */
const untold = { 'Referrer-Policy': 'no-referrer' };

const buttonPage = (): Reply => {
  const page = pageReply(button);
  return { ...page, headers: { ...page.headers, ...untold } };
};

/** To the checkout, with the basket or without: it shows what there is (docs/rules/abandoned-checkouts.md#the-page). */
const sendOn = async (
  deps: RecoverRouteDeps,
  request: RouteRequest<{ readonly token: string }>,
  status: 302 | 303,
): Promise<Reply> => {
  const on = { status, headers: { Location: CHECKOUT_PAGE, ...untold } };
  try {
    const { json: _, ...restored } = await restore(deps, request);
    return { ...restored, ...on };
  } catch (error) {
    if (error instanceof Rejection) return on;
    throw error;
  }
};

/** Where links in mails lead. */
export const recoveryPageRoutes = (deps: RecoverRouteDeps): readonly Route[] => [
  route({
    ...common,
    method: 'GET',
    summary: 'The address in recovery mails: back to the basket, and on to the checkout',
    status: 200,
    handle: (request) => {
      const needsButton = deps.settings()['abandonedCheckout.confirmRecovery'];
      if (needsButton || isLookingAhead(request)) return Promise.resolve(buttonPage());
      return sendOn(deps, request, 302);
    },
  }),
  route({
    ...common,
    method: 'POST',
    summary: 'The same by the button of that page',
    handle: (request) => sendOn(deps, request, 303),
  }),
];
