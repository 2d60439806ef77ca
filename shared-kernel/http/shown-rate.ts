import { isRate, type DisplayCurrency, type Presentation } from '#values/exchange.ts';
import type { Cookies } from './cookies.ts';
import type { CookieToSet, Reply } from './reply.ts';

const NAME = 'shop_shown';
const THIRTY_DAYS = 30 * 24 * 3600;
const WRITTEN = /^([A-Z]{3})\.(\d{1,20}(?:\.\d{1,40})?)$/;

/**
 * At which rate the visitor was last shown the basket (docs/rules/checkout.md#paying); null where nothing says so, or
 * the store's own currency was shown.
 */
export const shownRateIn = (cookies: Cookies): DisplayCurrency | null => {
  const [, currency, rate] = cookies[NAME]?.match(WRITTEN) ?? [];
  return currency !== undefined && rate !== undefined && isRate(Number(rate)) ? { currency, rate } : null;
};

const nothing: readonly CookieToSet[] = [];

/** Remembers the rate at which a basket is being shown, where it is another than before. */
export const shownRateCookies = (
  cookies: Cookies,
  { storeCurrency, display }: Presentation,
): readonly CookieToSet[] => {
  if (display.currency === storeCurrency) return nothing;
  const value = `${display.currency}.${display.rate}`;
  return cookies[NAME] === value
    ? nothing
    : [{ name: NAME, value, maxAgeSeconds: THIRTY_DAYS, httpOnly: true }];
};

/** An answer that shows the basket. */
export const showing = (
  reply: Reply,
  { cookies }: { readonly cookies: Cookies },
  presentation: Presentation,
): Reply => {
  const remembered = shownRateCookies(cookies, presentation);
  return remembered.length === 0 ? reply : { ...reply, cookies: [...(reply.cookies ?? []), ...remembered] };
};
