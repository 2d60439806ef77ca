import { LRUCache } from 'lru-cache';
import { atMost } from '#kernel/at-most.ts';
import type { AddressLimit } from '#kernel/admission.ts';
import { countedAddress, tooManyRequests, type Taken } from './rate-limit.ts';

/**
 * Limits in fixed windows, by key, that this process counts in its memory: counting writes nothing, and each of several
 * processes lets as many pass.
 */
export interface OwnLimit {
  /**
   * Counts `count` (1), all or none, unless that made more than `limit` in the key's window. A limit of 0 means no
   * limit.
   */
  take(key: string, limit: number, count?: number): Taken;
  /** Takes back one that was counted in the window that is open, for what turned out not to be limited. */
  giveBack(key: string): void;
}

export interface OwnLimitOptions {
  /** The shop's time in milliseconds. */
  readonly now: () => number;
  readonly windowSeconds: number;
  /** Of more keys than these the one that was used longest ago is forgotten: strangers make keys up. */
  readonly mostKeys?: number;
}

interface Window {
  readonly endsAt: number;
  count: number;
}

export const createOwnLimit = ({ now, windowSeconds, mostKeys = 50_000 }: OwnLimitOptions): OwnLimit => {
  const windows = new LRUCache<string, Window>(atMost(mostKeys));
  const windowMs = windowSeconds * 1000;
  /** A window that ends later than one can was opened by a clock that has stepped back since. */
  const openOf = (key: string, at: number): Window | null => {
    const window = windows.get(key);
    return window && window.endsAt > at && window.endsAt <= at + windowMs ? window : null;
  };
  return {
    take: (key, limit, count = 1) => {
      if (limit === 0) return { isTaken: true };
      const at = now();
      const window = openOf(key, at) ?? { endsAt: at + windowMs, count: 0 };
      if (window.count + count > limit)
        return { isTaken: false, retryAfterSeconds: Math.max(1, Math.ceil((window.endsAt - at) / 1000)) };
      window.count += count;
      windows.set(key, window);
      return { isTaken: true };
    },
    giveBack: (key) => {
      const window = openOf(key, now());
      if (window && window.count > 0) window.count -= 1;
    },
  };
};

export interface AddressLimitOptions {
  /** The shop's time in milliseconds. */
  readonly now: () => number;
  /** From one address in a minute; 0: no limit. */
  readonly perMinute: () => number;
  /** Tells a refused caller what there was too much of. */
  readonly message: string;
}

/** A limit by client address and minute, counted in this process's memory. */
export const createAddressLimit = ({ now, perMinute, message }: AddressLimitOptions): AddressLimit => {
  const limit = createOwnLimit({ now, windowSeconds: 60 });
  return (ip) => {
    const key = countedAddress({ ip });
    return {
      take: () => {
        const taken = limit.take(key, ip === '' ? 0 : perMinute());
        return taken.isTaken ? null : tooManyRequests(message, taken.retryAfterSeconds);
      },
      giveBack: () => limit.giveBack(key),
    };
  };
};
