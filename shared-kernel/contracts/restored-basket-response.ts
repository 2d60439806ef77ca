import type { BasketView } from '#events/basket-view.ts';
import type { BasketPresentation } from './basket-line-response.ts';
import { checkoutBasketResponse } from './basket-response.ts';

/** A basket that a shopper gets back to, or goes on with, with what of it cannot be had as it is. */
interface RestoredBasket {
  readonly basket: BasketView;
  readonly unavailable: readonly {
    readonly lineItemId: string;
    readonly sku: string;
    readonly name: string;
    readonly reason: 'destination' | 'stock' | 'withdrawn';
    readonly message: string;
  }[];
}

export const restoredBasketResponse = (
  basketId: string,
  { basket, unavailable }: RestoredBasket,
  presentation: BasketPresentation,
  message: string,
) => ({
  success: true,
  message: unavailable.length === 0 ? message : `${message} Some of it cannot be had as it was.`,
  basket: checkoutBasketResponse(basketId, basket, presentation),
  hasUnavailableItems: unavailable.length > 0,
  unavailableItems: unavailable.map(({ lineItemId, sku, name, reason, message: statusMessage }) => ({
    lineItemId,
    sku,
    name,
    hasStock: reason === 'destination',
    canShipToLocation: reason === 'stock',
    statusMessage,
  })),
});
