import type { z } from 'zod';
import type { OwnKeys } from '#agents/own-keys.ts';
import { TEST_AGENTS } from '#agents/test-agent.ts';
import { ucpTestResponse, type UcpTestResponse } from '#contracts/ucp-test.contract.ts';
import type { Clock } from '#kernel/clock.ts';
import { urlParts, type RequestMessage } from '#signatures/http-message.ts';
import { signMessage } from '#signatures/sign-message.ts';
import { neededComponents } from '#signatures/verify-message.ts';
import type { Service } from '#values/service.ts';
import { askOwn, type OwnAnswer, type OwnQuestion } from './ask-own.ts';
import type { RequestFacts } from './request-facts.ts';
import { admin, ok, route, type Route } from './route.ts';

/** What staff ask to be tried out. */
interface Trial {
  readonly agentId: string;
  readonly dryRun?: boolean;
}

export type SignTrial = (message: RequestMessage) => Readonly<Record<string, string>>;

/** Signs with the shop's own keys, which its test agents share. */
export const trialSigning =
  ({ ownKeys, clock }: { readonly ownKeys: OwnKeys; readonly clock: Clock }): SignTrial =>
  (message) => ({
    ...signMessage(message, neededComponents(message), ownKeys.signer(), { at: clock.now() }),
  });

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
  /** The signature of a request, where the shop requires one. */
  readonly sign?: SignTrial | undefined;
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

type Asking = Pick<RequestFacts, 'takenAt' | 'header' | 'baseUrl' | 'message'>;

/** Header fields of a request, signed for the host that staff themselves used. */
const headersOf = (
  { method, path, body }: Omit<OwnQuestion, 'headers'>,
  agent: string,
  { message }: Asking,
  sign: SignTrial | undefined,
): Record<string, string> => {
  const headers = { 'ucp-agent': `profile="${agent}"` };
  if (!sign || !message) return headers;
  const { scheme, authority } = urlParts(message.url);
  const url = `${scheme}://${authority}${path}`;
  if (body === undefined) return { ...headers, ...sign({ method, url, headers, body: Buffer.alloc(0) }) };
  const typed = { ...headers, 'content-type': 'application/json' };
  return { ...headers, ...sign({ method, url, headers: typed, body: Buffer.from(JSON.stringify(body)) }) };
};

const tryOut = async <Body extends Trial>(
  { step, ask, look, agentBaseUrl, sign }: UcpTestRoute<Body>,
  body: Body,
  facts: Asking,
): Promise<UcpTestResponse> => {
  const baseUrl = agentBaseUrl || facts.baseUrl;
  const meant = ask(body);
  const isDry = look !== undefined && body.dryRun === true;
  const asked = isDry ? look(body) : meant;
  const headers = headersOf(asked, `${baseUrl}${TEST_AGENTS}${body.agentId}`, facts, sign);
  const begun = performance.now();
  const response = await askOwn(facts, { ...asked, headers });
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
