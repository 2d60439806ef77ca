import { metaOf } from '#command/engine/request-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { entityParams } from '#contracts/management.contract.ts';
import {
  confirmSetupBody,
  confirmedSetupResponse,
  savedMethodDone,
  savedMethodsResponse,
  setupBody,
  setupResponse,
  setupReturnQuery,
  setupReturnResponse,
  vaultProvidersResponse,
} from '#contracts/saved-methods.contract.ts';
import {
  admin,
  member,
  noContent,
  ok,
  reader,
  route,
  visitor,
  type Route,
  type RouteRequest,
} from '#http/route.ts';
import { pageWith, sentOn } from '#http/sent-on.ts';
import { Rejection } from '#kernel/rejection.ts';
import { methodNotFound } from './saved-methods.state.ts';
import type { SavedMethodActions } from './saved-methods.actions.ts';

type Deps = Pick<CommandDeps, 'apis'>;

const file = import.meta.url;
const shop = { base: 'storefront', service: 'command', caller: member, file } as const;
const desk = { base: 'management', service: 'command', file } as const;
const path = '/payment-methods';

/** An account that is not linked to a customer has nothing saved, and cannot save. */
const customerOf = async ({ apis }: Deps, { actor }: Pick<RouteRequest, 'actor'>): Promise<string> => {
  const customerId = actor.id === null ? null : await apis.members.customerOf(actor.id);
  if (customerId !== null) return customerId;
  const message = 'Confirm your e-mail address first: nothing is saved for this account.';
  throw new Rejection('unauthenticated', message, { error: message });
};

const listRoutes = (actions: SavedMethodActions, deps: Deps): readonly Route[] => [
  route({
    ...shop,
    method: 'GET',
    path,
    summary: 'The ways to pay that the customer has saved, the default first',
    response: savedMethodsResponse,
    errors: ['unauthenticated'],
    handle: async (request) => ok(await actions.list(await customerOf(deps, request))),
  }),
  route({
    ...shop,
    method: 'GET',
    path: `${path}/providers`,
    summary: 'The providers that save ways to pay',
    response: vaultProvidersResponse,
    errors: ['unauthenticated'],
    handle: async (request) => {
      await customerOf(deps, request);
      return ok(
        actions.providers().map(({ alias, displayName, methods, vault }) => ({
          alias,
          displayName,
          iconHtml: methods[0]?.iconHtml ?? null,
          requiresProviderCustomerId: vault.requiresProviderCustomerId,
        })),
      );
    },
  }),
];

const savingErrors = ['invalid-request', 'unauthenticated', 'payment-method-refused', 'provider-unavailable'];

/** For anybody, as the browser of a payer who comes back may hold no cookie: it tells nothing of the method. */
const returnRoute = (actions: SavedMethodActions, deps: Deps): Route =>
  route({
    ...shop,
    caller: visitor,
    method: 'GET',
    path: `${path}/return`,
    summary: 'Save a way to pay whose payer is back from their bank',
    schemas: { query: setupReturnQuery },
    response: setupReturnResponse,
    errors: ['invalid-request', 'payment-not-found', 'provider-unavailable', 'too-many-payment-methods'],
    sendsBrowsersOn: true,
    handle: async (request) => {
      const { provider, sessionId, ...rest } = request.query;
      const back = { provider, sessionId, parameters: textsIn(rest) };
      const { status, setupSessionId, ...came } = await actions.comeBack(back, metaOf(request));
      const page = deps.apis.payments.allowedPage(status === 'Failed' ? came.cancelUrl : came.returnUrl);
      const answer = { success: status === 'Saved', message: came.message, setupSessionId, status };
      return sentOn(request, ok(answer), pageWith(page ?? '/account', { setupSessionId, status }));
    },
  });

const textsIn = (fields: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );

const savingRoutes = (actions: SavedMethodActions, deps: Deps): readonly Route[] => [
  route({
    ...shop,
    method: 'POST',
    path: `${path}/setup`,
    summary: 'Begin to save a way to pay at its provider',
    schemas: { body: setupBody },
    response: setupResponse,
    errors: savingErrors,
    isIdempotent: true,
    handle: async (request) => {
      const customerId = await customerOf(deps, request);
      const { body, ip, baseUrl } = request;
      const { checkPages, ownAddress } = deps.apis.payments;
      checkPages(body);
      const asked = { ...body, shop: ownAddress ?? baseUrl };
      const session = await actions.setUp(customerId, asked, ip, metaOf(request));
      const { sessionId: setupSessionId, clientSecret, redirectUrl, providerCustomerId, sdkConfig } = session;
      const started = { setupSessionId, clientSecret, redirectUrl, providerCustomerId, sdkConfig };
      return ok({ success: true, message: '', errorMessage: null, ...started });
    },
  }),
  route({
    ...shop,
    method: 'POST',
    path: `${path}/confirm`,
    summary: 'Save a way to pay that its provider has taken',
    schemas: { body: confirmSetupBody },
    response: confirmedSetupResponse,
    errors: [...savingErrors, 'too-many-payment-methods'],
    isIdempotent: true,
    handle: async (request) => {
      const customerId = await customerOf(deps, request);
      const confirmed = await actions.confirm(customerId, request.body, request.ip, metaOf(request));
      if (confirmed.kind === 'saved')
        return ok({ success: true, message: '', ...confirmed.row, paymentMethod: confirmed.row });
      const { redirectUrl, clientSecret } = confirmed.session;
      const { setupSessionId } = request.body;
      const message = 'Your bank wants to see you first. Continue at your bank.';
      return ok({
        ...{ success: false, status: 'RequiresAction', message },
        ...{ setupSessionId, redirectUrl, clientSecret },
      });
    },
  }),
  returnRoute(actions, deps),
];

const changingRoutes = (actions: SavedMethodActions, deps: Deps): readonly Route[] => [
  route({
    ...shop,
    method: 'POST',
    path: `${path}/{id}/set-default`,
    summary: 'Make a saved way to pay the default',
    schemas: { params: entityParams },
    response: savedMethodDone,
    errors: ['unauthenticated', 'payment-method-not-found'],
    handle: async (request) => {
      const customerId = await customerOf(deps, request);
      const position = await actions.setDefault(customerId, request.params.id, metaOf(request));
      return ok({ success: true, message: 'This is your default payment method now.' }, { position });
    },
  }),
  route({
    ...shop,
    method: 'DELETE',
    path: `${path}/{id}`,
    summary: 'Remove a saved way to pay, here and at its provider',
    schemas: { params: entityParams },
    response: savedMethodDone,
    errors: ['unauthenticated', 'payment-method-not-found'],
    handle: async (request) => {
      const customerId = await customerOf(deps, request);
      const position = await actions.remove(customerId, request.params.id, metaOf(request));
      return ok({ success: true, message: 'The payment method has been removed.' }, { position });
    },
  }),
];

const found = async (actions: SavedMethodActions, methodId: string) => {
  const { customerId } = (await actions.byId(methodId)) ?? {};
  if (customerId === undefined) throw methodNotFound();
  return customerId;
};

/** Staff see what shoppers see of them. */
const deskRoutes = (actions: SavedMethodActions): readonly Route[] => [
  route({
    ...desk,
    caller: reader,
    method: 'GET',
    path: '/customers/{id}/saved-payment-methods',
    summary: 'The ways to pay that a customer has saved',
    schemas: { params: entityParams },
    response: savedMethodsResponse,
    handle: async ({ params }) => ok(await actions.list(params.id)),
  }),
  route({
    ...desk,
    caller: reader,
    method: 'GET',
    path: '/saved-payment-methods/{id}',
    summary: 'A saved way to pay',
    schemas: { params: entityParams },
    response: savedMethodsResponse.element,
    errors: ['payment-method-not-found'],
    handle: async ({ params }) => {
      const rows = await actions.list(await found(actions, params.id));
      const row = rows.find(({ id }) => id === params.id);
      if (!row) throw methodNotFound();
      return ok(row);
    },
  }),
  route({
    ...desk,
    caller: admin,
    method: 'POST',
    path: '/saved-payment-methods/{id}/set-default',
    summary: "Make a saved way to pay its customer's default",
    schemas: { params: entityParams },
    response: savedMethodDone,
    errors: ['payment-method-not-found'],
    handle: async (request) => {
      const { id } = request.params;
      const position = await actions.setDefault(await found(actions, id), id, metaOf(request));
      return ok({ success: true, message: '' }, { position });
    },
  }),
  route({
    ...desk,
    caller: admin,
    method: 'DELETE',
    path: '/saved-payment-methods/{id}',
    summary: 'Remove a saved way to pay',
    schemas: { params: entityParams },
    errors: ['payment-method-not-found'],
    handle: async (request) => {
      const { id } = request.params;
      return noContent({ position: await actions.remove(await found(actions, id), id, metaOf(request)) });
    },
  }),
];

/** Saved ways to pay (docs/rules/saved-methods.md). */
export const savedMethodRoutes = (actions: SavedMethodActions, deps: Deps): readonly Route[] => [
  ...listRoutes(actions, deps),
  ...savingRoutes(actions, deps),
  ...changingRoutes(actions, deps),
  ...deskRoutes(actions),
];
