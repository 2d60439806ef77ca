import express, { type Express, type Request, type Response } from 'express';
import type { Logger } from 'pino';
import type { AgentRequest } from '#agents/agent-request.ts';
import type { Reached } from '#kernel/reached.ts';
import { Rejection } from '#kernel/rejection.ts';
import { createCrossOrigin, type CrossOrigin } from './cross-origin.ts';
import { publishResponse } from './response-channel.ts';
import { handleRequest, type HandleRequestOptions } from './handle-request.ts';
import { errorReply, errorRow, HttpRejection } from './errors.ts';
import type { ReferralEntry } from './referral-entry.ts';
import { correlationIdOf, isOverHttps, pathnameOf } from './request-facts.ts';
import { covering, type Reply } from './reply.ts';
import type { Route } from './route.ts';
import { RouteTree, type Match } from './route-tree.ts';
import { sendFile, sendReply, sendStream, type Sending } from './send-reply.ts';
import type { Surface } from './surfaces/surface.ts';

export interface HttpSettings {
  /** Scheme and host of absolute links; null: those of the request. */
  readonly publicBaseUrl: string | null;
  /** The same in what agents are told. Default: the same. */
  readonly agentBaseUrl?: string | null;
  /** How many proxies stand in front and are believed about the caller's address, scheme and host. */
  readonly trustedProxies: number;
  /** Whether cookies are for HTTPS only; `auto`: when the request came over it. */
  readonly secureCookies: boolean | 'auto';
  /** Whose pages may call as if they were the shop's own. Default: none. */
  readonly allowedOrigins?: readonly string[];
}

export interface AppOptions extends HandleRequestOptions {
  readonly routes: readonly Route[];
  readonly settings: HttpSettings;
  /** Follows advertisers' links. Default: they are not followed. */
  readonly referrals?: ReferralEntry;
  readonly log: Logger;
  /** Told of every answer; `route` is null where there was none. */
  readonly observe?: (route: Route | null, status: number, seconds: number) => void;
}

/**
 * The routes as an Express app: validation, who may call, idempotency keys, errors, cookies and the log of requests.
 * Throws TypeError when two routes collide, when one names an error without a status, admits callers that its surface
 * does not, or takes idempotency keys without a store for them.
 */
export const createApp = (options: AppOptions): Express => {
  for (const route of options.routes) {
    checkErrors(route);
    checkCaller(route);
    if (route.isIdempotent && !options.idempotency)
      throw new TypeError(`${route.file}: ${route.method} ${route.path} takes keys without a store for them`);
  }
  const app = express();
  app.set('etag', false);
  app.set('x-powered-by', false);
  app.set('query parser', 'simple');
  app.set('trust proxy', options.settings.trustedProxies);
  const { allowedOrigins = [], publicBaseUrl } = options.settings;
  const served: Served = {
    ...options,
    tree: new RouteTree(options.routes),
    crossOrigin: createCrossOrigin(allowedOrigins, publicBaseUrl),
  };
  app.use((request, response) => {
    answer(served, request, response).catch((problem: unknown) => {
      options.log.error({ err: problem }, 'no response could be written');
      breakOff(response);
    });
  });
  return app;
};

/** Not even a refusal could be written. Left to itself, Express would show where in the code. */
const breakOff = (response: Response): void => {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  for (const name of response.getHeaderNames()) response.removeHeader(name);
  response.writeHead(500, { 'Content-Length': 0 }).end();
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

interface Served extends AppOptions {
  readonly tree: RouteTree;
  readonly crossOrigin: CrossOrigin;
}

/** A request on its way: what the log says of it. */
interface Passage {
  readonly correlationId: string;
  readonly begun: number;
  readonly reached: Reached;
  match: Match | null;
  agent: AgentRequest | null;
  /** Whose refusals are given where there is no route; null: that of the address. */
  surface: Surface | null;
}

const slowMilliseconds = 1000;

const answer = async (options: Served, request: Request, response: Response): Promise<void> => {
  const { tree, crossOrigin } = options;
  const passage: Passage = {
    correlationId: correlationIdOf(request),
    begun: performance.now(),
    reached: { position: 0 },
    match: null,
    agent: null,
    surface: null,
  };
  let status: number;
  let problem: unknown;
  try {
    const aside = asideMethods.has(request.method) ? await withoutRoute(options, request) : null;
    if (aside) {
      const { reply, surface } = aside;
      sendReply(response, reply, sendingOf(options, request, passage.correlationId, surface, 'no-store'));
      report(options, passage, reply.status, undefined);
      return;
    }
    options.identity.agents.checkTransport(request, pathnameOf(request));
    passage.match = findRoute(tree, request, passage);
    const { route } = passage.match;
    crossOrigin.refuseForgery(route.surface, request);
    const { correlationId, begun, reached } = passage;
    const reply = await handleRequest(passage.match, options, {
      request,
      response,
      correlationId,
      askedAt: begun,
      reached,
      identified: (agent) => {
        passage.agent = agent;
      },
    });
    const cacheControl = route.isPublic ? undefined : route.surface.cacheControl;
    const sending = sendingOf(options, request, passage.correlationId, route.surface, cacheControl);
    status = reply.status;
    publishResponse(route, reply, passage.correlationId);
    if (reply.stream) await sendStream(response, reply.stream, reply, sending);
    else if (reply.file) await sendFile(response, reply.file, reply, sending);
    else sendReply(response, reply, sending);
  } catch (error) {
    problem = error;
    const surface = passage.match?.route.surface ?? passage.surface ?? tree.surfaceAt(pathnameOf(request));
    const refusal = errorReply(surface, error, passage.correlationId, passage.agent);
    const reply = covering(refusal, passage.reached);
    status = reply.status;
    publishResponse(passage.match?.route ?? null, reply, passage.correlationId);
    // What has gone out already cannot be taken back: a broken connection says that it is not all.
    if (response.headersSent) response.destroy();
    else sendReply(response, reply, sendingOf(options, request, passage.correlationId, surface, 'no-store'));
  }
  report(options, passage, status, problem);
};

const asideMethods: ReadonlySet<string> = new Set(['GET', 'OPTIONS']);

/** An advertiser's link, or a browser that asks for a page of another origin. */
const withoutRoute = async (
  { tree, crossOrigin, referrals }: Served,
  request: Request,
): Promise<{ readonly reply: Reply; readonly surface: Surface } | null> => {
  if (request.method === 'GET') {
    const reply = await referrals?.follow(request.url);
    return reply ? { reply, surface: { ...tree.surfaceAt(pathnameOf(request)), setsCookies: true } } : null;
  }
  const surface = tree.surfaceAt(pathnameOf(request));
  const reply = crossOrigin.preflight(surface, request);
  return reply && { reply, surface };
};

const sendingOf = (
  { settings: { secureCookies }, crossOrigin, baskets, reference }: Served,
  request: Request,
  correlationId: string,
  surface: Surface,
  cacheControl: string | undefined,
): Sending => ({
  surface,
  correlationId,
  requestId: surface.isForAgents ? echoed(request.headers['request-id']) : undefined,
  isSecure: secureCookies === 'auto' ? isOverHttps(request) : secureCookies,
  crossOrigin: crossOrigin.answerTo(surface, request),
  cacheControl,
  baskets,
  referenceTook: reference?.isWrittenElsewhere ? reference.took() : Infinity,
});

const visible = /^[\x20-\x7e]{1,255}$/;

/** An id of the caller's own that a header can bear. */
const echoed = (id: string | string[] | undefined): string | undefined =>
  typeof id === 'string' && visible.test(id) ? id : undefined;

/**
 * One line per request: unforeseen errors with their stack, refusals by engines or a provider, slow responses; the
 * rest at debug level. Never a body, never the caller's own path: it may hold a token.
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

const findRoute = (tree: RouteTree, request: Request, passage: Passage): Match => {
  const found = tree.find(request.method, pathnameOf(request));
  if (found === null) throw new Rejection('not-found', 'There is nothing at this address.');
  if ('route' in found) return found;
  passage.surface = found.surface;
  const allow = found.allow.join(', ');
  throw new HttpRejection('method-not-allowed', `This address answers ${allow} only.`, { Allow: allow });
};
