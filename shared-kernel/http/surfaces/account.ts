import { storefront } from './storefront.ts';
import type { Surface } from './surface.ts';

/** What a member keeps and has bought: no cache between them and the shop keeps any. */
export const account: Surface = {
  ...storefront,
  name: 'account',
  title: 'Account',
  mountPoints: ['/api/shop/account'],
  callers: ['anyone', 'member'],
  cacheControl: 'private, no-store',
};
