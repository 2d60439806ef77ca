import type { z } from 'zod';
import type { AgentRequest } from '#agents/agent-request.ts';
import type { Rejection } from '#kernel/rejection.ts';
import type { IdempotencyRules } from '../idempotent.ts';
import type { PositionCookie } from '../position.ts';
import type { Reply } from '../reply.ts';

/** How the bodies of a surface are read. */
export interface BodyRule {
  /** `jsonText`: not parsed, for routes that read a large one piece by piece. */
  readonly kind: 'json' | 'jsonText' | 'form' | 'csv';
  /** A route may say otherwise. */
  readonly maxBytes: number;
  /** The bytes stay beside what was read from them: `rawBody`. They must come uncompressed. */
  readonly isRawKept: boolean;
}

/** What went wrong, before a surface puts it into words of its own. */
export interface Failure {
  readonly status: number;
  /** For programs (docs/errors.md). */
  readonly code: string;
  /** For people. */
  readonly message: string;
  /** Further details for the caller; the correlation id of an unforeseen error. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly correlationId: string;
  /** The agent whose request has failed; null for other callers, and as long as it is not known who asks. */
  readonly agent: AgentRequest | null;
}

/** The form of errors: of a route, and of addresses without one. */
export interface ErrorForm {
  /** In the OpenAPI description. */
  readonly name: string;
  readonly schema: z.ZodType;
  /** Statuses of refusals that always say when to come back. Default: none. */
  readonly retriedStatuses?: ReadonlySet<number>;
  /** A status and a code of its own go before the failure's, header fields stand beside the usual ones. */
  readonly write: (failure: Failure) => Pick<Reply, 'code' | 'json' | 'text' | 'headers'> & {
    readonly status?: number;
  };
}

/** Where a request is not as expected; the path is empty for the request as a whole. */
export type Problem = readonly [path: string, expected: string];

/** A part of the API with manners of its own: everything that its routes have in common. */
export interface Surface {
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** Paths without a closing slash; the first is the one that answers and the documentation carry. */
  readonly mountPoints: readonly [string, ...string[]];
  /** The paths below which it refuses what is not there. Default: its mount points. */
  readonly answersBelow?: readonly string[];
  /** False for a route that stands under the first mount point only. Default: true. */
  readonly isAliased?: (route: { readonly method: string; readonly path: string }) => boolean;
  /** The kinds of callers that its routes may admit. */
  readonly callers: readonly string[];
  readonly body: BodyRule;
  readonly errors: ErrorForm;
  /** The refusal of a request that does not fit the schemas: names all problems at once. */
  readonly invalidRequest: (problems: readonly Problem[]) => Rejection;
  /** Of answers that are not public; errors are `no-store` everywhere. */
  readonly cacheControl: string;
  /** Whether answers set cookies, that of the log position among them. Its header stands everywhere. */
  readonly setsCookies: boolean;
  readonly positionCookie: PositionCookie;
  /** What a command has changed holds in this process once it is answered. */
  readonly isFollowedAtOnce: boolean;
  /** Pages of the origins in `Storefront.AllowedOrigins` may call it (docs/rules/other-origins.md). */
  readonly servesOtherOrigins?: true;
  /** Answers name what of the request was ignored. */
  readonly namesIgnored?: true;
  /** Its callers are known by `UCP-Agent`. */
  readonly isForAgents?: true;
  /** Absolute links begin with the shop's address for agents. */
  readonly hasAgentAddress?: true;
  /** How idempotency keys work here. Default: as in the shop (docs/rules/management.md#repeats). */
  readonly keys?: IdempotencyRules;
}
