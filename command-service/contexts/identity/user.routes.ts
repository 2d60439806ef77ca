import { metaOf } from '#command/engine/request-meta.ts';
import { pageResponse } from '#contracts/listing.contract.ts';
import {
  addUserBody,
  changeUserBody,
  signInBody,
  tokenResponse,
  tokenBody,
  userResponse,
  userParams,
  usersResponse,
  usersQuery,
} from '#contracts/users.contract.ts';
import { deviceCookie, deviceMarkOf } from '#http/cookies.ts';
import { admin, anyone, created, ok, route, type Route } from '#http/route.ts';
import type { SignInGuard } from './sign-in-guard.ts';
import { backofficeUserId } from '#runtime/backoffice-users.ts';
import type { UserActions } from './user.actions.ts';

export interface UserRouteDeps {
  readonly actions: UserActions;
  readonly signInGuard: SignInGuard;
}

const common = {
  base: 'management',
  service: 'command',
  file: import.meta.url,
} as const;

/** Users of the backoffice and their way in (docs/rules/identity.md). */
export const userRoutes = (deps: UserRouteDeps): readonly Route[] => [
  signIn(deps),
  ...showUsers(deps),
  ...changeUsers(deps),
];

const signIn = ({ actions, signInGuard }: UserRouteDeps): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/sign-in',
    caller: anyone,
    summary: 'Sign in to the backoffice',
    schemas: { body: signInBody },
    response: tokenResponse,
    errors: ['unauthenticated', 'too-many-requests', 'too-busy'],
    handle: async ({ ip, cookies, body }) => {
      const { email, password } = body;
      const from = { ip, deviceMark: deviceMarkOf(cookies) };
      const attempt = await signInGuard.admit(backofficeUserId(email), from);
      const token = await actions.signIn(email, password);
      return ok(token, { cookies: [deviceCookie(await attempt.succeeded())] });
    },
  });

const showUsers = ({ actions }: UserRouteDeps): readonly Route[] => [
  route({
    ...common,
    method: 'GET',
    path: '/users',
    caller: admin,
    summary: 'List the users of the backoffice',
    schemas: { query: usersQuery },
    response: usersResponse,
    handle: async ({ query }) => {
      const { items, total } = await actions.list(query);
      return ok(pageResponse(items, total, query));
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: '/users/{id}',
    caller: admin,
    summary: 'Show a user of the backoffice',
    schemas: { params: userParams },
    response: userResponse,
    errors: ['entity-not-found'],
    handle: async ({ params }) => ok(await actions.get(params.id)),
  }),
];

const changeUsers = ({ actions }: UserRouteDeps): readonly Route[] => [
  route({
    ...common,
    method: 'POST',
    path: '/users',
    caller: admin,
    summary: 'Add a user to the backoffice',
    schemas: { body: addUserBody },
    response: userResponse,
    status: 201,
    errors: ['already-exists', 'too-busy'],
    isIdempotent: true,
    handle: async (request) => {
      const user = await actions.add(request.body, metaOf(request));
      return created(`/backoffice/api/v1/users/${user.id}`, user);
    },
  }),
  route({
    ...common,
    method: 'PUT',
    path: '/users/{id}',
    caller: admin,
    summary: 'Change role, password or permission of a user; tokens from before end',
    schemas: { params: userParams, body: changeUserBody },
    response: userResponse,
    errors: ['invalid-request', 'entity-not-found', 'too-busy'],
    handle: async (request) => {
      const { params, body } = request;
      return ok(await actions.change(params.id, body, metaOf(request)));
    },
  }),
  route({
    ...common,
    method: 'POST',
    path: '/users/{id}/disable',
    caller: admin,
    summary: 'Shut a user out',
    schemas: { params: userParams },
    response: userResponse,
    errors: ['entity-not-found'],
    handle: async (request) => ok(await actions.disable(request.params.id, metaOf(request))),
  }),
  route({
    ...common,
    method: 'POST',
    path: '/users/{id}/token',
    caller: admin,
    summary: 'Issue a token for a user',
    schemas: { params: userParams, body: tokenBody },
    response: tokenResponse,
    errors: ['entity-not-found'],
    handle: async (request) => {
      const { params, body } = request;
      return ok(await actions.issueToken(params.id, body.hours, metaOf(request)));
    },
  }),
];
