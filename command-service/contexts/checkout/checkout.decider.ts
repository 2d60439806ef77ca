import type { BasketPrices } from '#command/pricing/basket-prices.ts';
import { discountsDropped, priceable } from '#command/pricing/priceable.ts';
import { priceBasket } from '#command/pricing/price-basket.ts';
import { isSameShipping, requoteShipping, shippingRequoted } from '#command/pricing/requote-shipping.ts';
import { basketEvents } from '#events/basket.events.ts';
import { changedBasket, type BasketChange, type BasketView } from '#events/basket-view.ts';
import { checkoutEvents, type ShippingChoice } from '#events/checkout.events.ts';
import type { BasketPricing } from '#events/pricing.fields.ts';
import type { Decider } from '#kernel/decider.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isSameJson } from '#kernel/same-json.ts';
import type { Destination } from '#values/address.ts';
import { afterTimeout } from '../basket/after-timeout.state.ts';
import { basketStream } from '../basket/basket-evolution.state.ts';
import {
  editableBasket,
  emptyBasket,
  type BasketState,
  type BasketStreamEvent,
  type EditableBasket,
} from '../basket/basket.state.ts';
import type {
  ChangeAddresses,
  CheckoutCommand,
  DropUsedUpDiscounts,
  SelectShipping,
} from './checkout.commands.ts';
import { applyCode, usedUpByCustomer } from './codes/apply-code.decider.ts';
import { handOver } from './hand-over.decider.ts';
import { captureAddress, captureEmail } from './capture/capture.decider.ts';
import { failPlacement, refusedUse } from './placement/placement-end.decider.ts';
import { startPlacement } from './placement/placement.decider.ts';
import type { CheckoutContext } from './checkout.context.ts';
import { opening } from './opened-checkout.ts';

const { BasketRepriced } = basketEvents.create;
const { CheckoutAddressesChanged, CheckoutDestinationChanged, ShippingSelected } = checkoutEvents.create;

/** The basket, open and with something in it: without one there is no checkout. */
const filled = (state: BasketState): EditableBasket => {
  const found = editableBasket(state);
  if (found === null || found.basket.lines.length === 0) throw emptyBasket();
  return found;
};

/** Prices the basket after a change of checkout; discounts that fell away follow as events of their own. */
const repriced = (
  basket: BasketView,
  choices: readonly ShippingChoice[],
  prices: BasketPrices,
  change: (pricing: BasketPricing) => BasketChange,
): BasketChange[] => {
  const known = priceable(basket, choices);
  // Telling where it goes begins a checkout, too.
  const priced = priceBasket({ ...known, session: known.session ?? 'begins' }, prices);
  return [change(priced.pricing), ...discountsDropped(priced)];
};

/** Prices the basket as it stands, its discounts too; `[]` where that changes nothing. */
const refreshed = (basket: BasketView, { prices }: CheckoutContext): BasketChange[] => {
  const { destination, totals } = basket;
  const events = repriced(basket, basket.choices, prices, (pricing) =>
    BasketRepriced({ destination, pricing }),
  );
  const [change] = events;
  if (change?.type !== 'BasketRepriced') return [];
  const { pricing } = change.data;
  const isSame = pricing.changedLines.length === 0 && isSameJson(pricing.totals, totals);
  return isSame && events.length === 1 ? [] : events;
};

/** Prices the basket with what is known of the tax that a provider is to say. */
const applyTax = (state: BasketState, context: CheckoutContext): BasketStreamEvent[] =>
  refreshed(filled(state).basket, context);

/** Told here, not when the order is paid: a code is gone, an automatic discount stays off this basket. */
const dropUsedUp = (
  state: BasketState,
  { discountIds }: DropUsedUpDiscounts,
  { prices }: CheckoutContext,
): BasketStreamEvent[] => {
  let { basket }: { readonly basket: BasketView } = filled(state);
  const events: BasketChange[] = [];
  for (const discountId of discountIds) {
    const changes = refusedUse(basket, discountId, usedUpByCustomer, prices) ?? [];
    basket = changes.reduce(changedBasket, basket);
    events.push(...changes);
  }
  return events;
};

const isSamePlace = (a: Destination, b: Destination): boolean =>
  a.countryCode === b.countryCode && a.regionCode === b.regionCode && a.postalCode === b.postalCode;

const changeAddresses = (
  state: BasketState,
  command: ChangeAddresses,
  context: CheckoutContext,
): BasketStreamEvent[] => {
  const { prices, planShipping, now } = context;
  const found = filled(state);
  const { basket } = found;
  const { type: _, isThroughAgent, ...given } = command;
  const mayOpen = command.email !== null && !isThroughAgent;
  const { countryCode, regionCode, postalCode: written } = command.shippingAddress;
  const postalCode = written === '' ? null : written;
  const destination = { countryCode, regionCode, postalCode };
  // A place that was known by its country alone is not left by telling its postal code.
  const keepsShipping = isSamePlace(destination, {
    ...basket.destination,
    postalCode: basket.destination.postalCode ?? postalCode,
  });
  const change = (pricing: BasketPricing) => {
    const opens = mayOpen ? opening(found, { ...basket, totals: pricing.totals }, context) : {};
    return CheckoutAddressesChanged({ ...given, destination, keepsShipping, ...opens, pricing });
  };
  const { choices } = basket;
  if (!keepsShipping || choices.length === 0) return repriced(basket, [], prices, change);
  // The place is the same, but it may only now be known that its postal code costs more, or is not served.
  const shipping = requoteShipping(choices, planShipping({ ...basket, destination }), now);
  const [changed, ...dropped] = repriced(basket, shipping.choices, prices, change);
  if (changed?.type !== 'CheckoutAddressesChanged') return [];
  return [changed, ...shippingRequoted(choices, shipping, changed.data.pricing), ...dropped];
};

/** A move closes what had been chosen for the old place. */
const moveTo = (basket: BasketView, destination: Destination, prices: BasketPrices): BasketChange[] =>
  isSamePlace(destination, basket.destination)
    ? []
    : repriced(basket, [], prices, (pricing) => CheckoutDestinationChanged({ destination, pricing }));

const isSameGoods = (one: BasketView['lines'], other: BasketView['lines']): boolean =>
  one === other ||
  (one.length === other.length &&
    one.every(({ lineId, quantity }, index) => {
      const line = other[index];
      return line?.lineId === lineId && line.quantity === quantity;
    }));

/**
 * The choices as they hold good for the basket on which is decided: a line may have come or gone, or the place have
 * changed, since the shopper's request was looked at.
 */
const choicesFor = (
  basket: BasketView,
  { choices: selected, quotedOn }: SelectShipping,
  { planShipping, now }: CheckoutContext,
): readonly ShippingChoice[] => {
  if (isSameGoods(basket.lines, quotedOn.lines) && isSamePlace(basket.destination, quotedOn.destination)) {
    return selected;
  }
  const plan = planShipping(basket);
  const { choices } = requoteShipping(selected, plan, now);
  const isLeft = (groupId: string): boolean => !choices.some((choice) => choice.groupId === groupId);
  const gone = selected.filter(({ groupId }) => isLeft(groupId));
  // Goods added meanwhile may form a group for which no rates were requested.
  const unasked = selected.length === 0 ? [] : plan.groups.filter(({ groupId }) => isLeft(groupId));
  if (gone.length === 0 && unasked.length === 0) return choices;
  const errors = [
    ...unasked.map(({ groupId, groupName }) => [
      groupId,
      `Choose how the items from ${groupName} are shipped.`,
    ]),
    ...gone.map(({ groupId, name }) => [groupId, `${name} is not offered any more. Choose again.`]),
  ];
  throw new Rejection('shipping-incomplete', 'The basket has changed. Choose shipping again.', {
    errors: Object.fromEntries(errors) as Record<string, string>,
  });
};

const selectShipping = (
  state: BasketState,
  command: SelectShipping,
  context: CheckoutContext,
): BasketStreamEvent[] => {
  const { basket: open } = filled(state);
  const { prices } = context;
  const moves = command.destination === null ? [] : moveTo(open, command.destination, prices);
  const basket = moves.reduce(changedBasket, open);
  const choices = choicesFor(basket, command, context);
  if (isSameShipping(choices, basket.choices)) return [...moves, ...refreshed(basket, context)];
  return [
    ...moves,
    ...repriced(basket, choices, prices, (pricing) => ShippingSelected({ choices: [...choices], pricing })),
  ];
};

type Change = Exclude<CheckoutCommand, { readonly type: 'FailPlacement' }>;

const decideChange = (
  state: BasketState,
  command: Change,
  context: CheckoutContext,
): readonly BasketStreamEvent[] => {
  switch (command.type) {
    case 'ChangeAddresses':
      return changeAddresses(state, command, context);
    case 'HandOver':
      return handOver(filled(state), command, (before, addresses) =>
        changeAddresses(before, addresses, context),
      );
    case 'CaptureEmail':
      return captureEmail(filled(state), command, context);
    case 'CaptureAddress':
      return captureAddress(filled(state), command, context);
    case 'SelectShipping':
      return selectShipping(state, command, context);
    case 'ApplyDiscountCode':
      return applyCode(filled(state).basket, command, context);
    case 'ApplyTax':
      return applyTax(state, context);
    case 'DropUsedUpDiscounts':
      return dropUsedUp(state, command, context);
    case 'StartPlacement':
      return startPlacement(filled(state), command, context);
  }
};

/** The rules of checkout: the second half of a basket's stream (docs/rules/checkout.md). */
export const checkoutDecider: Decider<BasketState, CheckoutCommand, BasketStreamEvent, CheckoutContext> = {
  ...basketStream,
  decide: (state, command, context) =>
    command.type === 'FailPlacement'
      ? failPlacement(state, command, context)
      : afterTimeout(state, context, (current) => decideChange(current, command, context)),
};
