import type { Request, Response } from 'express';
import type { AddressLimit } from '#kernel/admission.ts';
import type { AgentRequest } from '#agents/agent-request.ts';
import type { Clock } from '#kernel/clock.ts';
import { defined } from '#kernel/defined.ts';
import { memberIdOf, type Actor } from '#kernel/event.ts';
import { subjectsReached, type Reached } from '#kernel/reached.ts';
import { Rejection } from '#kernel/rejection.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { leftOfRequest } from '#runtime/request-deadline.ts';
import { BASKET_HEADER, basketCookieOf, type BasketCookies, type NamedBasket } from './basket-cookie.ts';
import { errorReply, isNotForKeeping } from './errors.ts';
import {
  idempotentCall,
  shopKeys,
  type Idempotency,
  type IdempotencyRules,
  type IdempotentRun,
} from './idempotent.ts';
import type { Identity } from './identity.ts';
import { IGNORED_HEADER, ignoredMembers } from './ignored-members.ts';
import { parseRequest } from './parse-request.ts';
import { parseBody, readBody, readRawBody } from './read-body.ts';
import { pathnameOf, queryOf, requestFacts, type RequestFacts } from './request-facts.ts';
import { covering, type Reply } from './reply.ts';
import type { Route, RouteRequest } from './route.ts';
import type { SignAnswer } from './sign-answer.ts';
import { pathOnSurface, type Match } from './route-tree.ts';
import { takeCharge } from './send-reply.ts';
import type { BodyRule } from './surfaces/surface.ts';

/** Reference state, as this process follows it. */
export interface FollowedHere {
  /** Resolves once it is as far as a position, or has not come there in time, `patienceMs` at most. */
  readonly whenReached: (position: number, patienceMs: number) => Promise<unknown>;
  /** Whether a caller may have seen what other processes wrote. */
  readonly isWrittenElsewhere: boolean;
  /** Position of the last event that it took. */
  readonly took: () => number;
}

/**
 * Whether a basket opens to who asks, as this process knows it: a member's opens to that member only
 * (docs/rules/members.md#basket). Errors: `EngineUnavailable`. Answers at once where it knows.
 */
export type OpensBasket = (basketId: string, memberId: string | null) => boolean | Promise<boolean>;

export interface HandleRequestOptions {
  /** `publicBaseUrl`: scheme and host of absolute links, `agentBaseUrl` for agents; null: those of the request. */
  readonly settings: { readonly publicBaseUrl: string | null; readonly agentBaseUrl?: string | null };
  readonly identity: Identity;
  /** Null where no route takes a key. */
  readonly idempotency: Idempotency | null;
  /** Signs the cookies of baskets, and knows its own signatures. */
  readonly baskets: BasketCookies;
  /** Asked for commands, before anything else is done with a basket. Default: every basket opens. */
  readonly opensBasket?: OpensBasket;
  /** Of shoppers' answers that are kept, by address. Default: as many as they like. */
  readonly keyLimit?: AddressLimit;
  /** Default: no answer is signed. */
  readonly signAnswer?: SignAnswer;
  /** A keyed hash of a body, by which another body under the same idempotency key is noticed. */
  readonly fingerprint: (body: string) => string;
  readonly clock: Clock;
  /** On which commands decide. Default: it is always current. */
  readonly reference?: FollowedHere;
}

/** A request, and when it came. */
interface Arrived {
  readonly request: Request;
  readonly response: Response;
  readonly correlationId: string;
  readonly askedAt: number;
  readonly reached: Reached;
  /** Told which agent asks, as soon as that is known. */
  readonly identified: (agent: AgentRequest) => void;
}

/**
 * What a route answers to a request: who asks, what is asked, and the handler, once for each idempotency key. Refusals
 * are thrown.
 */
export const handleRequest = async (
  { route, params }: Match,
  options: HandleRequestOptions,
  arrived: Arrived,
): Promise<Reply> => {
  const { request, response, correlationId, askedAt, reached } = arrived;
  const { schemas, surface, caller } = route;
  const { publicBaseUrl, agentBaseUrl = publicBaseUrl } = options.settings;
  const facts = requestFacts(request, surface.hasAgentAddress ? agentBaseUrl : publicBaseUrl);
  if (route.body.isRawKept || caller.identify) await completeFacts(facts, route, options.identity, arrived);
  const admitted = caller.admit(facts, options.identity, params);
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
  const shown = request.headers['tillroll-basket'] as string | undefined;
  const named = caller.isShopper
    ? options.baskets.read(shown ?? basketCookieOf(facts.cookies), memberIdOf(actor))
    : null;
  const opened = named && openBasket(named, route, actor, options);
  const basketId = opened instanceof Promise ? await opened : opened;
  const parts = {
    params,
    query: parsed.query,
    body: parsed.body,
    actor,
    basketId,
    correlationId,
    askedAt,
    reached,
  };
  const routeRequest = Object.assign(facts, parts);
  const given = route.isIdempotent
    ? await underKey(route, routeRequest, body, actor, request, options)
    : await handled(route, routeRequest);
  const answered = given.signedAs && options.signAnswer ? options.signAnswer(given) : given;
  const signed = caller.isShopper ? signedFor(actor, route, named, basketId, answered) : answered;
  const reply = shown === undefined || basketId === null ? signed : stillNaming(shown, signed);
  if (reply.stream) takeCharge(reply.stream);
  // What the backoffice has changed holds in this process once it is answered.
  if (reference && isFollowedAtOnce(route) && reply.position !== undefined) {
    try {
      await reference.whenReached(reply.position, leftOfRequest(askedAt));
    } catch (error) {
      reply.stream?.destroy();
      await reply.file?.close();
      throw error;
    }
  }
  return surface.namesIgnored ? namingIgnored(reply, route, request, body) : reply;
};

/** The bytes of the body, and which agent asks: by these some callers are recognised. */
const completeFacts = async (
  facts: RequestFacts,
  { body, caller }: Route,
  identity: Identity,
  { request, response, identified }: Arrived,
): Promise<void> => {
  if (body.isRawKept) Object.assign(facts, { rawBody: await readRawBody(body, request, response) });
  if (!caller.identify) return;
  const agent = await caller.identify(facts, identity);
  identified(agent);
  Object.assign(facts, { agent });
};

/**
 * The basket of the cookie; null where it belongs to another shopper. Queries check the owner in the view that they
 * read.
 */
const openBasket = (
  { basketId }: NamedBasket,
  { service }: Route,
  actor: Actor,
  { opensBasket }: HandleRequestOptions,
): string | null | Promise<string | null> => {
  if (service !== 'command' || !opensBasket) return basketId;
  const opens = opensBasket(basketId, memberIdOf(actor));
  if (opens instanceof Promise) return opens.then((isOpen) => (isOpen ? basketId : null));
  return opens ? basketId : null;
};

/** A member gets a cookie of their own for the basket that they came with as a guest. */
const signedFor = (
  actor: Actor,
  { service }: Route,
  named: NamedBasket | null,
  basketId: string | null,
  reply: Reply,
): Reply => {
  const memberId = memberIdOf(actor);
  if (memberId === null || service !== 'command') return reply;
  if (reply.basketId !== undefined) return { basketOf: memberId, ...reply };
  if (basketId === null || named?.memberId === memberId || reply.status >= 400) return reply;
  return { ...reply, basketId, basketOf: memberId };
};

/** The header comes back to who sent it, whether or not the response sets a cookie. */
const stillNaming = (shown: string, reply: Reply): Reply =>
  reply.basketId === undefined ? { ...reply, headers: { ...reply.headers, [BASKET_HEADER]: shown } } : reply;

/** Done, though not all of what was asked for. A refusal says by itself what is wrong. */
const namingIgnored = (reply: Reply, route: Route, request: Request, body: unknown): Reply => {
  if (reply.status >= 400) return reply;
  const query = request.url.includes('?') ? queryOf(request) : undefined;
  const ignored = ignoredMembers(route, { query, body });
  return ignored === null ? reply : { ...reply, headers: { ...reply.headers, [IGNORED_HEADER]: ignored } };
};

/** Bytes that were read to see who asks are not read twice. */
const bodyOf = (rule: BodyRule, rawBody: Buffer | undefined, request: Request, response: Response): unknown =>
  rawBody ? parseBody(rule.kind, rawBody, request) : readBody(rule, request, response);

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

const handled = async (route: Route, request: RouteRequest): Promise<Reply> =>
  covering(await route.handle(request), request.reached);

/** Runs the handler, or answers what it answered before under the same key. */
const underKey = async (
  route: Route,
  routeRequest: RouteRequest,
  body: unknown,
  actor: Actor,
  request: Request,
  { idempotency, keyLimit, fingerprint, clock }: HandleRequestOptions,
): Promise<Reply> => {
  const { basketId, correlationId, ip } = routeRequest;
  const path = `${route.surface.name}${pathOnSurface(route, pathnameOf(request))}`;
  const { keys: rules = shopKeys } = route.surface;
  const header = request.get('idempotency-key');
  const owner = async (): Promise<string | null> => route.keyOwner?.(routeRequest) ?? null;
  const asked = { rules, header, body, fingerprint, actor, basketId, owner, method: route.method, path };
  const call = await idempotentCall(asked);
  if (call === null || idempotency === null) return handled(route, routeRequest);
  const { bodyFingerprint } = call;
  const waitMs = leftOfRequest(routeRequest.askedAt);
  const admission = route.caller.isShopper ? keyLimit?.(ip) : undefined;
  const tooMany = admission?.take();
  if (tooMany) throw tooMany;
  const subjects = () => subjectsReached(routeRequest.reached);
  let isRepeated = false;
  const repeated = () => {
    isRepeated = true;
    admission?.giveBack();
  };
  const { keptMs } = route;
  const run = {
    ...call,
    ...defined({ isKept: rules.isKept }),
    now: clock.now(),
    waitMs,
    subjects,
    repeated,
    keptMs,
  };
  const reply = await runRemembered(idempotency, run, rules, async (commandId) => {
    try {
      const first = await handled(route, Object.assign(routeRequest, { commandId, bodyFingerprint }));
      if (!first.stream && !first.file) return first;
      first.stream?.destroy();
      await first.file?.close();
      throw new TypeError(`${route.file}: a stream cannot be kept as the answer of an idempotency key`);
    } catch (error) {
      if (isNotForKeeping(error)) throw error;
      return covering(
        errorReply(route.surface, error, correlationId, routeRequest.agent),
        routeRequest.reached,
      );
    }
  });
  return isRepeated && rules.repeated
    ? { ...reply, headers: { ...reply.headers, ...rules.repeated } }
    : reply;
};

/** A key that cannot be remembered is refused before anything is done. */
const runRemembered = async (
  idempotency: Idempotency,
  run: IdempotentRun,
  { unavailable }: IdempotencyRules,
  handle: (commandId: string) => Promise<Reply>,
): Promise<Reply> => {
  let hasBegun = false;
  try {
    return await idempotency.run(run, (commandId) => {
      hasBegun = true;
      return handle(commandId);
    });
  } catch (error) {
    if (!hasBegun && unavailable && error instanceof EngineUnavailable) throw unavailable();
    throw error;
  }
};
