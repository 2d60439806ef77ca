import type { z } from 'zod';
import { defined } from '#kernel/defined.ts';
import type { Actor } from '#kernel/event.ts';
import type { Reached } from '#kernel/reached.ts';
import type { Service } from '#values/service.ts';
import type { Caller } from './callers/caller.ts';
import type { Reply } from './reply.ts';
import type { RequestFacts } from './request-facts.ts';
import type { BodyRule, Surface } from './surfaces/surface.ts';
import { surfaces, type Base } from './surfaces/surfaces.ts';

export type { Base } from './surfaces/surfaces.ts';
export { agent, browsingAgent, discoveringAgent, knownAgent, payingAgent } from './callers/agent.ts';
export { anyone } from './callers/anyone.ts';
export { admin, analyst, auditor, reader } from './callers/backoffice.ts';
export { confirmation } from './callers/confirmation.ts';
export { member } from './callers/member.ts';
export { recognised } from './callers/recognised.ts';
export { testing } from './callers/testing.ts';
export { visitor } from './callers/visitor.ts';
export { created, noContent, ok, type CookieToSet, type Reply } from './reply.ts';

/** What a handler gets of a request: parsed, and trusted from here on. */
export interface RouteRequest<Params = unknown, Query = unknown, Body = unknown> extends RequestFacts {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly actor: Actor;
  readonly correlationId: string;
  /** When it came, in `performance.now()`. */
  readonly askedAt?: number;
  /** UUIDv5 of scope and idempotency key, when the caller gave one. */
  readonly commandId?: string;
  /** A keyed hash of the body that came under that key. */
  readonly bodyFingerprint?: string;
  /** Its answer tells a position that covers all that it wrote, in however many streams. */
  readonly reached: Reached;
}

export interface RouteSchemas {
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
}

/** Files are named from here, wherever the shop is installed. */
const root = new URL('../../', import.meta.url).href;
const fromRoot = (file: string): string => (file.startsWith(root) ? file.slice(root.length) : file);

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/**
 * One HTTP endpoint as data: it validates, documents itself (OpenAPI), is listed by `tillroll routes` and in the
 * gateway's table. `path` is relative to its surface, `{name}` marks a parameter; parameters that are GUIDs (`params`
 * schema `guidParam`) match only GUIDs. `errors` are the rejection codes that it may answer.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly surface: Surface;
  readonly path: string;
  readonly service: Service;
  readonly caller: Caller;
  readonly summary: string;
  readonly schemas: RouteSchemas;
  readonly response: z.ZodType | null;
  /** The media type of the answer, where it is not JSON. */
  readonly responseType?: string;
  /** Further media types of the answer, which the caller may choose. */
  readonly alsoAs?: readonly string[];
  /** What GET says at the same address, where that is not the answer: a body may have all of it. */
  readonly responseOfGet?: z.ZodType;
  /** The status of success, for the description only. Default: 200, or 204 where there is no answer. */
  readonly status?: 200 | 201 | 202 | 204;
  /** Answers 200 where what it would make is there already. */
  readonly returnsExisting?: true;
  readonly errors: readonly string[];
  /** The source file, as `tillroll routes` prints it. */
  readonly file: string;
  /** The schema of a body that the handler checks itself: for the description only. */
  readonly bodyForm?: z.ZodType;
  /** Honours Idempotency-Key. */
  readonly isIdempotent: boolean;
  /** How long answers are kept under their keys. Default: 48 hours. */
  readonly keptMs?: number;
  /**
   * Whose the keys are where they are not the caller's: an invoice's, say, whose buyer has another cookie once it is
   * paid. Asked only where a key was sent; refuses who may not use it. Null: the caller's after all.
   */
  readonly keyOwner?: (request: RouteRequest) => Promise<string | null>;
  /** Answers a part of what there is (206) to who asks for one. */
  readonly isInParts?: true;
  /** Sends browsers on (302, 303), which ask for a page and not for JSON. */
  readonly sendsBrowsersOn?: true;
  /**
   * The same for all callers, and about none of them: the only kind of response that caches may keep. Others are
   * `no-store`.
   */
  readonly isPublic?: boolean;
  /**
   * Asked when a schema refuses the body: what is wrong by rules that see more than one field, as
   * `path: what was expected`, so that one refusal names everything.
   */
  readonly ruleProblems?: (given: {
    readonly params: unknown;
    readonly body: unknown;
  }) => Promise<readonly string[]>;
  /** The views that it is answered from: their service waits until they reflect what the caller has written. */
  readonly reads?: readonly { readonly name: string }[];
  readonly body: BodyRule;
  readonly handle: (request: RouteRequest) => Promise<Reply>;
}

/**
 * Declares a route on a surface, named or given; the handler's request is typed by the schemas. `file` is the
 * `import.meta.url` of where it is declared.
 */
export const route = <const S extends RouteSchemas>({
  base,
  bodyKind,
  maxBodyBytes,
  ...declaration
}: Omit<
  Route,
  'surface' | 'body' | 'schemas' | 'handle' | 'errors' | 'isIdempotent' | 'response' | 'keyOwner'
> & {
  readonly base: Base | Surface;
  /** Where it differs from what its surface reads. */
  readonly bodyKind?: BodyRule['kind'];
  /** Where it differs from what its surface allows. */
  readonly maxBodyBytes?: number;
  readonly schemas?: S;
  readonly response?: z.ZodType;
  readonly errors?: readonly string[];
  readonly isIdempotent?: boolean;
  readonly keyOwner?: (
    request: RouteRequest<Output<S['params']>, Output<S['query']>, Output<S['body']>>,
  ) => Promise<string | null>;
  readonly handle: (
    request: RouteRequest<Output<S['params']>, Output<S['query']>, Output<S['body']>>,
  ) => Promise<Reply>;
}): Route => {
  const surface = typeof base === 'string' ? surfaces[base] : base;
  const { keyOwner, ...rest } = declaration;
  return {
    ...rest,
    ...(keyOwner && { keyOwner: keyOwner as NonNullable<Route['keyOwner']> }),
    file: fromRoot(declaration.file),
    surface,
    body: {
      ...surface.body,
      ...defined({ kind: bodyKind, maxBytes: maxBodyBytes }),
    },
    schemas: declaration.schemas ?? {},
    response: declaration.response ?? null,
    errors: declaration.errors ?? [],
    isIdempotent: declaration.isIdempotent ?? false,
    handle: declaration.handle as Route['handle'],
  };
};
