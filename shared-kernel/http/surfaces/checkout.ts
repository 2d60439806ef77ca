import { storefront } from './storefront.ts';
import type { Surface } from './surface.ts';

/** Shoppers' browsers on their way to the till: like the storefront. */
export const checkout: Surface = {
  ...storefront,
  name: 'checkout',
  title: 'Checkout',
  mountPoints: ['/api/shop/checkout'],
  callers: [...storefront.callers, 'confirmation'],
  positionCookie: 'shop_checkout_position',
};
