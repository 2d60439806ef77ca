import { createHash } from 'node:crypto';
import type { Actor } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import { basketIdOf, type Cookies } from './cookies.ts';
import type { Reply } from './route.ts';

/** A request that may be repeated: whose it is, under which key, and what it asks for. */
export interface KeyedCall {
  readonly scope: { readonly caller: string; readonly method: string; readonly path: string };
  readonly key: string;
  /** A hash of the body, by which another body under the same key is noticed. */
  readonly bodyFingerprint: string;
}

/** Answers a repeat with the stored answer. Nothing is stored when `handle` throws. `now`: the shop's time in ms. */
export interface IdempotencyRunner {
  run(
    call: KeyedCall & { readonly now: number },
    handle: (commandId: string) => Promise<Reply>,
  ): Promise<Reply>;
}

export interface KeyedRequest {
  readonly header: string | undefined;
  readonly body: unknown;
  readonly actor: Actor;
  readonly cookies: Cookies;
  readonly method: string;
  readonly path: string;
}

const longestKey = 255;

/**
 * The call that a request's idempotency key names; null without a key, and for a shopper without a basket cookie: with
 * no caller to belong to, a key says nothing (decisions, management 9).
 */
export const keyedCall = ({ header, body, actor, cookies, method, path }: KeyedRequest): KeyedCall | null => {
  const key = keyIn(body) ?? header;
  const caller = actor.id ?? basketIdOf(cookies);
  if (key === undefined || caller === null) return null;
  if (key === '' || key.length > longestKey) {
    throw new Rejection('invalid-request', `idempotencyKey: 1 to ${longestKey} characters were expected.`);
  }
  const bodyFingerprint = createHash('sha256')
    .update(JSON.stringify(body) ?? '')
    .digest('base64');
  return { scope: { caller: `${actor.kind} ${caller}`, method, path }, key, bodyFingerprint };
};

const keyIn = (body: unknown): string | undefined => {
  const key = (body as { readonly idempotencyKey?: unknown } | null | undefined)?.idempotencyKey;
  return typeof key === 'string' ? key : undefined;
};
