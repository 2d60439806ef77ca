import { randomBytes } from 'node:crypto';
import type { FindClient } from '#agents/oauth-clients.ts';
import { authorizeForm, authorizeQuery } from '#contracts/oauth.contract.ts';
import { memberCookie } from '#http/cookies.ts';
import { route, visitor, type CookieToSet, type Reply, type Route, type RouteRequest } from '#http/route.ts';
import { memberIdOf } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { MembersApi } from '../members/member.commands.ts';
import type { AuthorizationCodes } from './authorization-codes.ts';
import {
  parameterNames,
  readAuthorizationRequest,
  returnAddress,
  type AuthorizationRequest,
  type Given,
  type Return,
} from './authorization-request.ts';
import { consentPage, outdatedPage, signInPage } from './consent-pages.ts';
import type { FormFor, FormTokens } from './form-tokens.ts';

export interface AuthorizeRouteDeps {
  readonly findClient: FindClient;
  readonly codes: AuthorizationCodes;
  readonly forms: FormTokens;
  readonly members: () => Pick<MembersApi, 'signIn' | 'emailOf' | 'versionOf'>;
  readonly storeName: () => string;
  readonly refuseWhereOff: () => void;
}

type Form = (typeof authorizeForm)['_output'];

/** Tells browsers apart before sign-in, so that a form comes back from the one it was sent to. */
const BROWSER_COOKIE = 'shop_consent';
const browserForm = /^[\w-]{22}$/;

const browserOf = ({
  cookies,
}: RouteRequest): { readonly browser: string; readonly cookies: readonly CookieToSet[] } => {
  const known = cookies[BROWSER_COOKIE];
  if (known !== undefined && browserForm.test(known)) return { browser: known, cookies: [] };
  const browser = randomBytes(16).toString('base64url');
  return { browser, cookies: [{ name: BROWSER_COOKIE, value: browser, httpOnly: true }] };
};

/** The parameters of the request, without the rest of the form. */
const askedOf = (given: Given): Given =>
  Object.fromEntries(
    parameterNames.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]])),
  );

const authorizeAddress = (given: Given): string =>
  `/oauth/authorize?${new URLSearchParams(given as Readonly<Record<string, string>>)}`;

const sendOn = (status: 302 | 303, address: string, more: Partial<Reply> = {}): Reply => ({
  ...more,
  status,
  headers: { Location: address, 'Referrer-Policy': 'no-referrer' },
});

/** A valid request, or the answer to an invalid one. */
const readOr = (
  { findClient }: AuthorizeRouteDeps,
  given: Given,
  issuer: string,
  status: 302 | 303,
): AuthorizationRequest | Reply => {
  const read = readAuthorizationRequest(given, findClient);
  if (read.kind === 'asked') return read.request;
  if (read.kind === 'unusable') throw new Rejection('invalid-request', read.message);
  const { to, error, description } = read;
  return sendOn(status, returnAddress(to, { error, error_description: description }, issuer));
};

const isReply = (read: AuthorizationRequest | Reply): read is Reply => 'status' in read;

/** Consent for a member who is signed in, else the sign-in page. */
const show = async (
  deps: AuthorizeRouteDeps,
  http: RouteRequest,
  request: AuthorizationRequest,
  given: Given,
  signIn: { readonly problem: string | null; readonly email?: string } | null = null,
): Promise<Reply> => {
  const { forms, members, storeName } = deps;
  const { browser, cookies } = browserOf(http);
  const memberId = memberIdOf(http.actor);
  const email = memberId === null || signIn ? null : await members().emailOf(memberId);
  const formFor = (page: FormFor['page']): FormFor => ({
    page,
    browser,
    memberId,
    request: JSON.stringify(given),
  });
  const common = { storeName: storeName(), request, given };
  const reply =
    email === null
      ? signInPage(
          { ...common, formToken: forms.issue(formFor('sign-in')) },
          signIn?.problem ?? null,
          signIn?.email,
        )
      : consentPage({ ...common, formToken: forms.issue(formFor('consent')) }, email);
  return { ...reply, cookies };
};

const denied = (to: Return, issuer: string): Reply => {
  const error = { error: 'access_denied', error_description: 'The member did not agree.' };
  return sendOn(303, returnAddress(to, error, issuer));
};

const signedIn = async (
  deps: AuthorizeRouteDeps,
  http: RouteRequest,
  request: AuthorizationRequest,
  given: Given,
  { email, password }: Form,
): Promise<Reply> => {
  const outcome = await deps.members().signIn({ email, password }, http);
  if (outcome.kind === 'refused')
    return show(deps, http, request, given, { problem: outcome.message, email });
  return sendOn(303, authorizeAddress(given), { cookies: [memberCookie(outcome.issued.token)] });
};

const decide = async (
  deps: AuthorizeRouteDeps,
  http: RouteRequest<undefined, undefined, Form>,
): Promise<Reply> => {
  const { body, baseUrl: issuer } = http;
  const given = askedOf(body);
  const request = readOr(deps, given, issuer, 303);
  if (isReply(request)) return request;
  const { action, form_token: token = '' } = body;
  const memberId = memberIdOf(http.actor);
  const form = { browser: browserOf(http).browser, memberId, request: JSON.stringify(given) };
  const pages = {
    allow: ['consent'],
    switch: ['consent'],
    'sign-in': ['sign-in'],
    deny: ['consent', 'sign-in'],
  } as const;
  let isOurs = false;
  for (const page of pages[action]) isOurs ||= await deps.forms.take(token, { ...form, page });
  if (!isOurs) return outdatedPage(authorizeAddress(given));
  switch (action) {
    case 'deny':
      return denied(request, issuer);
    case 'switch':
      return show(deps, http, request, given, { problem: null });
    case 'sign-in':
      return signedIn(deps, http, request, given, body);
    case 'allow': {
      const memberVersion = memberId === null ? null : await deps.members().versionOf(memberId);
      if (memberId === null || memberVersion === null) return outdatedPage(authorizeAddress(given));
      const code = await deps.codes.issue({ memberId, memberVersion }, request);
      return sendOn(303, returnAddress(request, { code }, issuer));
    }
  }
};

const common = {
  base: 'consent',
  service: 'command',
  caller: visitor,
  path: '/authorize',
  status: 200,
  responseType: 'text/html',
  sendsBrowsersOn: true,
  file: import.meta.url,
} as const;

/** Where a member decides whether an agent may buy for them (docs/rules/identity-linking.md#consent). */
export const authorizeRoutes = (deps: AuthorizeRouteDeps): readonly Route[] => [
  route({
    ...common,
    method: 'GET',
    summary: 'The page on which a member signs in and decides whether an agent may buy for them',
    schemas: { query: authorizeQuery },
    errors: ['not-found', 'invalid-request'],
    handle: async (http) => {
      deps.refuseWhereOff();
      const given = askedOf(http.query);
      const request = readOr(deps, given, http.baseUrl, 302);
      return isReply(request) ? request : show(deps, http, request, given);
    },
  }),
  route({
    ...common,
    method: 'POST',
    summary: 'What the member enters or decides there',
    schemas: { body: authorizeForm },
    errors: ['not-found', 'invalid-request', 'too-busy'],
    handle: async (http) => {
      deps.refuseWhereOff();
      return decide(deps, http);
    },
  }),
];
