import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { isGuid } from '#kernel/ids.ts';
import { keyFor } from '#runtime/keys.ts';
import type { Cookies } from './cookies.ts';
import type { CookieToSet } from './route.ts';

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

/** All processes of a shop have the same application key: what one of them signs, the others take. */
export const createBasketCookies = (applicationKey: Buffer): BasketCookies => {
  const key = createSecretKey(keyFor(applicationKey, 'basket cookie'));
  const valueOf = (basketId: string): string =>
    `${basketId}.${createHmac('sha256', key).update(basketId).digest('base64url')}`;
  return {
    read: (cookies) => {
      const value = cookies[NAME];
      if (value === undefined) return null;
      const basketId = value.slice(0, ID_LENGTH);
      if (!isGuid(basketId)) return null;
      const given = Buffer.from(value);
      const expected = Buffer.from(valueOf(basketId));
      return given.length === expected.length && timingSafeEqual(given, expected) ? basketId : null;
    },
    write: (basketId) => ({
      name: NAME,
      value: basketId === null ? null : valueOf(basketId),
      maxAgeSeconds: THIRTY_DAYS,
      httpOnly: true,
    }),
  };
};
