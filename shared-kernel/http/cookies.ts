import { parseCookie } from 'cookie';
import type { Destination } from '#values/address.ts';
import type { CookieToSet } from './reply.ts';

/** Names and lifetimes of the cookies (docs/rules/basket.md#visitor-cookies). */
export const countryCookie = 'shop_country';
export const regionCookie = 'shop_region';
export const currencyCookie = 'shop_currency';
const confirmationCookieName = 'shop_confirmation';
const deviceCookieName = 'backoffice_device';
const memberCookieName = 'shop_member';

const THIRTY_DAYS = 30 * 24 * 3600;
const NINETY_DAYS = 90 * 24 * 3600;

export type Cookies = Readonly<Record<string, string | undefined>>;

const noCookies: Cookies = {};

export const parseCookies = (header: string | undefined): Cookies =>
  header === undefined ? noCookies : parseCookie(header);

/** Where a shopper has chosen to be. */
export const placeOf = (cookies: Cookies) => ({
  countryCode: cookies[countryCookie],
  regionCode: cookies[regionCookie],
});

/** Marks a device that has signed in to the backoffice. It admits no one. */
export const deviceMarkOf = (cookies: Cookies): string | undefined => cookies[deviceCookieName];

export const deviceCookie = (mark: string): CookieToSet => ({
  name: deviceCookieName,
  value: mark,
  maxAgeSeconds: NINETY_DAYS,
  httpOnly: true,
  sameSite: 'strict',
});

/** The token of a member who has signed in. */
export const memberTokenOf = (cookies: Cookies): string | undefined => cookies[memberCookieName];

/** Keeps a member signed in until the browser is closed or the token ends; null signs out. */
export const memberCookie = (token: string | null): CookieToSet => ({
  name: memberCookieName,
  value: token,
  httpOnly: true,
});

/** A preference that scripts may read; null deletes it. */
export const preferenceCookie = (name: string, value: string | null): CookieToSet => ({
  name,
  value,
  maxAgeSeconds: THIRTY_DAYS,
});

/** Remembers where the basket goes, and the currency that was chosen with it, if one was. */
export const placeCookies = (
  { countryCode, regionCode }: Pick<Destination, 'countryCode' | 'regionCode'>,
  currency: string | null,
): CookieToSet[] => [
  preferenceCookie(countryCookie, countryCode),
  preferenceCookie(regionCookie, regionCode),
  ...(currency === null ? [] : [preferenceCookie(currencyCookie, currency)]),
];

/** Shows that a visitor is the one who paid an invoice: `invoiceId.expiry.signature`. */
export const confirmationCookie = (token: string, maxAgeSeconds: number): CookieToSet => ({
  name: confirmationCookieName,
  value: token,
  maxAgeSeconds,
  httpOnly: true,
  sameSite: 'strict',
});

/** What a visitor shows who has paid an invoice; not yet checked. */
export const confirmationOf = (cookies: Cookies): string | undefined => cookies[confirmationCookieName];

/** Where a cookie is to be sent. */
export interface CookieScope {
  /** Over HTTPS only. */
  readonly isSecure: boolean;
  /** With what a page of another site asks for, too: browsers take such cookies over HTTPS only. */
  readonly isOtherSite: boolean;
}

/** A Set-Cookie header. The values are GUIDs, codes, digits and signed tokens: nothing that needs escaping. */
export const serializeCookie = (cookie: CookieToSet, { isSecure, isOtherSite }: CookieScope): string => {
  const value = cookie.value ?? '';
  const maxAge = cookie.value === null ? 0 : cookie.maxAgeSeconds;
  let text = `${cookie.name}=${encodeURIComponent(value)}; Path=/`;
  if (maxAge !== undefined) text += `; Max-Age=${maxAge}`;
  if (cookie.httpOnly) text += '; HttpOnly';
  if (isOtherSite) return `${text}; Secure; SameSite=None`;
  if (isSecure) text += '; Secure';
  return `${text}; SameSite=${cookie.sameSite === 'strict' ? 'Strict' : 'Lax'}`;
};
