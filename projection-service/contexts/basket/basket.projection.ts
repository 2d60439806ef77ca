import { evolveBasketView, type BasketView } from '#events/basket-view.ts';
import type { BasketEvent } from '#events/basket.events.ts';
import type { CheckoutEvent } from '#events/checkout.events.ts';
import type { Recorded } from '#kernel/event.ts';
import { projection, remove, type Document } from '#kernel/projection.ts';
import { idOf } from '#values/stream-name.ts';

/** A basket as its events have it: the very view that the deciders of basket and checkout fold. */
export interface BasketDocument extends BasketView, Document {}

const fold = (document: BasketDocument | null, event: Recorded<BasketEvent | CheckoutEvent>, key: string) => {
  const view = evolveBasketView(document, event);
  if (view === document) return document;
  return view === null ? remove : { ...view, _id: key };
};

/** Baskets by id, also bought ones; a basket that was cleared is gone. */
export const basketProjection = projection<BasketEvent | CheckoutEvent>()<BasketDocument>({
  name: 'basket',
  version: 1,
  indexes: [],
  keys: (event) => [idOf(event.stream)],
  on: {
    BasketStarted: fold,
    BasketLineAdded: fold,
    BasketLineQuantityChanged: fold,
    BasketLineRemoved: fold,
    BasketRepriced: fold,
    BasketCleared: fold,
    BasketCompleted: fold,
    CheckoutAddressesChanged: fold,
    CheckoutDestinationChanged: fold,
    ShippingSelected: fold,
    ShippingRequoted: fold,
    DiscountCodeApplied: fold,
    DiscountCodeRemoved: fold,
    OrderPlacementStarted: fold,
    OrderPlacementResumed: fold,
    OrderPlaced: fold,
    OrderPlacementFailed: fold,
    OrderExpired: fold,
  },
});
