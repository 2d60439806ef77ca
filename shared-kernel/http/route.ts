import type { z } from 'zod';
import type { Actor } from '#kernel/event.ts';
import type { Service } from '#values/service.ts';

/** The surfaces of the shop; `mount.ts` knows their paths. */
export type Base = 'storefront' | 'checkout' | 'management' | 'testing' | 'root';

export type Role = 'admin' | 'analyst' | 'auditor';

/**
 * Who may call. `recognised`: anyone, and somebody of the backoffice is known by their credential. `visitor`: anyone,
 * known by the basket cookie. `backoffice`: a user or API key with one of the roles.
 */
export type CallerRule =
  | { readonly kind: 'anyone' }
  | { readonly kind: 'recognised' }
  | { readonly kind: 'visitor' }
  | { readonly kind: 'backoffice'; readonly roles: readonly Role[] }
  | { readonly kind: 'testing' };

export const anyone: CallerRule = { kind: 'anyone' };
/** Tells those with a credential more than strangers. */
export const recognised: CallerRule = { kind: 'recognised' };
export const visitor: CallerRule = { kind: 'visitor' };
/** Changes something: admins only. */
export const admin: CallerRule = { kind: 'backoffice', roles: ['admin'] };
/** Reads: everyone in the backoffice. */
export const reader: CallerRule = { kind: 'backoffice', roles: ['admin', 'analyst', 'auditor'] };
/** Reads the event log. */
export const auditor: CallerRule = { kind: 'backoffice', roles: ['admin', 'auditor'] };

/** What a handler gets of a request: parsed, and trusted from here on. */
export interface RouteRequest<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly cookies: Readonly<Record<string, string | undefined>>;
  /** The visitor's basket: the one that a signed cookie names; null when there is none. */
  readonly basketId: string | null;
  readonly actor: Actor;
  readonly correlationId: string;
  /** UUIDv5 of scope and idempotency key, when the caller gave one. */
  readonly commandId?: string;
  /** A keyed hash of the body that came under that key. */
  readonly bodyFingerprint?: string;
  /** The log position that the caller wants to see reflected. */
  readonly position?: number | undefined;
  readonly ip: string;
  /** A proxy that is not trusted has passed it on: everybody behind it has that address. */
  readonly isAddressShared?: boolean;
  /** True where nobody from outside can be asking, by whatever way. */
  readonly isFromThisMachine?: boolean;
  /** A header field by its name in lower case; undefined where the caller sent none. */
  readonly header: (name: string) => string | undefined;
  /** Scheme and host for absolute links. */
  readonly baseUrl: string;
}

export interface CookieToSet {
  readonly name: string;
  /** null deletes the cookie. */
  readonly value: string | null;
  readonly maxAgeSeconds?: number;
  readonly httpOnly?: boolean;
  readonly sameSite?: 'lax' | 'strict';
}

/** An answer. `json` is serialised; `text` is a JSON text that was serialised before and goes out as it is. */
export interface Reply {
  readonly status: number;
  readonly json?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly CookieToSet[];
  /** The basket with which the visitor goes on, in a signed cookie; null: none any more. Left out: as before. */
  readonly basketId?: string | null;
  /** The log position that a later request may ask to see: header Tillroll-Position and cookie shop_position. */
  readonly position?: number;
}

export const ok = (json: unknown, more: Omit<Reply, 'status' | 'json'> = {}): Reply => ({
  status: 200,
  json,
  ...more,
});
export const created = (
  location: string,
  json: unknown,
  more: Omit<Reply, 'status' | 'json'> = {},
): Reply => ({
  status: 201,
  json,
  ...more,
  headers: { ...more.headers, Location: location },
});
export const noContent = (more: Omit<Reply, 'status'> = {}): Reply => ({ status: 204, ...more });

export interface RouteSchemas {
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
}

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/**
 * One HTTP endpoint as data: it validates, documents itself (OpenAPI), is listed by `tillroll routes` and in the
 * gateway's table. `path` is relative to its base, `{name}` marks a parameter; parameters that are GUIDs (`params`
 * schema `guidParam`) match only GUIDs. `errors` are the rejection codes that it may answer.
 */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly base: Base;
  readonly path: string;
  readonly service: Service;
  readonly caller: CallerRule;
  readonly summary: string;
  readonly schemas: RouteSchemas;
  readonly answer: z.ZodType | null;
  /** The status of success, for the description only. Default: 200, or 204 where there is no answer. */
  readonly status?: 200 | 201 | 202 | 204;
  readonly errors: readonly string[];
  /** The source file, as `tillroll routes` prints it. */
  readonly file: string;
  /** Honours Idempotency-Key. */
  readonly isIdempotent: boolean;
  /**
   * Tells everybody the same, and nothing of anybody: the one kind of answer that caches may keep. Others are
   * `no-store`.
   */
  readonly isPublic?: boolean;
  /** Where it differs from what its surface allows. */
  readonly maxBodyBytes?: number;
  readonly handle: (request: RouteRequest) => Promise<Reply>;
}

/** Declares a route; the handler's request is typed by the schemas. */
export const route = <const S extends RouteSchemas>(
  declaration: Omit<Route, 'schemas' | 'handle' | 'errors' | 'isIdempotent' | 'answer'> & {
    readonly schemas?: S;
    readonly answer?: z.ZodType;
    readonly errors?: readonly string[];
    readonly isIdempotent?: boolean;
    readonly handle: (
      request: RouteRequest<Output<S['params']>, Output<S['query']>, Output<S['body']>>,
    ) => Promise<Reply>;
  },
): Route => ({
  ...declaration,
  schemas: declaration.schemas ?? {},
  answer: declaration.answer ?? null,
  errors: declaration.errors ?? [],
  isIdempotent: declaration.isIdempotent ?? false,
  handle: declaration.handle as Route['handle'],
});
