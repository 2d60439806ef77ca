import { LRUCache } from 'lru-cache';

/** Counts events by key in fixed windows. */
export interface RateLimit {
  /** Counts one; false when there were `limit` in the window already. */
  take(key: string, limit: number): boolean;
  /** Seconds until the key's window ends. */
  retryAfterSeconds(key: string): number;
}

interface Window {
  readonly startedAt: number;
  count: number;
}

/** Bounded: the keys that were not seen for longest are forgotten first. Real time. */
export const createRateLimit = (
  windowSeconds: number,
  maxKeys = 50_000,
  now: () => number = Date.now,
): RateLimit => {
  const windows = new LRUCache<string, Window>({ max: maxKeys });
  const current = (key: string): Window | undefined => {
    const window = windows.get(key);
    return window && now() - window.startedAt < windowSeconds * 1000 ? window : undefined;
  };
  return {
    take: (key, limit) => {
      const window = current(key);
      if (!window) {
        windows.set(key, { startedAt: now(), count: 1 });
        return limit > 0;
      }
      if (window.count >= limit) return false;
      window.count++;
      return true;
    },
    retryAfterSeconds: (key) => {
      const window = current(key);
      return window ? Math.max(1, Math.ceil((window.startedAt + windowSeconds * 1000 - now()) / 1000)) : 0;
    },
  };
};
