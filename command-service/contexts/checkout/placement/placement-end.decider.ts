import { discountsDropped, priceable } from '#command/pricing/priceable.ts';
import { priceAnyway } from '#command/pricing/price-basket.ts';
import { allLost, shippingRequoted } from '#command/pricing/requote-shipping.ts';
import type { BasketChange, BasketView } from '#events/basket-view.ts';
import { basketEvents } from '#events/basket.events.ts';
import { checkoutEvents } from '#events/checkout.events.ts';
import { decideBy, type Decider } from '#kernel/decider.ts';
import type { BasketPricing } from '#events/pricing.fields.ts';
import { takenOver } from '#values/basket-hold.ts';
import { basketStream } from '../../basket/basket-evolution.state.ts';
import {
  givesBack,
  orderBeingPlaced,
  reachableBasket,
  warningsOf,
  type BasketState,
  type BasketStreamEvent,
  type PlacingBasket,
} from '../../basket/basket.state.ts';
import type {
  BasketEndCommand,
  CompleteBasket,
  CompletePlacement,
  ExpireOrder,
  FailPlacement,
  ForgetBasket,
  ResumePlacement,
} from '../checkout.commands.ts';
import type { CheckoutContext } from '../checkout.context.ts';

const { BasketCompleted, BasketForgotten } = basketEvents.create;
const {
  AutomaticDiscountDropped,
  DiscountCodeRemoved,
  OrderExpired,
  OrderPlaced,
  OrderPlacementFailed,
  OrderPlacementResumed,
} = checkoutEvents.create;

const resumePlacement = ({ placement, turns }: BasketState, command: ResumePlacement): BasketStreamEvent[] =>
  placement?.placementId === command.placementId
    ? [OrderPlacementResumed({ placementId: placement.placementId, turn: turns + 1 })]
    : [];

/** The basket, when the placement is still to be ended. One that another driver has taken over is that one's to end. */
const toBeEnded = (
  state: BasketState,
  { placementId, turn }: CompletePlacement | FailPlacement,
): PlacingBasket | null => {
  if (state.placement === null || state.placement.placementId !== placementId) return null;
  if (turn >= state.placement.turn) return state;
  throw takenOver();
};

const completePlacement = (state: BasketState, command: CompletePlacement): BasketStreamEvent[] => {
  if (toBeEnded(state, command) === null) return [];
  const { placementId, invoiceId, invoiceNumber } = command;
  return [OrderPlaced({ placementId, invoiceId, invoiceNumber })];
};

/** The discount whose use is refused, off the basket: a code is gone, an automatic one stays off. */
const withoutRefused = (basket: BasketView, discountId: unknown, reason: string) => {
  const code = basket.codes.find((entered) => entered.discountId === discountId);
  const automatic = basket.discounts.find((taken) => taken.discountId === discountId && taken.code === null);
  const found = code ?? automatic;
  if (!found) return null;
  const isOther = (one: { readonly discountId: string }): boolean => one.discountId !== found.discountId;
  const rest = {
    ...basket,
    codes: basket.codes.filter(isOther),
    discounts: basket.discounts.filter(isOther),
    suppressed: code ? basket.suppressed : [...basket.suppressed, found.discountId],
  };
  const event = (pricing: BasketPricing) =>
    code
      ? DiscountCodeRemoved({ discountId: code.discountId, code: code.code, reason, pricing })
      : AutomaticDiscountDropped({
          discountId: found.discountId,
          name: found.name,
          reason,
          staysOff: true,
          pricing,
        });
  return { rest, event };
};

/** What the basket loses with a discount whose use is refused, and gets in its place; null where it has none such. */
export const refusedUse = (
  basket: BasketView,
  discountId: unknown,
  reason: string,
  prices: CheckoutContext['prices'],
): BasketChange[] | null => {
  const { choices } = basket;
  const without = withoutRefused(basket, discountId, reason);
  if (!without) return null;
  // A placement must end whatever prices have done meanwhile: nothing here may refuse.
  const priced = priceAnyway(priceable(without.rest, choices), prices);
  const { pricing, isAsBefore } = priced;
  return [
    without.event(pricing),
    ...(isAsBefore ? shippingRequoted(choices, allLost(choices), pricing) : []),
    ...discountsDropped(priced),
  ];
};

/** A discount whose uses ran out meanwhile leaves the basket with the placement that it failed. */
export const failPlacement = (
  state: BasketState,
  command: FailPlacement,
  { prices }: CheckoutContext,
): BasketStreamEvent[] => {
  const placing = toBeEnded(state, command);
  if (placing === null) return [];
  const { placementId, code, message, details, keepsHolds } = command;
  const failed = { placementId, code, message, keepsHolds };
  const consequences = refusedUse(placing.basket, details['discountId'], message, prices);
  if (!consequences) return [OrderPlacementFailed({ ...failed, details: { ...details } })];
  const warnings = warningsOf(consequences);
  return [OrderPlacementFailed({ ...failed, details: { ...details, warnings } }), ...consequences];
};

/** Said on this stream once for each invoice, also when the basket has a newer one: it ends the giving back. */
const expireOrder = (state: BasketState, { placementId, invoiceId }: ExpireOrder): BasketStreamEvent[] =>
  state.expiredInvoiceId === invoiceId ? [] : [OrderExpired({ placementId, invoiceId })];

/** The answer to `pay` does not wait for the end of its placement: a payment in another process may come first. */
const placedMeanwhile = (
  { placement }: BasketState,
  { invoiceId, invoiceNumber }: CompleteBasket,
): BasketStreamEvent[] => {
  if (placement?.invoiceId !== invoiceId || givesBack(placement)) return [];
  return [OrderPlaced({ placementId: placement.placementId, invoiceId, invoiceNumber })];
};

const completeBasket = (state: BasketState, command: CompleteBasket): BasketStreamEvent[] =>
  reachableBasket(state) === null
    ? []
    : [...placedMeanwhile(state, command), BasketCompleted({ invoiceId: command.invoiceId })];

const forgetBasket = (state: BasketState, { at }: ForgetBasket): BasketStreamEvent[] => {
  if (state.placement !== null) throw orderBeingPlaced();
  return state.isForgotten ? [] : [BasketForgotten({ at })];
};

/** What ends a placement or a basket: no price is asked for, so none is gathered. */
export const basketEndDecider: Decider<BasketState, BasketEndCommand, BasketStreamEvent> = {
  ...basketStream,
  decide: decideBy<BasketState, BasketEndCommand, BasketStreamEvent, void>({
    ResumePlacement: resumePlacement,
    CompletePlacement: completePlacement,
    ExpireOrder: expireOrder,
    CompleteBasket: completeBasket,
    ForgetBasket: forgetBasket,
  }),
};
