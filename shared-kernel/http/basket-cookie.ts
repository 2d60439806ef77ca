import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { atMost } from '#kernel/at-most.ts';
import { isGuid } from '#kernel/ids.ts';
import { keyFor } from '#runtime/keys.ts';
import type { Cookies } from './cookies.ts';
import type { CookieToSet } from './reply.ts';

/** A basket that a cookie names, and the member for whom the cookie was signed; null: for anybody. */
export interface NamedBasket {
  readonly basketId: string;
  readonly memberId: string | null;
}

/**
 * The cookie by which a shopper's basket is known: `<basket id>.<signature>`. The id alone opens nothing: integrators
 * meet it in webhooks, staff in orders, auditors in the log. Signed for a member it is worth nothing to anybody else
 * (docs/rules/basket.md#cookie).
 */
export interface BasketCookies {
  /**
   * The basket that a signed value names to this member or a guest (null); null without a value or with one that this
   * shop did not sign for them.
   */
  read(value: string | undefined, memberId: string | null): NamedBasket | null;
  /** Remembers a basket, for a member or for anybody; null forgets it. */
  write(basketId: string | null, memberId: string | null): CookieToSet;
}

const NAME = 'shop_basket';
/** Says the same as the cookie, for callers that keep none, and comes back (docs/rules/basket.md#without-cookies). */
export const BASKET_HEADER = 'Tillroll-Basket';
const THIRTY_DAYS = 30 * 24 * 3600;
const ID_LENGTH = 36;
/** Guests' baskets whose signature is not worked out again: it costs more than all else that reading a cookie does. */
const KNOWN_BASKETS = 10_000;

const isSame = (given: string, expected: string): boolean => {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
};

export const basketCookieOf = (cookies: Cookies): string | undefined => cookies[NAME];

/** All processes of a shop have the same application key: what one of them signs, the others take. */
export const createBasketCookies = (applicationKey: Buffer): BasketCookies => {
  const key = createSecretKey(keyFor(applicationKey, 'basket cookie'));
  const valueOf = (basketId: string, memberId: string | null = null): string => {
    const named = memberId === null ? basketId : `${basketId} ${memberId}`;
    return `${basketId}.${createHmac('sha256', key).update(named).digest('base64url')}`;
  };
  // Only what was signed here or came with its signature: made-up ids evict nothing. Strings: small buffers would
  // each keep a slab of Node's pool from being freed.
  const known = new LRUCache<string, string>(atMost(KNOWN_BASKETS));
  const sign = (basketId: string): string => {
    const before = known.get(basketId);
    if (before !== undefined) return before;
    const value = valueOf(basketId);
    known.set(basketId, value);
    return value;
  };
  return {
    read: (value, memberId) => {
      if (value === undefined) return null;
      const basketId = value.slice(0, ID_LENGTH);
      const signed = known.get(basketId);
      if (signed === undefined && !isGuid(basketId)) return null;
      if (memberId !== null && isSame(value, valueOf(basketId, memberId))) return { basketId, memberId };
      const expected = signed ?? valueOf(basketId);
      if (!isSame(value, expected)) return null;
      if (signed === undefined) known.set(basketId, expected);
      return { basketId, memberId: null };
    },
    write: (basketId, memberId) => ({
      name: NAME,
      value: basketId === null ? null : memberId === null ? sign(basketId) : valueOf(basketId, memberId),
      maxAgeSeconds: THIRTY_DAYS,
      httpOnly: true,
    }),
  };
};
