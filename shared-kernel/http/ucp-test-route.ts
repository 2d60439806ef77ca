import type { z } from 'zod';
import { TEST_AGENTS } from '#agents/test-agent.ts';
import { ucpTestResponse, type UcpTestResponse } from '#contracts/ucp-test.contract.ts';
import type { Service } from '#values/service.ts';
import { askOwn, type OwnAnswer, type OwnQuestion } from './ask-own.ts';
import type { RequestFacts } from './request-facts.ts';
import { admin, ok, route, type Route } from './route.ts';

/** What staff ask to be tried out. */
interface Trial {
  readonly agentId: string;
  readonly dryRun?: boolean;
}

/** One step of a purchase, asked as a test agent would (docs/rules/agents.md#trying-it-out). */
export interface UcpTestRoute<Body extends Trial> {
  readonly service: Service;
  /** Scheme and host in what agents are told, where they are set for them alone. */
  readonly agentBaseUrl: string;
  /** Behind `/ucp-test/`. */
  readonly step: string;
  readonly summary: string;
  readonly body: z.ZodType<Body>;
  readonly ask: (body: Body) => Omit<OwnQuestion, 'headers'>;
  /** Asked in place of it where nothing is to be done. */
  readonly look?: (body: Body) => Omit<OwnQuestion, 'headers'>;
  readonly file: string;
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const member = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);
const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** Why it is no success: the first error that the answer names. */
const problemOf = (body: unknown): Pick<UcpTestResponse, 'errorCode' | 'errorMessage'> => {
  const messages = member(body, 'messages');
  const errors = Array.isArray(messages)
    ? messages.filter((message) => member(message, 'type') === 'error')
    : [];
  const [first = body] = errors as readonly unknown[];
  return {
    errorCode: textOf(member(first, 'code')),
    errorMessage: textOf(member(first, 'content')) ?? textOf(member(first, 'message')),
  };
};

const outcomeOf = (step: string, { statusCode, body }: OwnAnswer, isReady: boolean) => {
  const isOrder = step.startsWith('orders/');
  const isRefused =
    statusCode === 0 || statusCode >= 400 || member(member(body, 'ucp'), 'status') === 'error';
  const success = !isRefused && isReady;
  const id = textOf(member(body, 'id'));
  return {
    success,
    sessionId: isOrder ? textOf(member(body, 'checkout_id')) : id,
    status: textOf(member(body, 'status')),
    orderId: isOrder ? id : textOf(member(member(body, 'order'), 'id')),
    ...(success ? { errorCode: null, errorMessage: null } : problemOf(body)),
  };
};

const READY = 'ready_for_complete';

const tryOut = async <Body extends Trial>(
  { step, ask, look, agentBaseUrl }: UcpTestRoute<Body>,
  body: Body,
  facts: Pick<RequestFacts, 'takenAt' | 'header' | 'baseUrl'>,
): Promise<UcpTestResponse> => {
  const baseUrl = agentBaseUrl || facts.baseUrl;
  const headers = { 'ucp-agent': `profile="${baseUrl}${TEST_AGENTS}${body.agentId}"` };
  const meant = ask(body);
  const isDry = look !== undefined && body.dryRun === true;
  const begun = performance.now();
  const response = await askOwn(facts, { ...(isDry ? look(body) : meant), headers });
  const durationMs = Math.round(performance.now() - begun);
  const isReady = !isDry || textOf(member(response.body, 'status')) === READY;
  return {
    step,
    ...outcomeOf(step, response, isReady),
    durationMs,
    request: { method: meant.method, url: `${baseUrl}${meant.path}`, headers, body: meant.body ?? null },
    response,
  };
};

export const ucpTestRoute = <Body extends Trial>(declared: UcpTestRoute<Body>): Route => {
  const { service, step, summary, body, file } = declared;
  return route({
    base: 'management',
    service,
    method: 'POST',
    path: `/ucp-test/${step}`,
    caller: admin,
    summary,
    schemas: { body },
    response: ucpTestResponse,
    errors: ['invalid-request'],
    file,
    handle: async (request) => ok(await tryOut(declared, request.body, request)),
  });
};
