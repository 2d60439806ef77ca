import type { BasketEvent } from './basket.events.ts';
import type { CheckoutEvent } from './checkout.events.ts';

type Type = (BasketEvent | CheckoutEvent)['type'];

/** By type, whether a shopper did it: what follows by itself, or changes only how things are shown, is no activity. */
const isActivityByType: { readonly [Each in Type]: boolean } = {
  BasketStarted: true,
  BasketLineAdded: true,
  BasketLineQuantityChanged: true,
  BasketLineRemoved: true,
  BasketMerged: true,
  BasketLinesReplaced: true,
  BasketCleared: true,
  BasketBuyerIdentified: false,
  BasketRepriced: false,
  BasketCurrencyChanged: false,
  BasketHandedOver: true,
  BasketCompleted: false,
  BasketForgotten: false,
  CheckoutAddressesChanged: true,
  CheckoutEmailCaptured: true,
  CheckoutAddressCaptured: true,
  CheckoutDestinationChanged: true,
  ShippingSelected: true,
  ShippingRequoted: false,
  DiscountCodeApplied: true,
  DiscountCodeRemoved: false,
  DiscountTakenOff: true,
  AutomaticDiscountDropped: false,
  ReferralDiscountApplied: true,
  ReferralDiscountRemoved: false,
  OrderPlacementStarted: true,
  OrderPlacementResumed: false,
  OrderPlaced: false,
  OrderPlacementFailed: false,
  OrderExpired: false,
};

/** Every event of a basket's stream. */
export const basketEventTypes = Object.keys(isActivityByType) as readonly Type[];

/** Whether it shows that a shopper is at it (docs/rules/abandoned-checkouts.md#activity). */
export const isActivity = ({ type }: { readonly type: string }): boolean =>
  isActivityByType[type as Type] ?? false;
