import { referralOffer, type ReferralOffer } from '#contracts/referral.contract.ts';
import { createTextCipher } from '#runtime/encryption.ts';
import { keyFor } from '#runtime/keys.ts';
import type { Cookies } from './cookies.ts';
import type { CookieToSet } from './reply.ts';

const NAME = 'shop_ref_discount';

/** Stores a link's promise with the shopper, where it cannot be read or altered. */
export interface ReferralCookies {
  write(offer: ReferralOffer, now: number): CookieToSet;
  /** Undefined without a cookie; null for one that is over, or that this shop did not write: `forget` it. */
  read(cookies: Cookies, now: number): ReferralOffer | null | undefined;
  readonly forget: CookieToSet;
}

const parsed = (text: string | null): ReferralOffer | null => {
  if (text === null) return null;
  try {
    return referralOffer.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
};

/** All processes of a shop have the same application key: what one of them writes, the others read. */
export const createReferralCookies = (applicationKey: Buffer): ReferralCookies => {
  const cipher = createTextCipher(keyFor(applicationKey, 'referral cookie'));
  return {
    write: (offer, now) => ({
      name: NAME,
      value: cipher.seal(JSON.stringify(offer)),
      maxAgeSeconds: Math.floor((Date.parse(offer.checkoutExpiryUtc) - now) / 1000),
      httpOnly: true,
    }),
    read: (cookies, now) => {
      const value = cookies[NAME];
      if (value === undefined) return undefined;
      const offer = parsed(cipher.open(value));
      return offer !== null && Date.parse(offer.checkoutExpiryUtc) > now ? offer : null;
    },
    forget: { name: NAME, value: null, httpOnly: true },
  };
};
