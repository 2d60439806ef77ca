import { goodsKey } from '#command/pricing/addons.ts';
import { freezeInvoice, type FrozenGroup } from '#command/pricing/freeze-invoice.ts';
import { isShownAlike } from '#command/pricing/present-invoice.ts';
import { discountIdsOf, discountsDropped, priceable } from '#command/pricing/priceable.ts';
import { priceBasket } from '#command/pricing/price-basket.ts';
import { basketEvents } from '#events/basket.events.ts';
import { changedBasket, type BasketChange, type BasketView } from '#events/basket-view.ts';
import {
  checkoutEvents,
  type CheckoutEvent,
  type ShippingChoice,
  type StockHold,
} from '#events/checkout.events.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import type { EventOfType } from '#kernel/event.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isSameJson } from '#kernel/same-json.ts';
import { dueDateOf } from '#values/account-terms.ts';
import {
  holdsOf,
  type BasketState,
  type BasketStreamEvent,
  type EditableBasket,
} from '../basket/basket.state.ts';
import { askedFirst, isMoreThanShown } from './asked-first.ts';
import { keepWithinCredit, withoutTerms, type CustomerAccount } from '../customers/customer.commands.ts';
import type { StartPlacement } from './checkout.commands.ts';
import type { CheckoutContext } from './checkout.context.ts';
import {
  requoteShipping,
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
        ? 'What was chosen for shipping does not hold any more. Choose again how everything is shipped.'
        : 'Choose how everything in the basket is to be shipped.'),
  );

/** Of whoever never chose, something must be left to choose (docs/rules/checkout.md#paying). */
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

type DiscountClaim = EventOfType<CheckoutEvent, 'OrderPlacementStarted'>['data']['discountClaims'][number];

/** A use of each rule that has a limit, with all that it takes off; what has none claims nothing. */
const claimsOf = ({ discounts }: BasketView, { isLimited, isLimitedPerCustomer }: CheckoutContext) => {
  const claims = new Map<string, DiscountClaim>();
  for (const { discountId, code, amount } of discounts) {
    if (!isLimited(discountId)) continue;
    const claimed = claims.get(discountId)?.amount ?? 0;
    const perCustomer = isLimitedPerCustomer(discountId) ? { perCustomer: true as const } : {};
    claims.set(discountId, { discountId, code, amount: claimed + amount, ...perCustomer });
  }
  return [...claims.values()];
};

/** Uses of a customer that the last order claimed: of a rule that is off the basket, or of another customer. */
const customerReleasesOf = (
  { order }: EditableBasket,
  claims: readonly DiscountClaim[],
  customerId: string,
  { isLimitedPerCustomer }: CheckoutContext,
) => {
  if (order === null) return [];
  const { customerId: before, customerClaims, discountIds } = order;
  const claimed = new Set([
    ...(customerClaims?.discountIds ?? []),
    ...discountIds.filter(isLimitedPerCustomer),
  ]);
  const isStill = (id: string): boolean =>
    before === customerId && claims.some(({ discountId, perCustomer }) => perCustomer && discountId === id);
  return [...claimed].filter((id) => !isStill(id)).map((discountId) => ({ discountId, customerId: before }));
};

/** Uses that the last order has, and this one does not need: it has claimed them, or its rule has taken them over. */
const releasesOf = (
  { order }: EditableBasket,
  claims: readonly DiscountClaim[],
  { isLimited }: CheckoutContext,
): string[] =>
  (order?.discountIds ?? []).filter(
    (id) =>
      (order?.claimedDiscountIds.includes(id) || isLimited(id)) &&
      !claims.some(({ discountId }) => discountId === id),
  );

/** Of the customer who is signed in: whoever gives a customer's e-mail address gets nothing of theirs. */
const accountOf = (
  { customerId, emailCustomerId }: BasketView,
  { account }: StartPlacement,
): CustomerAccount | null =>
  account && account.customerId === customerId && customerId === emailCustomerId ? account : null;

/** Advice: the customer's own stream decides when the order is put on account (docs/rules/purchase-orders.md). */
const checkAccount = (basket: BasketView, command: StartPlacement): void => {
  if (!command.isOnAccount) return;
  const account = accountOf(basket, command);
  if (account === null) throw withoutTerms();
  keepWithinCredit(account, basket.totals.total);
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
  const account = accountOf(basket, command);
  const content = freezeInvoice({
    placementId,
    basketId,
    basket,
    customerId,
    accountTerms: account && { dueDate: dueDateOf(context.now, account.paymentTermsDays) },
    groups: frozenGroups(basket, plan),
    costs: context.costs,
    termsAcceptedAt: hasAcceptedTerms ? context.now : null,
    createdAt: context.now,
    businessDay: context.businessDay,
    presentment: context.presentment,
  });
  refuseInexact(content);
  const discountClaims = claimsOf(basket, context);
  const discountReleases = releasesOf(state, discountClaims, context);
  const customerReleases = customerReleasesOf(state, discountClaims, customerId, context);
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
    ...(customerReleases.length > 0 ? { customerReleases } : {}),
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
  if (isOrdered(state, context)) {
    checkAccount(basket, command);
    if (isMoreThanShown(basket, basket, command, context)) throw askedFirst();
    return [];
  }
  const customerId = checkAddresses(basket);
  if (basket.memberId === null && basket.lines.some((line) => line.isDigital)) {
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
  // Nobody pays more than they were shown: they are asked first, and what they are asked about is recorded.
  if (isMoreThanShown(basket, current, command, context)) {
    // The rate alone has moved: there is nothing to record.
    if (repriced.length === 0) throw askedFirst();
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
