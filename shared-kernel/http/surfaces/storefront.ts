import { problemsByField, shopErrors } from './shop-errors.ts';
import type { Surface } from './surface.ts';

/** Shoppers' browsers: catalogue and basket. */
export const storefront: Surface = {
  name: 'storefront',
  title: 'Storefront',
  mountPoints: ['/api/shop/storefront'],
  callers: ['anyone', 'visitor', 'member'],
  body: { kind: 'json', maxBytes: 100_000, isRawKept: false },
  errors: shopErrors,
  invalidRequest: problemsByField,
  cacheControl: 'no-store',
  setsCookies: true,
  positionCookie: 'shop_position',
  isFollowedAtOnce: false,
  servesOtherOrigins: true,
};
