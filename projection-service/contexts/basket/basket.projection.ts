import {
  captured,
  changedBasket,
  ordered,
  startedBasket,
  type BasketChange,
  type BasketView,
} from '#events/basket-view.ts';
import type { BasketEvent } from '#events/basket.events.ts';
import type { CheckoutEvent } from '#events/checkout.events.ts';
import { memberIdOf, type Actor, type Recorded } from '#kernel/event.ts';
import { unchanged } from '#kernel/evolution.ts';
import { projection, remove, type Document } from '#kernel/projection.ts';
import { idOf, streamOf } from '#values/stream-name.ts';

/** A basket as its events have it: the very view on which basket and checkout decide. */
export interface OpenBasket extends BasketView, Document {
  /** `placing`: an order is being made of it and it does not change. */
  readonly status: 'open' | 'placing';
  /** ISO instant of the last event that changed it. */
  readonly changedAt: string;
}

/** No cookie finds it any more, and its invoice has what was in it (docs/rules/basket.md#next-basket). */
interface BoughtBasket extends Document {
  readonly status: 'completed';
}

export type BasketDocument = OpenBasket | BoughtBasket;

/** A member's basket is shown to that member only (docs/rules/members.md#basket). */
export const isShownTo = ({ memberId }: OpenBasket, actor: Actor): boolean =>
  memberId === null || memberId === memberIdOf(actor);

type Known = BasketDocument | null;

/** An order that was begun while the last one was being paid may still end, but the basket is bought for good. */
const notBought = (document: Known): OpenBasket | null =>
  document?.status === 'completed' ? null : document;

const changed = (document: Known, change: Recorded<BasketChange>): Known => {
  const basket = notBought(document);
  return basket && { ...changedBasket(basket, change), changedAt: change.recordedAt };
};

const typed = (document: Known, event: Recorded<Parameters<typeof captured>[1]>): Known => {
  const basket = notBought(document);
  return basket && { ...captured(basket, event), changedAt: event.recordedAt };
};

const closed = (document: Known): Known => document && { _id: document._id, status: 'completed' };

const placementEnded = (document: Known): Known =>
  document?.status === 'placing' ? { ...document, status: 'open' } : document;

/** Baskets by id, of bought ones only that they are; a basket that was cleared is gone. */
export const basketProjection = projection<BasketEvent | CheckoutEvent>()<BasketDocument>({
  name: 'basket',
  version: 9,
  indexes: [],
  keys: (event) => [idOf(event.stream)],
  streamOf: streamOf.basket,
  lapsing: { changedAt: (document) => (document.status === 'open' ? document.changedAt : null) },
  on: {
    BasketStarted: (_, { data: { currency, destination }, recordedAt: changedAt }, key) => ({
      changedAt,
      status: 'open',
      ...startedBasket(currency, destination),
      _id: key,
    }),
    BasketLineAdded: changed,
    BasketLineQuantityChanged: changed,
    BasketLineRemoved: changed,
    BasketRepriced: changed,
    BasketBuyerIdentified: changed,
    BasketMerged: changed,
    BasketLinesReplaced: changed,
    BasketCurrencyChanged: (document, { data: { currency: preferredCurrency }, recordedAt: changedAt }) => {
      const basket = notBought(document);
      return basket && { ...basket, preferredCurrency, changedAt };
    },
    BasketCleared: (document) => document && remove,
    BasketCompleted: closed,
    BasketForgotten: closed,
    BasketHandedOver: unchanged,
    CheckoutAddressesChanged: changed,
    CheckoutEmailCaptured: typed,
    CheckoutAddressCaptured: typed,
    CheckoutDestinationChanged: changed,
    ShippingSelected: changed,
    ShippingRequoted: changed,
    DiscountCodeApplied: changed,
    DiscountCodeRemoved: changed,
    DiscountTakenOff: changed,
    AutomaticDiscountDropped: changed,
    ReferralDiscountApplied: changed,
    ReferralDiscountRemoved: changed,
    OrderPlacementStarted: (document, { data }) => {
      const basket = notBought(document);
      return basket && { ...ordered(basket, data.content.createdAt), status: 'placing' };
    },
    OrderPlacementResumed: unchanged,
    OrderPlaced: placementEnded,
    OrderPlacementFailed: placementEnded,
    OrderExpired: unchanged,
  },
});
