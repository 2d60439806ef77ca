import { createHash, createHmac, createSecretKey } from 'node:crypto';
import type { Actor } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import { keyFor } from '#runtime/keys.ts';
import type { Reply } from './reply.ts';

/** A call that may be repeated: whose it is, under which key, and what it asks for. */
export interface IdempotentCall {
  /** Who used the key and where: the same key of another caller, or elsewhere, is another key. */
  readonly scope: { readonly caller: string; readonly method: string; readonly path: string };
  /** The caller's key. */
  readonly key: string;
  /** A keyed hash of the body, by which another body under the same key is noticed. */
  readonly bodyFingerprint: string;
  /** The hash without a key that releases before kept: answers that they stored are known by it for 48 hours. */
  readonly formerFingerprint?: () => string;
}

/** `now`: the shop's time in milliseconds. `waitMs`: how long, in real time, for one that is carried out already. */
export interface IdempotentRun extends IdempotentCall {
  readonly now: number;
  readonly waitMs: number;
  /** Whose personal data the answer may show; asked once it is there. Default: nobody's. */
  readonly subjects?: () => readonly string[];
  /** Told where the answer was kept before. */
  readonly repeated?: () => void;
  /** Which answers below 500 are kept. Default: all but 401, 403, 429 and refused bodies. */
  readonly isKept?: IdempotencyRules['isKept'];
  /** Default: 48 hours. */
  readonly keptMs?: number | undefined;
}

/** How the keys of a surface work. */
export interface IdempotencyRules {
  /** The key of a request, if it may be one; undefined: it has none. Throws a Rejection. */
  readonly keyOf: (header: string | undefined, body: unknown) => string | undefined;
  /** By which one body is told from another. */
  readonly textOf: (body: unknown) => string;
  readonly isKept?: (answer: Pick<Reply, 'status' | 'code'>) => boolean;
  /** Header fields of an answer that was kept. */
  readonly repeated?: Readonly<Record<string, string>>;
  /** The refusal where keys cannot be remembered. Default: that of an engine that is away. */
  readonly unavailable?: () => Rejection;
}

/**
 * The first answer under an idempotency key, for 48 hours. It is a cache: the guarantee is the command id, which stands
 * in the events, so that a command whose answer was lost is recognised and answered again.
 */
export interface Idempotency {
  /**
   * Runs the handler under the key's command id, or answers what it answered the first time. Answers of 500 and above,
   * 401, 403, 429 and refused bodies (400, `invalid-request`) are not kept, nor is anything that it throws. Errors:
   * Rejection `idempotency-key-reused` (another body), `request-in-progress` (still running after `waitMs`);
   * `EngineUnavailable`.
   */
  run<Answer extends Pick<Reply, 'status'>>(
    call: IdempotentRun,
    handle: (commandId: string) => Promise<Answer>,
  ): Promise<Answer>;
}

export interface KeyedRequest {
  readonly rules: IdempotencyRules;
  readonly header: string | undefined;
  readonly body: unknown;
  readonly fingerprint: (body: string) => string;
  readonly actor: Actor;
  readonly basketId: string | null;
  /** Whose the key is where it is not the caller's; asked only where there is one. */
  readonly owner: () => Promise<string | null>;
  readonly method: string;
  readonly path: string;
}

const longestKey = 255;
const fingerprintLength = 22;

/**
 * Tells one body from another, 128 bits of an HMAC: bodies hold addresses, and a reader of stored answers or the log
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
export const idempotentCall = async (request: KeyedRequest): Promise<IdempotentCall | null> => {
  const { rules, header, body, fingerprint, actor, basketId, method, path } = request;
  const key = rules.keyOf(header, body);
  if (key === undefined) return null;
  const id = actor.id ?? basketId;
  const caller = (await request.owner()) ?? (id === null ? null : `${actor.kind} ${id}`);
  if (caller === null) return null;
  const text = rules.textOf(body);
  return {
    scope: { caller, method, path },
    key,
    bodyFingerprint: fingerprint(text),
    formerFingerprint: () => createHash('sha256').update(text).digest('base64'),
  };
};

/** Keys of the shop's own surfaces: a member of the body goes before the header. */
export const shopKeys: IdempotencyRules = {
  keyOf: (header, body) => {
    const key = keyIn(body) ?? header;
    if (key === undefined || (key !== '' && key.length <= longestKey)) return key;
    throw new Rejection('invalid-request', `idempotencyKey: must be 1 to ${longestKey} characters.`);
  },
  textOf: (body) => JSON.stringify(body) ?? '',
};

const keyIn = (body: unknown): string | undefined => {
  const key = (body as { readonly idempotencyKey?: unknown } | null | undefined)?.idempotencyKey;
  return typeof key === 'string' ? key : undefined;
};
