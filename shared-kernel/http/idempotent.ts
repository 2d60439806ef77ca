import { createHash, createHmac, createSecretKey } from 'node:crypto';
import type { Actor } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import { keyFor } from '#runtime/keys.ts';
import type { Reply } from './reply.ts';

/** A request that may be repeated: whose it is, under which key, and what it asks for. */
export interface KeyedCall {
  readonly scope: { readonly caller: string; readonly method: string; readonly path: string };
  readonly key: string;
  /** A keyed hash of the body, by which another body under the same key is noticed. */
  readonly bodyFingerprint: string;
  /** The hash without a key that releases before kept: answers that they stored are known by it for 48 hours. */
  readonly formerFingerprint?: () => string;
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
  readonly fingerprint: (body: string) => string;
  readonly actor: Actor;
  readonly basketId: string | null;
  readonly method: string;
  readonly path: string;
}

const longestKey = 255;
const fingerprintLength = 22;

/**
 * Tells one body from another, 128 bits of an HMAC: bodies hold addresses, and whoever reads stored answers or the log
 * must not be able to try which one it was.
 */
export const createFingerprint = (applicationKey: Buffer): ((body: string) => string) => {
  const key = createSecretKey(keyFor(applicationKey, 'body fingerprint'));
  return (body) => createHmac('sha256', key).update(body).digest('base64url').slice(0, fingerprintLength);
};

/**
 * The call that a request's idempotency key names; null without a key, and for a shopper without a basket cookie: with
 * no caller to belong to, a key says nothing (docs/rules/management.md#repeats).
 */
export const keyedCall = (request: KeyedRequest): KeyedCall | null => {
  const { header, body, fingerprint, actor, basketId, method, path } = request;
  const key = keyIn(body) ?? header;
  const caller = actor.id ?? basketId;
  if (key === undefined || caller === null) return null;
  if (key === '' || key.length > longestKey) {
    throw new Rejection('invalid-request', `idempotencyKey: 1 to ${longestKey} characters were expected.`);
  }
  const text = JSON.stringify(body) ?? '';
  return {
    scope: { caller: `${actor.kind} ${caller}`, method, path },
    key,
    bodyFingerprint: fingerprint(text),
    formerFingerprint: () => createHash('sha256').update(text).digest('base64'),
  };
};

const keyIn = (body: unknown): string | undefined => {
  const key = (body as { readonly idempotencyKey?: unknown } | null | undefined)?.idempotencyKey;
  return typeof key === 'string' ? key : undefined;
};
