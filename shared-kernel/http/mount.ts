import express, { type Express, type Request, type Response } from 'express';
import type { Logger } from 'pino';
import type { Clock } from '#kernel/clock.ts';
import type { Actor } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { leftOfRequest } from '#runtime/request-deadline.ts';
import { tellOfAnswer } from './answered.ts';
import type { BasketCookies } from './basket-cookie.ts';
import { errorReply, errorRow, HttpRejection, isNotForKeeping } from './errors.ts';
import { idempotentCall, type Idempotency } from './idempotent.ts';
import type { Identity } from './identity.ts';
import type { ReferralEntry } from './referral-entry.ts';
import { parseRequest } from './parse-request.ts';
import { parseBody, readBody, readRawBody } from './read-body.ts';
import { correlationIdOf, isOverHttps, pathnameOf, queryOf, requestFacts } from './request-facts.ts';
import type { Reply } from './reply.ts';
import type { Route, RouteRequest } from './route.ts';
import { pathOnSurface, RouteTree, type Match } from './route-tree.ts';
import { sendReply, sendStream, takeCharge, type Sending } from './send-reply.ts';
import type { BodyRule, Surface } from './surfaces/surface.ts';

export interface HttpSettings {
  /** Scheme and host of absolute links; null: those of the request. */
  readonly publicBaseUrl: string | null;
  /** How many proxies stand in front and are believed about the caller's address, scheme and host. */
  readonly trustedProxies: number;
  /** Whether cookies are for HTTPS only; `auto`: when the request came over it. */
  readonly secureCookies: boolean | 'auto';
}

/** Reference state, as this process follows it. */
export interface FollowedHere {
  /** Resolves once it is as far as a position, or has not come there in time, `patienceMs` at most. */
  readonly whenReached: (position: number, patienceMs: number) => Promise<unknown>;
  /** Whether a caller may have seen what other processes wrote. */
  readonly isWrittenElsewhere: boolean;
  /** Position of the last event that it took. */
  readonly took: () => number;
}

export interface AppOptions {
  readonly routes: readonly Route[];
  readonly settings: HttpSettings;
  readonly identity: Identity;
  /** Null where no route takes a key. */
  readonly idempotency: Idempotency | null;
  /** Signs the cookies of baskets, and knows its own signatures. */
  readonly baskets: BasketCookies;
  /** Follows advertisers' links. Default: nobody does. */
  readonly referrals?: ReferralEntry;
  /** A keyed hash of a body, by which another body under the same idempotency key is noticed. */
  readonly fingerprint: (body: string) => string;
  readonly clock: Clock;
  /** On which commands decide. Default: it is always current. */
  readonly reference?: FollowedHere;
  readonly log: Logger;
  /** Told of every answer; `route` is null where there was none. */
  readonly observe?: (route: Route | null, status: number, seconds: number) => void;
}

/**
 * The routes as an Express app: validation, who may call, idempotency keys, errors, cookies and the log of requests.
 * Throws TypeError when two routes meet, when one names an error that has no status, admits callers that its surface
 * does not, or takes idempotency keys that nobody keeps.
 */
export const createApp = (options: AppOptions): Express => {
  for (const route of options.routes) {
    checkErrors(route);
    checkCaller(route);
    if (route.isIdempotent && !options.idempotency)
      throw new TypeError(`${route.file}: ${route.method} ${route.path} takes keys that nobody keeps`);
  }
  const app = express();
  app.set('etag', false);
  app.set('x-powered-by', false);
  app.set('query parser', 'simple');
  app.set('trust proxy', options.settings.trustedProxies);
  const tree = new RouteTree(options.routes);
  app.use((request, response, next) => {
    answer(tree, options, request, response).catch(next);
  });
  return app;
};

const checkErrors = ({ method, path, file, errors }: Route): void => {
  for (const code of errors) {
    if (!errorRow(code))
      throw new TypeError(`${file}: ${method} ${path} answers ${code}, which has no status`);
  }
};

const checkCaller = ({ method, path, file, caller, surface, body }: Route): void => {
  if (!surface.callers.includes(caller.kind))
    throw new TypeError(`${file}: ${method} ${path} admits ${caller.kind}; ${surface.name} does not`);
  if (caller.needsRawBody && !body.isRawKept)
    throw new TypeError(`${file}: ${method} ${path} needs raw bodies, which ${surface.name} does not keep`);
};

/** A request on its way: what the log says of it. */
interface Passage {
  readonly correlationId: string;
  readonly begun: number;
  match: Match | null;
}

const slowMilliseconds = 1000;

const answer = async (
  tree: RouteTree,
  options: AppOptions,
  request: Request,
  response: Response,
): Promise<void> => {
  const passage: Passage = { correlationId: correlationIdOf(request), begun: performance.now(), match: null };
  let status: number;
  let problem: unknown;
  try {
    const redirect = request.method === 'GET' ? await options.referrals?.follow(request.url) : null;
    if (redirect) {
      const surface = { ...tree.surfaceAt(pathnameOf(request)), setsCookies: true };
      sendReply(response, redirect, sendingOf(options, request, passage.correlationId, surface, 'no-store'));
      report(options, passage, redirect.status, undefined);
      return;
    }
    passage.match = findRoute(tree, request);
    const { route } = passage.match;
    const reply = await carryOut(passage, passage.match, options, request, response);
    const cacheControl = route.isPublic ? undefined : route.surface.cacheControl;
    const sending = sendingOf(options, request, passage.correlationId, route.surface, cacheControl);
    status = reply.status;
    tellOfAnswer(route, reply, passage.correlationId);
    if (reply.stream) await sendStream(response, reply.stream, reply, sending);
    else sendReply(response, reply, sending);
  } catch (error) {
    problem = error;
    const surface = passage.match?.route.surface ?? tree.surfaceAt(pathnameOf(request));
    const reply = errorReply(surface, error, passage.correlationId);
    status = reply.status;
    tellOfAnswer(passage.match?.route ?? null, reply, passage.correlationId);
    // What has gone out already cannot be taken back: a broken connection says that it is not all.
    if (response.headersSent) response.destroy();
    else sendReply(response, reply, sendingOf(options, request, passage.correlationId, surface, 'no-store'));
  }
  report(options, passage, status, problem);
};

const sendingOf = (
  { settings: { secureCookies }, baskets, reference }: AppOptions,
  request: Request,
  correlationId: string,
  surface: Surface,
  cacheControl: string | undefined,
): Sending => ({
  surface,
  correlationId,
  isSecure: secureCookies === 'auto' ? isOverHttps(request) : secureCookies,
  cacheControl,
  baskets,
  referenceTook: reference?.isWrittenElsewhere ? reference.took() : Infinity,
});

/**
 * One line per request: what nobody foresaw with its stack, what the engines or a provider refused, slow answers; the
 * rest for those who debug. Never a body, never the caller's own path: it may hold a token.
 */
const report = (
  { log, observe }: AppOptions,
  { correlationId, begun, match }: Passage,
  status: number,
  problem: unknown,
): void => {
  const route = match?.route ?? null;
  const milliseconds = performance.now() - begun;
  observe?.(route, status, milliseconds / 1000);
  const isSlow = milliseconds >= slowMilliseconds;
  if (problem === undefined && !isSlow && !log.isLevelEnabled('debug')) return;
  const line = {
    correlationId,
    method: route?.method,
    route: route ? `${route.surface.name} ${route.path}` : 'none',
    status,
    milliseconds: Math.round(milliseconds),
  };
  if (status === 500) log.error({ ...line, err: problem }, 'request failed');
  else if (status > 500 && problem !== undefined)
    log.warn({ ...line, reason: String(problem) }, 'request failed');
  else if (isSlow) log.info(line, 'slow request');
  else log.debug(line, 'request');
};

const findRoute = (tree: RouteTree, request: Request): Match => {
  const found = tree.find(request.method, pathnameOf(request));
  if (found === null) throw new Rejection('not-found', 'There is nothing at this address.');
  if ('route' in found) return found;
  const allow = found.allow.join(', ');
  throw new HttpRejection('method-not-allowed', `This address answers ${allow} only.`, { Allow: allow });
};

const carryOut = async (
  { correlationId, begun: askedAt }: Passage,
  { route, params }: Match,
  options: AppOptions,
  request: Request,
  response: Response,
): Promise<Reply> => {
  const { schemas, surface, caller } = route;
  const facts = requestFacts(request, options.settings.publicBaseUrl, options.baskets);
  if (route.body.isRawKept)
    Object.assign(facts, { rawBody: await readRawBody(route.body, request, response) });
  const admitted = caller.admit(facts, options.identity);
  const actor = admitted instanceof Promise ? await admitted : admitted;
  const body = schemas.body && (await bodyOf(route.body, facts.rawBody, request, response));
  const query = schemas.query && queryOf(request);
  let parsed;
  try {
    parsed = parseRequest(surface, schemas, { query, body });
  } catch (error) {
    throw await withRuleProblems(error, route, { params, body });
  }
  const { reference } = options;
  // A query waits for the view that it reads; what is decided rests on reference state.
  if (reference?.isWrittenElsewhere && route.service === 'command' && facts.position !== undefined)
    await reference.whenReached(facts.position.reference, leftOfRequest(askedAt));
  const parts = { params, query: parsed.query, body: parsed.body, actor, correlationId, askedAt };
  const routeRequest = Object.assign(facts, parts);
  const reply = route.isIdempotent
    ? await underKey(route, routeRequest, body, actor, request, options)
    : await route.handle(routeRequest);
  if (reply.stream) takeCharge(reply.stream);
  // What the backoffice has changed holds for everybody here once it is answered.
  if (reference && isFollowedAtOnce(route) && reply.position !== undefined) {
    try {
      await reference.whenReached(reply.position, leftOfRequest(askedAt));
    } catch (error) {
      reply.stream?.destroy();
      throw error;
    }
  }
  return reply;
};

/** Bytes that were read to see who asks are not read twice. */
const bodyOf = (
  rule: BodyRule,
  rawBody: Buffer | undefined,
  request: Request,
  response: Response,
): unknown => (rawBody ? parseBody(rule.kind, rawBody, request) : readBody(rule, request, response));

const isFollowedAtOnce = ({ surface, service }: Route): boolean =>
  surface.isFollowedAtOnce && service === 'command';

/** A refusal by the schema, completed by what the rules of the route say of the rest of the body. */
const withRuleProblems = async (
  error: unknown,
  { ruleProblems }: Route,
  given: { readonly params: unknown; readonly body: unknown },
): Promise<unknown> => {
  if (!ruleProblems || !(error instanceof Rejection) || !isObject(given.body)) return error;
  const { errors } = error.details;
  const further = await ruleProblems(given).catch((failure: unknown) => {
    // An engine that is away changes nothing: the body is refused anyway.
    if (failure instanceof EngineUnavailable) return [];
    throw failure;
  });
  if (!Array.isArray(errors) || further.length === 0) return error;
  return new Rejection(error.code, error.message, { errors: [...(errors as unknown[]), ...further] });
};

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Runs the handler, or answers what it answered before under the same key. */
const underKey = async (
  route: Route,
  routeRequest: RouteRequest,
  body: unknown,
  actor: Actor,
  request: Request,
  { idempotency, fingerprint, clock }: AppOptions,
): Promise<Reply> => {
  const { basketId, correlationId } = routeRequest;
  const path = `${route.surface.name}${pathOnSurface(route, pathnameOf(request))}`;
  const header = request.get('idempotency-key');
  const call = idempotentCall({ header, body, fingerprint, actor, basketId, method: route.method, path });
  if (call === null || idempotency === null) return route.handle(routeRequest);
  const { bodyFingerprint } = call;
  const waitMs = leftOfRequest(routeRequest.askedAt);
  return idempotency.run({ ...call, now: clock.now(), waitMs }, async (commandId) => {
    try {
      const reply = await route.handle(Object.assign(routeRequest, { commandId, bodyFingerprint }));
      if (!reply.stream) return reply;
      reply.stream.destroy();
      throw new TypeError(`${route.file}: a stream cannot be kept as the answer of an idempotency key`);
    } catch (error) {
      if (isNotForKeeping(error)) throw error;
      return errorReply(route.surface, error, correlationId);
    }
  });
};
