import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { isGuid } from '#kernel/ids.ts';
import { keyFor } from '#runtime/keys.ts';
import type { Cookies } from './cookies.ts';
import type { CookieToSet } from './reply.ts';

/**
 * The cookie by which a shopper's basket is known: `<basket id>.<signature>`. The id alone opens nothing: integrators
 * meet it in webhooks, staff in orders, auditors in the log (docs/rules/basket.md#cookie).
 */
export interface BasketCookies {
  /** The basket that a request's cookie names; null without a cookie or with one that this shop did not sign. */
  read(cookies: Cookies): string | null;
  /** Remembers a basket; null forgets it. */
  write(basketId: string | null): CookieToSet;
}

const NAME = 'shop_basket';
const THIRTY_DAYS = 30 * 24 * 3600;
const ID_LENGTH = 36;
/** Baskets whose signature is not worked out again: it costs more than all else that reading a cookie does. */
const KNOWN_BASKETS = 10_000;

const isSame = (given: string, expected: string): boolean => {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
};

/** All processes of a shop have the same application key: what one of them signs, the others take. */
export const createBasketCookies = (applicationKey: Buffer): BasketCookies => {
  const key = createSecretKey(keyFor(applicationKey, 'basket cookie'));
  const valueOf = (basketId: string): string =>
    `${basketId}.${createHmac('sha256', key).update(basketId).digest('base64url')}`;
  // Only what was signed here or came with its signature: made-up ids push nobody out.
  // Texts: each of so many small buffers would keep a slab of Node's pool from being freed.
  const known = new LRUCache<string, string>({ max: KNOWN_BASKETS });
  const sign = (basketId: string): string => {
    const before = known.get(basketId);
    if (before !== undefined) return before;
    const value = valueOf(basketId);
    known.set(basketId, value);
    return value;
  };
  return {
    read: (cookies) => {
      const value = cookies[NAME];
      if (value === undefined) return null;
      const basketId = value.slice(0, ID_LENGTH);
      const signed = known.get(basketId);
      if (signed === undefined && !isGuid(basketId)) return null;
      const expected = signed ?? valueOf(basketId);
      if (!isSame(value, expected)) return null;
      if (signed === undefined) known.set(basketId, expected);
      return basketId;
    },
    write: (basketId) => ({
      name: NAME,
      value: basketId === null ? null : sign(basketId),
      maxAgeSeconds: THIRTY_DAYS,
      httpOnly: true,
    }),
  };
};
