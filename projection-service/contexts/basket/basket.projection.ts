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
export interface BasketDocument extends BasketView, Document {
  /** `placing`: an order is being made of it and it does not change. `completed`: bought, no cookie finds it. */
  readonly status: 'open' | 'placing' | 'completed';
  /** ISO instant of the last event that changed it. */
  readonly changedAt: string;
}

/** A member's basket is shown to that member only (docs/rules/members.md#basket). */
export const isShownTo = ({ memberId }: BasketDocument, actor: Actor): boolean =>
  memberId === null || memberId === memberIdOf(actor);

type Known = BasketDocument | null;

const changed = (document: Known, change: Recorded<BasketChange>): Known =>
  document && { ...changedBasket(document, change), changedAt: change.recordedAt };

/** An order that was begun while the last one was being paid may still end, but the basket is bought for good. */
const placementEnded = (document: Known): Known =>
  document?.status === 'placing' ? { ...document, status: 'open' } : document;

/** Baskets by id, also bought ones; a basket that was cleared is gone. */
export const basketProjection = projection<BasketEvent | CheckoutEvent>()<BasketDocument>({
  name: 'basket',
  version: 8,
  indexes: [],
  keys: (event) => [idOf(event.stream)],
  lapsing: {
    changedAt: ({ status, changedAt }) => (status === 'open' ? changedAt : null),
    streamOf: streamOf.basket,
  },
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
    BasketCurrencyChanged: (document, { data: { currency: preferredCurrency }, recordedAt: changedAt }) =>
      document && { ...document, preferredCurrency, changedAt },
    BasketCleared: (document) => document && remove,
    BasketCompleted: (document) => document && { ...document, status: 'completed' },
    CheckoutAddressesChanged: changed,
    CheckoutEmailCaptured: (document, event) =>
      document && { ...captured(document, event), changedAt: event.recordedAt },
    CheckoutAddressCaptured: (document, event) =>
      document && { ...captured(document, event), changedAt: event.recordedAt },
    CheckoutDestinationChanged: changed,
    ShippingSelected: changed,
    ShippingRequoted: changed,
    DiscountCodeApplied: changed,
    DiscountCodeRemoved: changed,
    DiscountTakenOff: changed,
    AutomaticDiscountDropped: changed,
    ReferralDiscountApplied: changed,
    ReferralDiscountRemoved: changed,
    OrderPlacementStarted: (document, { data }) =>
      document && { ...ordered(document, data.content.createdAt), status: 'placing' },
    OrderPlacementResumed: unchanged,
    OrderPlaced: placementEnded,
    OrderPlacementFailed: placementEnded,
    OrderExpired: unchanged,
  },
});
