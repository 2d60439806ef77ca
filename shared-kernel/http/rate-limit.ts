import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { clientNetwork } from '#values/client-network.ts';
import { HttpRejection } from './errors.ts';

/** Whether one more was let through, and if not, when to come back. */
export type Taken =
  | { readonly isTaken: true }
  | { readonly isTaken: false; readonly retryAfterSeconds: number };

/** A number per window, by key. Errors: `EngineUnavailable`. */
export interface RateLimit {
  /**
   * Counts one, unless there were `limit` in the key's window already. Counted before it happens, so that many at once
   * cannot pass together.
   */
  take(key: string, limit: number): Promise<Taken>;
  /** How many there were in the key's window, and when it ends. */
  look(key: string): Promise<{ readonly count: number; readonly endsInSeconds: number }>;
  /** Takes back one that was counted, for what turned out not to be limited. */
  giveBack(key: string): Promise<void>;
}

/** Slows a key down instead of barring it. Errors: `EngineUnavailable`. */
export interface Throttle {
  /** Counts one, unless the one before it is too short a time ago. What is not let through slows nothing down. */
  take(key: string): Promise<Taken>;
  /** Starts over. */
  clear(key: string): Promise<void>;
}

export interface ThrottleRules {
  /** This many pass at any pace. */
  readonly free: number;
  /** By so much the pause grows with each one more … */
  readonly stepSeconds: number;
  /** … up to this. */
  readonly longestSeconds: number;
  /** After so long without one everything is forgotten. */
  readonly forgottenAfterSeconds: number;
}

/** A try of something that may fail; `count`: how many have failed in a row, this one included while it is counted. */
export interface CountedTry {
  readonly isTaken: boolean;
  readonly count: number;
  /** Until they are forgotten. */
  readonly endsInSeconds: number;
}

/** Failures in a row, by key; forgotten so long after the last one that was counted. Errors: `EngineUnavailable`. */
export interface FailureCount {
  /**
   * Counts one, unless there are `limit`. Counted before it is known to have failed, so that many at once cannot pass
   * together. What is not let through prolongs nothing.
   */
  take(key: string, limit: number): Promise<CountedTry>;
  /** Takes back one that was none. */
  giveBack(key: string): Promise<void>;
  /** Starts over. */
  clear(key: string): Promise<void>;
}

/** Counters by key, the same for all processes. */
export interface RateLimits {
  /** A limit in fixed windows; `name` tells its keys from those of other limits. */
  perWindow(name: string, windowSeconds: number): RateLimit;
  throttle(name: string, rules: ThrottleRules): Throttle;
  failures(name: string, forgottenAfterSeconds: number): FailureCount;
  /** Removes the counters whose time is over; returns how many. */
  sweep(): Promise<number>;
}

export interface RateLimitsOptions {
  readonly stateStore: DocumentStore;
  /** The shop's time in milliseconds. */
  readonly now: () => number;
  /** Keys hold addresses of people: the state store has no use for them in clear. */
  readonly keyedHash: (kind: string, value: string) => string;
}

interface Counter extends Document {
  readonly count: number;
  /** When the next one may come; windows have none. */
  readonly nextAt: number;
  readonly expiresAt: number;
}

const collection = 'rateCounters';
/** 24 bits: the most counters of a limit, however many keys strangers make up. */
const hashLetters = 4;
/** How often a counter is read again that others were faster to write. */
const tries = 5;

const secondsUntil = (instant: number, now: number): number => Math.max(1, Math.ceil((instant - now) / 1000));
const refused = (retryAfterSeconds: number): Taken => ({ isTaken: false, retryAfterSeconds });
const taken: Taken = { isTaken: true };

type Clocked = Pick<RateLimitsOptions, 'stateStore' | 'now'>;

const takeInWindow = async (
  { stateStore, now }: Clocked,
  id: string,
  limit: number,
  windowMs: number,
): Promise<Taken> => {
  for (let attempt = 0; attempt < tries; attempt++) {
    const at = now();
    const filter = { _id: id, expiresAt: { gt: at }, count: { lt: limit } };
    if (await stateStore.updateIf(collection, filter, { increment: { count: 1 } })) return taken;
    if (limit <= 0) return refused(secondsUntil(at + windowMs, at));
    const first = { count: 1, nextAt: 0, expiresAt: at + windowMs };
    if (await stateStore.insertIfAbsent(collection, { _id: id, ...first })) return taken;
    const isOver = { _id: id, expiresAt: { lte: at } };
    if (await stateStore.updateIf(collection, isOver, { set: first })) return taken;
    const counter = await stateStore.get<Counter>(collection, id);
    if (counter && counter.count >= limit && counter.expiresAt > at)
      return refused(secondsUntil(counter.expiresAt, at));
  }
  return refused(1);
};

const countFailure = async (
  { stateStore, now }: Clocked,
  id: string,
  limit: number,
  forgottenMs: number,
): Promise<CountedTry> => {
  for (let attempt = 0; attempt < tries; attempt++) {
    const at = now();
    const expiresAt = at + forgottenMs;
    const counted = (count: number): CountedTry => ({
      isTaken: true,
      count,
      endsInSeconds: secondsUntil(expiresAt, at),
    });
    const inARow = { _id: id, expiresAt: { gt: at }, count: { lt: limit } };
    const more = { set: { expiresAt }, increment: { count: 1 } };
    const counter = await stateStore.updateIf<Counter>(collection, inARow, more);
    if (counter) return counted(counter.count);
    const first = { count: 1, nextAt: 0, expiresAt };
    if (await stateStore.insertIfAbsent(collection, { _id: id, ...first })) return counted(1);
    const isOver = { _id: id, expiresAt: { lte: at } };
    if (await stateStore.updateIf(collection, isOver, { set: first })) return counted(1);
    const full = await stateStore.get<Counter>(collection, id);
    if (full && full.count >= limit && full.expiresAt > at)
      return { isTaken: false, count: full.count, endsInSeconds: secondsUntil(full.expiresAt, at) };
  }
  return { isTaken: false, count: limit, endsInSeconds: 1 };
};

/** The counter after one more. */
const slowed = (rules: ThrottleRules, count: number, at: number): Omit<Counter, '_id'> => {
  const pause = Math.min(Math.max(0, count - rules.free + 1) * rules.stepSeconds, rules.longestSeconds);
  return { count, nextAt: at + pause * 1000, expiresAt: at + rules.forgottenAfterSeconds * 1000 };
};

const takeThrottled = async (
  { stateStore, now }: Clocked,
  id: string,
  rules: ThrottleRules,
): Promise<Taken> => {
  for (let attempt = 0; attempt < tries; attempt++) {
    const at = now();
    const counter = await stateStore.get<Counter>(collection, id);
    if (!counter) {
      const first = { _id: id, ...slowed(rules, 1, at) };
      if (await stateStore.insertIfAbsent(collection, first)) return taken;
      continue;
    }
    const { count, nextAt, expiresAt } = counter;
    if (expiresAt > at && nextAt > at) return refused(secondsUntil(nextAt, at));
    const next = slowed(rules, expiresAt > at ? count + 1 : 1, at);
    // Only on top of what was read: of many at once one passes.
    const isAsRead = { _id: id, count, nextAt, expiresAt };
    if (await stateStore.updateIf(collection, isAsRead, { set: next })) return taken;
  }
  return refused(1);
};

/** Declares its collection; call it once at start. Counters are documents with a life time, never events. */
export const createRateLimits = async (options: RateLimitsOptions): Promise<RateLimits> => {
  const { stateStore, now, keyedHash } = options;
  await stateStore.declare(collection, [{ fields: ['expiresAt'] }]);
  const idOf = (name: string, key: string): string =>
    `${name} ${keyedHash(`rate limit ${name}`, key).slice(0, hashLetters)}`;
  const giveBack = async (id: string): Promise<void> => {
    const filter = { _id: id, expiresAt: { gt: now() }, count: { gt: 0 } };
    await stateStore.updateIf(collection, filter, { increment: { count: -1 } });
  };
  const clear = async (id: string): Promise<void> => {
    await stateStore.deleteMany(collection, { _id: id }, 1);
  };
  return {
    perWindow: (name, windowSeconds) => ({
      take: (key, limit) => takeInWindow(options, idOf(name, key), limit, windowSeconds * 1000),
      look: async (key) => {
        const at = now();
        const counter = await stateStore.get<Counter>(collection, idOf(name, key));
        const isOpen = counter !== null && counter.expiresAt > at;
        const endsAt = isOpen ? counter.expiresAt : at + windowSeconds * 1000;
        return { count: isOpen ? counter.count : 0, endsInSeconds: secondsUntil(endsAt, at) };
      },
      giveBack: (key) => giveBack(idOf(name, key)),
    }),
    throttle: (name, rules) => ({
      take: (key) => takeThrottled(options, idOf(name, key), rules),
      clear: (key) => clear(idOf(name, key)),
    }),
    failures: (name, forgottenAfterSeconds) => ({
      take: (key, limit) => countFailure(options, idOf(name, key), limit, forgottenAfterSeconds * 1000),
      giveBack: (key) => giveBack(idOf(name, key)),
      clear: (key) => clear(idOf(name, key)),
    }),
    sweep: async () => {
      let removed = 0;
      for (let last = -1; last !== 0; removed += last)
        last = await stateStore.deleteMany(collection, { expiresAt: { lte: now() } }, 1000);
      return removed;
    },
  };
};

/** Whom a limit by address counts. */
export interface Caller {
  readonly ip: string;
}

/**
 * The key under which an address is counted. A request that claims to be forwarded counts like all others from its
 * address: anyone can claim that (docs/rules/identity.md#sign-in).
 */
export const countedAddress = ({ ip }: Caller): string => clientNetwork(ip);

/** The refusal of what was not let through. */
export const tooManyRequests = (
  message: string,
  retryAfterSeconds: number,
  details: HttpRejection['details'] = {},
): HttpRejection =>
  new HttpRejection('too-many-requests', message, { 'Retry-After': String(retryAfterSeconds) }, details);
