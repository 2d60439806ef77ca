import { z } from 'zod';
import type { AgentRequest, DialectName } from '#agents/agent-request.ts';
import type { ProtocolAnswer, ProtocolRequestFor } from '#agents/commerce-protocol.ts';
import { dialectFor, OLDER_VERSION, versionOf } from '#agents/dialect-choice.ts';
import type { Forms, Json } from '#agents/dialects.ts';
import { jsonPath } from '#agents/json-path.ts';
import { expectation } from '#fields/expectation.ts';
import { defined } from '#kernel/defined.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { Config } from '#runtime/config.ts';
import type { Service } from '#values/service.ts';
import { agentHeaders, agentProblems } from './agent-errors.ts';
import type { Caller } from './callers/caller.ts';
import { errorReply, errorRow } from './errors.ts';
import { ProtocolRejection } from './protocol-rejection.ts';
import type { Reply } from './reply.ts';
import { route, type Route, type RouteRequest } from './route.ts';
import { agent as surface } from './surfaces/agent.ts';

/** An endpoint for agents: the adapter answers, and a dialect writes it. */
export interface AgentRoute<Body, Result> {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** All of it. */
  readonly path: string;
  readonly service: Service;
  readonly caller: Caller;
  readonly summary: string;
  /** The schema of the body; what does not fit is refused member by member. */
  readonly body?: z.ZodType<Body>;
  /** Of what is wrong with the body. Default: 400. */
  readonly problemStatus?: 422;
  /** For the description only. */
  readonly response: z.ZodType;
  readonly status?: 200 | 201;
  readonly returnsExisting?: true;
  readonly errors?: readonly string[];
  /** The views that it is answered from. */
  readonly reads?: NonNullable<Route['reads']>;
  /** As members, or as JSON text. */
  readonly forms: Forms<Result, Json | string>;
  /** The dialect in which the agent began what has this id; null: it has nothing. Asked for refusals only. */
  readonly ownDialect?: (agent: AgentRequest, id: string) => Promise<DialectName | null>;
  readonly file: string;
  readonly handle: (request: ProtocolRequestFor<Body>) => Promise<ProtocolAnswer<Result>>;
}

/** GUIDs, in capitals too; other texts are ids of nothing. */
const anyId = z.object({ id: z.string().toLowerCase() });
const anyJson = z.unknown();

const memberAt = (body: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, name) => (value as Record<PropertyKey, unknown> | null | undefined)?.[name],
    body,
  );

/** The body as its schema has it. Throws what is wrong with it, all at once. */
const bodyOf = <Body>(
  { body: schema, problemStatus }: Pick<AgentRoute<Body, unknown>, 'body' | 'problemStatus'>,
  body: unknown,
): Body => {
  if (!schema) return undefined as Body;
  const parsed = schema.safeParse(body, { error: expectation });
  if (parsed.success) return parsed.data;
  throw agentProblems(
    parsed.error.issues.map(({ path, message }) => ({
      code: memberAt(body, path) === undefined ? 'missing' : 'invalid',
      path: jsonPath(path),
      text: message,
    })),
    problemStatus,
  );
};

/** How the answers of a route are written. */
interface Writing<Result> extends Pick<AgentRoute<never, Result>, 'forms'> {
  readonly isSigned: boolean;
  readonly schemaBaseUrl: string;
}

const refusalReply = (error: unknown, { correlationId }: RouteRequest, agent: AgentRequest): Reply =>
  errorReply(surface, error, correlationId, agent);

/** What kept answers became. No others: a scavenge takes what such a map holds for alive, also what is sent already. */
const replies = new WeakMap<ProtocolAnswer<unknown>, Reply>();

const signedIn = (reply: Reply, dialect: DialectName): Reply =>
  reply.status < 300 ? { ...reply, signedAs: dialect === OLDER_VERSION ? 'detached' : 'message' } : reply;

/** Serialised once: these are the bytes that are signed, kept and sent. */
const answerReply = <Result>(
  answer: ProtocolAnswer<Result>,
  { forms, schemaBaseUrl }: Pick<Writing<Result>, 'forms' | 'schemaBaseUrl'>,
  request: RouteRequest,
  agent: AgentRequest,
): Reply => {
  const { dialect, position } = answer;
  if ('error' in answer) {
    const reply = refusalReply(new ProtocolRejection(answer.error), request, { ...agent, dialect });
    return { ...reply, ...defined({ position }) };
  }
  const written = forms[dialect](answer.result, {
    version: versionOf(agent.ownVersion, dialect),
    schemaBaseUrl,
  });
  return {
    status: answer.httpStatus,
    text: typeof written === 'string' ? written : JSON.stringify(written),
    headers: agentHeaders,
    ...defined({ position }),
  };
};

const replyTo = <Result>(
  answer: ProtocolAnswer<Result>,
  writing: Writing<Result>,
  request: RouteRequest,
  agent: AgentRequest,
): Reply => {
  const known = replies.get(answer);
  if (known) return known;
  const written = answerReply(answer, writing, request, agent);
  const reply = writing.isSigned ? signedIn(written, answer.dialect) : written;
  if (!('error' in answer) && answer.isKept) replies.set(answer, reply);
  return reply;
};

/** Whose keys they are: an answer to a signed request, or to a member, is replayed only to the same. */
const keyOwner = async ({ agent }: RouteRequest): Promise<string | null> => {
  if (!agent?.identity) return null;
  const { identity, member } = agent;
  // The name comes last: an agent may call itself anything, also what is said of another before its name.
  return `agent ${identity.isVerified ? 'signed' : 'unsigned'} ${member?.memberId ?? 'guest'} ${identity.profileUri}`;
};

/** Declares endpoints for agents under the settings of the protocol. */
export const agentRoutes = ({ ucp }: Pick<Config['protocol'], 'ucp'>) => ({
  ask: <Body = undefined, Result = unknown>(declared: AgentRoute<Body, Result>): Route => {
    const { method, path, caller, body, forms, ownDialect, handle, ...rest } = declared;
    const hasId = path.includes('{id}');
    const isIdempotent = method !== 'GET' && caller.kind === 'agent';
    const isSigned = ucp.signResponses && caller.kind === 'agent';
    const writing = { forms, isSigned, schemaBaseUrl: ucp.schemaBaseUrl };
    return route({
      ...rest,
      base: 'agent',
      method,
      path,
      caller,
      isIdempotent,
      keptMs: ucp.idempotencyTtlHours * 3_600_000,
      maxBodyBytes: ucp.limits.maxBodyBytes,
      keyOwner,
      schemas: {
        ...(hasId && { params: anyId }),
        ...(method !== 'GET' && { body: anyJson }),
      },
      ...(body && { bodyForm: body }),
      handle: async (request): Promise<Reply> => {
        const { agent } = request;
        if (!agent) throw new TypeError(`${rest.file}: ${method} ${path} is not for agents`);
        const id = hasId ? (request.params as { readonly id: string }).id : '';
        try {
          const asked = Object.assign(request, { agent, id, body: bodyOf(declared, request.body) });
          return replyTo(await handle(asked), writing, request, agent);
        } catch (error) {
          if (!(error instanceof Rejection) || !errorRow(error.code)) throw error;
          const own = hasId && ownDialect ? await ownDialect(agent, id) : null;
          return refusalReply(error, request, { ...agent, dialect: dialectFor(agent, own) });
        }
      },
    });
  },
});
