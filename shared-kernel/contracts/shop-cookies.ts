import { isGuid } from '#kernel/ids.ts';

/** Names of the storefront's cookies (decisions, storefront 1.1). */
export const basketCookieName = 'shop_basket';
export const countryCookieName = 'shop_country';
export const regionCookieName = 'shop_region';

const thirtyDays = 30 * 24 * 60 * 60;

type Cookies = Readonly<Record<string, string | undefined>>;

/** The basket that a request's cookie names; null without one, or when it is no id at all. */
export const basketIdOf = (cookies: Cookies): string | null => {
  const id = cookies[basketCookieName];
  return id !== undefined && isGuid(id) ? id : null;
};

/** Remembers a basket for 30 days; null forgets it. Hidden from scripts. */
export const basketCookie = (basketId: string | null) =>
  ({
    name: basketCookieName,
    value: basketId,
    maxAgeSeconds: thirtyDays,
    httpOnly: true,
    sameSite: 'lax',
  }) as const;
