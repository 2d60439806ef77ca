import { isShownAlike } from '#command/pricing/present-invoice.ts';
import { discountIdsOf, discountsDropped, priceable } from '#command/pricing/priceable.ts';
import { priceBasket } from '#command/pricing/price-basket.ts';
import { basketEvents } from '#events/basket.events.ts';
import { changedBasket, type BasketChange, type BasketView } from '#events/basket-view.ts';
import { checkoutEvents } from '#events/checkout.events.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isSameJson } from '#kernel/same-json.ts';
import type { BasketStreamEvent, EditableBasket } from '../../basket/basket.state.ts';
import { priceIncreased, isMoreThanShown } from './price-increase.ts';
import { accountOf, started } from './begun-placement.ts';
import { keepWithinCredit, withoutTerms } from '../../customers/customer.commands.ts';
import type { StartPlacement } from '../checkout.commands.ts';
import type { CheckoutContext } from '../checkout.context.ts';
import { withdrawnItems } from '../withdrawn-items.ts';
import {
  requoteShipping,
  shippingRequoted,
  type RequotedShipping,
} from '#command/pricing/requote-shipping.ts';
import { initialChoices, type ShippingPlan } from '#command/pricing/shipping-plan.ts';

const { BasketRepriced } = basketEvents.create;
const { ShippingSelected } = checkoutEvents.create;

/** Keeps a caller from holding the whole stock with unpaid orders (docs/rules/checkout.md#unpaid-invoices). */
export const tooManyOpenInvoices = (limit: number): Rejection =>
  new Rejection(
    'too-many-open-invoices',
    `${limit} orders from your network are unpaid, and no more can be placed. Pay one of them or wait until one expires.`,
  );

/** What an agent has said of a place may be less than a parcel needs. */
const isWhole = (address: BasketView['shippingAddress']): boolean =>
  address !== null && [address.name, address.addressOne, address.townCity].every((part) => part !== '');

/** Where it goes is needed for every order; who buys and the whole address, unless the caller may stay unknown. */
const checkAddresses = (
  { email, billingAddress, shippingAddress, emailCustomerId }: BasketView,
  { mayStayUnknown = false }: StartPlacement,
): string | null => {
  const isKnown = email !== null && emailCustomerId !== null;
  const isSaid = isKnown && isWhole(billingAddress) && isWhole(shippingAddress);
  if (billingAddress === null || shippingAddress === null || !(isSaid || mayStayUnknown)) {
    throw new Rejection('checkout-incomplete', 'Send the e-mail address and the addresses before paying.');
  }
  return isKnown ? emailCustomerId : null;
};

/** Everything must still be for sale, in stock and shippable (docs/rules/checkout.md#paying). */
const checkAvailable = (
  basket: BasketView,
  plan: ShippingPlan,
  withdrawn: CheckoutContext['withdrawn'],
): void => {
  const unavailableItems = [...withdrawnItems(basket.lines, withdrawn), ...plan.unavailable];
  const [first] = unavailableItems;
  if (first) throw new Rejection('items-unavailable', first.message, { unavailableItems });
};

/** The basket as it would be charged now, recorded where it is not what it was; shipping is not chosen here. */
const repricedNow = (
  basket: BasketView,
  shipping: RequotedShipping,
  { prices }: CheckoutContext,
): BasketChange[] => {
  const { choices, totals, discounts, destination } = basket;
  const priced = priceBasket(priceable(basket, shipping.choices), prices);
  const { pricing } = priced;
  const dropped = discountsDropped(priced);
  const isSame =
    dropped.length === 0 &&
    pricing.changedLines.length === 0 &&
    isSameJson(pricing.totals, totals) &&
    isSameJson(pricing.discounts, discounts);
  return [
    ...(isSame ? [] : [BasketRepriced({ destination, pricing })]),
    ...shippingRequoted(choices, shipping, pricing),
    ...dropped,
  ];
};

const notChosen = ([lost]: RequotedShipping['lost'] = [], hasLostShipping = false): Rejection =>
  new Rejection(
    'shipping-not-selected',
    lost?.reason ??
      (hasLostShipping
        ? 'Your shipping option is no longer available. Choose shipping again.'
        : 'Choose shipping for everything in the basket.'),
  );

/** A shopper who never chose must still have an option to choose (docs/rules/checkout.md#paying). */
const checkChosen = (
  { basket, hasLostShipping }: EditableBasket,
  { groups, automatic }: ShippingPlan,
  { isComplete, lost }: RequotedShipping,
): void => {
  const hasChosen = basket.choices.length > 0 || hasLostShipping;
  const canBeChosen = groups.every(({ groupId }) => automatic.has(groupId));
  if (hasChosen ? !isComplete : !canBeChosen) throw notChosen(lost, hasLostShipping);
};

/** The shop's own choice, for a shopper who has never had one. */
const chooseShipping = (
  basket: BasketView,
  plan: ShippingPlan,
  { prices, now }: CheckoutContext,
): BasketChange[] => {
  if (basket.choices.length > 0) return [];
  const { choices } = initialChoices(plan, {}, true, now);
  if (choices.length < plan.groups.length) throw notChosen();
  if (choices.length === 0) return [];
  const priced = priceBasket(priceable(basket, choices), prices);
  return [ShippingSelected({ choices: [...choices], pricing: priced.pricing }), ...discountsDropped(priced)];
};

/** Advice: the customer's own stream decides when the order is put on account (docs/rules/purchase-orders.md). */
const checkAccount = (basket: BasketView, command: StartPlacement): void => {
  if (!command.isOnAccount) return;
  const account = accountOf(basket, command);
  if (account === null) throw withoutTerms();
  keepWithinCredit(account, basket.totals.total);
};

/** Whether the last invoice still says what the basket does, as it is shown now (docs/rules/checkout.md#paying). */
const isOrdered = (
  state: EditableBasket,
  { editedInvoiceId }: StartPlacement,
  { presentment }: CheckoutContext,
): boolean => {
  if (state.status !== 'awaitingPayment' || state.order.invoiceId === editedInvoiceId) return false;
  const shown = presentment ?? { currency: state.basket.currency, rate: '1' };
  return isShownAlike(state.basket, state.order.display, shown);
};

const isTaxCertain = ({ totals }: BasketView): boolean => typeof totals.taxEstimation !== 'string';

/** What the provider was asked about has changed: it is asked again with what the shopper is shown then. */
const askedAgain = (chosen: BasketChange[]): BasketChange[] => {
  if (chosen.length > 0) return chosen;
  throw new Rejection('tax-unavailable', 'The tax on this order is not known yet. Please try again shortly.');
};

/** What was chosen for the shopper cost them a code, or a discount that was there by itself. */
const hasLost = (before: BasketView, after: BasketView): boolean => {
  const kept = discountIdsOf(after);
  return [...discountIdsOf(before)].some((id) => !kept.has(id));
};

/**
 * Begins an order. `[]` while the last invoice is still what the basket says; only the new figures, and no placement,
 * when more would be charged than was shown (docs/rules/checkout.md#paying).
 */
export const startPlacement = (
  state: EditableBasket,
  command: StartPlacement,
  context: CheckoutContext,
): BasketStreamEvent[] => {
  const { basket } = state;
  if (isOrdered(state, command, context)) {
    checkAccount(basket, command);
    if (isMoreThanShown(basket, basket, command, context)) throw priceIncreased();
    return [];
  }
  const customerId = checkAddresses(basket, command);
  if ((basket.memberId === null || customerId === null) && basket.lines.some((line) => line.isDigital)) {
    throw new Rejection('account-required', 'Digital products are sold to account holders only.');
  }
  if (context.requireTermsAcceptance && !command.hasAcceptedTerms) {
    throw new Rejection('terms-not-accepted', 'Accept the terms before paying.');
  }
  const plan = context.planShipping(basket);
  const shipping = requoteShipping(basket.choices, plan, context.now);
  checkChosen(state, plan, shipping);
  checkAvailable(basket, plan, context.withdrawn);
  const repriced = repricedNow(basket, shipping, context);
  const current = repriced.reduce(changedBasket, basket);
  checkAccount(current, command);
  // Never charge more than was shown: ask first, and record what was asked.
  if (isMoreThanShown(basket, current, command, context)) {
    // The rate alone has moved: there is nothing to record.
    if (repriced.length === 0) throw priceIncreased();
    return repriced;
  }
  const limit = command.openInvoices?.limit ?? Infinity;
  if (context.openAtAddress >= limit) throw tooManyOpenInvoices(limit);
  const chosen = [...repriced, ...chooseShipping(current, plan, context)];
  const shipped = { ...state, basket: chosen.reduce(changedBasket, basket) };
  if (hasLost(current, shipped.basket)) return chosen;
  if (!isTaxCertain(shipped.basket)) return askedAgain(chosen);
  return [...chosen, started(shipped, command, context, plan, customerId)];
};
