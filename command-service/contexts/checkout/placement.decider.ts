import { goodsKey } from '#command/pricing/addons.ts';
import type { BasketPrices } from '#command/pricing/basket-prices.ts';
import { freezeInvoice, type FrozenGroup } from '#command/pricing/freeze-invoice.ts';
import { isShownAlike } from '#command/pricing/present-invoice.ts';
import { codesRemoved, priceBasket } from '#command/pricing/price-basket.ts';
import { basketEvents } from '#events/basket.events.ts';
import { changedBasket, type BasketChange, type BasketView } from '#events/basket-view.ts';
import { checkoutEvents, type ShippingChoice, type StockHold } from '#events/checkout.events.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import { Rejection } from '#kernel/rejection.ts';
import {
  claimedDiscountIdsOf,
  holdsOf,
  type BasketState,
  type BasketStreamEvent,
  type EditableBasket,
} from '../basket/basket.state.ts';
import type { StartPlacement } from './checkout.commands.ts';
import type { CheckoutContext } from './checkout.context.ts';
import {
  requoteShipping,
  shippingCost,
  shippingRequoted,
  type RequotedShipping,
} from '#command/pricing/requote-shipping.ts';
import { initialChoices, type ShippingPlan } from '#command/pricing/shipping-plan.ts';

const { BasketRepriced } = basketEvents.create;
const { OrderPlacementStarted, ShippingSelected } = checkoutEvents.create;

/** Nobody holds the whole shop by leaving orders unpaid (docs/rules/checkout.md#unpaid-invoices). */
export const tooManyOpenInvoices = (limit: number): Rejection =>
  new Rejection(
    'too-many-open-invoices',
    `${limit} orders from your network are unpaid, and no more can be placed. Pay one of them or wait until one expires.`,
  );

const checkAddresses = ({ email, billingAddress, shippingAddress, emailCustomerId }: BasketView): string => {
  if (email === null || billingAddress === null || shippingAddress === null || emailCustomerId === null) {
    throw new Rejection('checkout-incomplete', 'Send the e-mail address and the addresses before paying.');
  }
  return emailCustomerId;
};

/** Everything must still be for sale, in stock and shippable (docs/rules/checkout.md#paying). */
const checkAvailable = (
  basket: BasketView,
  plan: ShippingPlan,
  withdrawn: CheckoutContext['withdrawn'],
): void => {
  const gone = basket.lines.flatMap((line) => {
    const reason = withdrawn.get(goodsKey(line));
    if (reason === undefined) return [];
    const { lineId: lineItemId, sku, productRootName: name } = line;
    const message =
      reason === null
        ? `${name} cannot be bought at the moment.`
        : `${reason} Take ${name} out of the basket and choose again.`;
    return [{ lineItemId, sku, name, message }];
  });
  const unavailableItems = [...gone, ...plan.unavailable];
  const [first] = unavailableItems;
  if (first) throw new Rejection('items-unavailable', first.message, { unavailableItems });
};

/**
 * Nobody pays another amount than the one he was shown: figures that have moved are recorded and asked about first.
 * Only a lower quote for the shipping is simply charged.
 */
const repriceFirst = (
  basket: BasketView,
  shipping: RequotedShipping,
  prices: BasketPrices,
): BasketStreamEvent[] => {
  const { lines, codes, choices, totals, destination } = basket;
  const before = shippingCost(choices);
  const now = shippingCost(shipping.choices);
  const { pricing, dropped } = priceBasket({ lines, codes, shipping: Math.max(before, now) }, prices);
  if (dropped.length === 0 && pricing.totals.total === totals.total && pricing.changedLines.length === 0)
    return [];
  const final = now < before ? priceBasket({ lines, codes, shipping: now }, prices).pricing : pricing;
  return [
    BasketRepriced({ destination, pricing: final }),
    ...shippingRequoted(choices, shipping, final),
    ...codesRemoved({ pricing: final, dropped }),
  ];
};

const notChosen = ([lost]: RequotedShipping['lost'] = []): Rejection =>
  new Rejection(
    'shipping-not-selected',
    lost?.reason ?? 'Choose how everything in the basket is to be shipped.',
  );

/** Records the choices as they are charged; those of the shop itself when the shopper has never had one. */
const chooseShipping = (
  basket: BasketView,
  shipping: RequotedShipping,
  plan: ShippingPlan,
  { prices, now }: CheckoutContext,
): BasketChange[] => {
  const { lines, codes } = basket;
  const price = (choices: readonly ShippingChoice[]) =>
    priceBasket({ lines, codes, shipping: shippingCost(choices) }, prices).pricing;
  if (basket.choices.length > 0) {
    return shippingRequoted(basket.choices, shipping, price(shipping.choices));
  }
  const { choices } = initialChoices(plan, {}, true, now);
  if (choices.length < plan.groups.length) throw notChosen();
  return choices.length === 0 ? [] : [ShippingSelected({ choices: [...choices], pricing: price(choices) })];
};

const frozenGroups = (basket: BasketView, plan: ShippingPlan): FrozenGroup[] =>
  plan.groups.flatMap(({ groupId, warehouseId, lines }) => {
    const choice: ShippingChoice | undefined = basket.choices.find((made) => made.groupId === groupId);
    return choice ? [{ groupId, warehouseId, lines, choice }] : [];
  });

/** What the basket will hold in all, and rows of 0 for what an older placement holds and this one does not need. */
const holdsFor = (state: BasketState, plan: ShippingPlan): StockHold[] => {
  const trimmed = holdsOf(state)
    .filter(
      (old) =>
        !plan.holds.some((hold) => hold.productId === old.productId && hold.warehouseId === old.warehouseId),
    )
    .map(({ productId, warehouseId }) => ({ productId, warehouseId, quantity: 0 }));
  return [...plan.holds, ...trimmed];
};

const started = (
  state: EditableBasket,
  command: StartPlacement,
  context: CheckoutContext,
  plan: ShippingPlan,
  customerId: string,
): BasketStreamEvent => {
  const { basket } = state;
  const { placementId, invoiceId, basketId, invoiceNumbersRevision, hasAcceptedTerms, openInvoices } =
    command;
  const content = freezeInvoice({
    placementId,
    basketId,
    basket,
    customerId,
    groups: frozenGroups(basket, plan),
    costs: context.costs,
    termsAcceptedAt: hasAcceptedTerms ? context.now : null,
    createdAt: context.now,
    businessDay: context.businessDay,
    presentment: context.presentment,
  });
  refuseInexact(content);
  const discountClaims = basket.discounts.map(({ discountId, code, amount }) => ({
    discountId,
    code,
    amount,
  }));
  const discountReleases = claimedDiscountIdsOf(state).filter(
    (id) => !discountClaims.some(({ discountId }) => discountId === id),
  );
  const { email, billingAddress, shippingAddress } = basket;
  return OrderPlacementStarted({
    placementId,
    turn: state.turns + 1,
    invoiceId,
    supersededInvoiceId: state.order?.invoiceId ?? null,
    invoiceNumbersRevision,
    holds: holdsFor(state, plan),
    discountClaims,
    discountReleases,
    content,
    email,
    billingAddress,
    shippingAddress,
    ...(openInvoices ? { openInvoices: { ...openInvoices } } : {}),
  });
};

/** Whether the last invoice still says what the basket does, as it is shown now (docs/rules/checkout.md#paying). */
const isOrdered = (state: EditableBasket, { presentment }: CheckoutContext): boolean => {
  if (state.status !== 'awaitingPayment') return false;
  const shown = presentment ?? { currency: state.basket.currency, rate: '1' };
  return isShownAlike(state.basket, state.order.display, shown);
};

/** Amounts are counted exactly, in a weak currency too (docs/rules/pricing.md#largest-amount). */
const refuseInexact = ({ currency, amounts, orders }: InvoiceContent): void => {
  const costs = orders.flatMap(({ lines }) => lines.map(({ cost = 0 }) => cost));
  if ([...Object.values(amounts), ...costs].every(Number.isSafeInteger)) return;
  const message = `currency: in ${currency} this order is larger than can be counted. Choose another currency.`;
  throw new Rejection('amount-too-large', message, { field: 'currency' });
};

/** The figures are as they were shown, and the provider has said now what was only estimated before. */
const taxAsSaid = (basket: BasketView, { prices }: CheckoutContext): BasketChange[] => {
  if (prices.providerTax === undefined) return [];
  const { lines, codes, choices, totals, destination } = basket;
  const { pricing } = priceBasket({ lines, codes, shipping: shippingCost(choices) }, prices);
  const isKnown = (pricing.totals.taxEstimation ?? null) === (totals.taxEstimation ?? null);
  return isKnown ? [] : [BasketRepriced({ destination, pricing })];
};

const isTaxCertain = ({ totals }: BasketView): boolean => typeof totals.taxEstimation !== 'string';

/** What the provider was asked about has changed: it is asked again with what the shopper is shown then. */
const askedAgain = (chosen: BasketChange[]): BasketChange[] => {
  if (chosen.length > 0) return chosen;
  throw new Rejection('tax-unavailable', 'The tax on this order is not known yet. Please try again shortly.');
};

/**
 * Begins an order. `[]` while the last invoice is still what the basket says; only a new price or a lost code, and no
 * placement, when the figures have moved.
 */
export const startPlacement = (
  state: EditableBasket,
  command: StartPlacement,
  context: CheckoutContext,
): BasketStreamEvent[] => {
  const { basket } = state;
  if (isOrdered(state, context)) return [];
  const customerId = checkAddresses(basket);
  if (basket.lines.some((line) => line.isDigital)) {
    // Nobody can have an account yet (docs/rules/checkout.md#digital-products).
    throw new Rejection('account-required', 'Digital products are sold to account holders only.');
  }
  if (context.requireTermsAcceptance && !command.hasAcceptedTerms) {
    throw new Rejection('terms-not-accepted', 'Accept the terms before paying.');
  }
  const plan = context.planShipping(basket);
  checkAvailable(basket, plan, context.withdrawn);
  const shipping = requoteShipping(basket.choices, plan, context.now);
  const hasChosen = basket.choices.length > 0 || state.hasLostShipping;
  if (hasChosen && !shipping.isComplete) throw notChosen(shipping.lost);
  const moved = repriceFirst(basket, shipping, context.prices);
  if (moved.length > 0) return moved;
  const limit = command.openInvoices?.limit ?? Infinity;
  if (context.openAtAddress >= limit) throw tooManyOpenInvoices(limit);
  const chosen = [...taxAsSaid(basket, context), ...chooseShipping(basket, shipping, plan, context)];
  const shipped = { ...state, basket: chosen.reduce(changedBasket, basket) };
  if (!isTaxCertain(shipped.basket)) return askedAgain(chosen);
  return [...chosen, started(shipped, command, context, plan, customerId)];
};
