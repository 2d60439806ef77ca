import type { BasketEvent } from '#events/basket.events.ts';
import {
  captured,
  changedBasket,
  ordered,
  startedBasket,
  withoutBuyer,
  type BasketChange,
} from '#events/basket-view.ts';
import type { CheckoutEvent, OpenedCheckout } from '#events/checkout.events.ts';
import type { DataSubject } from '#kernel/decider.ts';
import type { EventOfType } from '#kernel/event.ts';
import type { Evolution } from '#kernel/evolution.ts';
import type { BasketState, BasketStreamEvent } from './basket.state.ts';

/** Of a basket that a kill has kept from ending, the next sign-in finds its place among these. */
const REMEMBERED_MERGES = 10;

const initial = (): BasketState => ({
  status: 'none',
  basket: null,
  placement: null,
  order: null,
  failed: null,
  memberId: null,
  turns: 0,
  expiredInvoiceId: null,
  typedCustomerId: null,
  opened: null,
  handOver: null,
  isForgotten: false,
  hasLostShipping: false,
  merged: [],
});

/** After any change the order is no longer what the basket says. */
const changed = (state: BasketState, change: BasketChange): BasketState => {
  if (state.status === 'none') return state;
  const basket = changedBasket(state.basket, change);
  return state.status === 'awaitingPayment' ? { ...state, basket, status: 'open' } : { ...state, basket };
};

const started = (
  state: BasketState,
  { data: { currency, destination } }: EventOfType<BasketEvent, 'BasketStarted'>,
): BasketState => {
  const basket = startedBasket(currency, destination);
  return state.placement ? { ...state, basket, status: 'placing' } : { ...state, basket, status: 'open' };
};

const merged = (state: BasketState, event: EventOfType<BasketEvent, 'BasketMerged'>): BasketState => {
  const { fromBasketId, taken } = event.data;
  const others = state.merged.filter((one) => one.fromBasketId !== fromBasketId);
  const after = changed(state, event);
  return { ...after, merged: [...others, { fromBasketId, taken }].slice(-REMEMBERED_MERGES) };
};

/** Only what is shown changes: the order is still what the basket says. */
const currencyChanged = (
  state: BasketState,
  { data: { currency: preferredCurrency } }: EventOfType<BasketEvent, 'BasketCurrencyChanged'>,
): BasketState =>
  state.status === 'none' ? state : { ...state, basket: { ...state.basket, preferredCurrency } };

/** The first e-mail address of the basket, however often it was emptied since. */
const openedBy = <State extends BasketState>(state: State, opens: OpenedCheckout | undefined): State => {
  if (opens === undefined || state.opened !== null) return state;
  return { ...state, opened: { at: opens.at, day: opens.day } };
};

/** What is typed changes no order. */
const noted = (
  state: BasketState,
  event: EventOfType<CheckoutEvent, 'CheckoutEmailCaptured' | 'CheckoutAddressCaptured'>,
): BasketState => {
  if (state.status === 'none') return state;
  const typed = event.type === 'CheckoutEmailCaptured' ? (event.data.customerId ?? null) : null;
  const typedCustomerId = typed ?? state.typedCustomerId;
  const opens = event.type === 'CheckoutEmailCaptured' ? event.data.opens : undefined;
  return { ...openedBy(state, opens), basket: captured(state.basket, event), typedCustomerId };
};

const completed = (state: BasketState): BasketState => {
  switch (state.status) {
    case 'none':
      return state;
    case 'open':
    case 'awaitingPayment':
    case 'completed':
      return { ...state, status: 'completed' };
    case 'placing':
    case 'completedInPlacement':
      return { ...state, status: 'completedInPlacement' };
  }
};

/** The forgetting does not begin while an order is being placed. */
const forgotten = (state: BasketState): BasketState => {
  const after = { ...state, isForgotten: true };
  if (after.status === 'none') return after;
  return { ...completed(after), basket: withoutBuyer(after.basket) } as BasketState;
};

const placementStarted = (
  state: BasketState,
  { data }: EventOfType<CheckoutEvent, 'OrderPlacementStarted'>,
): BasketState => {
  if (state.status !== 'open' && state.status !== 'awaitingPayment') return state;
  const turn = state.turns + 1;
  const basket = ordered(state.basket, data.content.createdAt);
  const { email, billingAddress, shippingAddress } = basket;
  const placement = { ...data, turn, email, billingAddress, shippingAddress };
  return { ...state, basket, status: 'placing', turns: turn, placement, failed: null };
};

const placed = (
  state: BasketState,
  { data: { placementId, invoiceId, invoiceNumber } }: EventOfType<CheckoutEvent, 'OrderPlaced'>,
): BasketState => {
  if (state.placement === null) return state;
  const holds = state.placement.holds.filter(({ quantity }) => quantity > 0);
  const claimedDiscountIds = state.placement.discountClaims.map(({ discountId }) => discountId);
  const { currency, quote, customerId, discounts } = state.placement.content;
  const discountIds = [...new Set(discounts.map(({ discountId }) => discountId))];
  const ofCustomer = state.placement.discountClaims.flatMap((claim) =>
    claim.perCustomer ? [claim.discountId] : [],
  );
  const customerClaims =
    customerId !== null && ofCustomer.length > 0
      ? { customerClaims: { customerId, discountIds: ofCustomer } }
      : {};
  const display = { currency, rate: quote?.displayRate ?? '1' };
  const order = {
    placementId,
    invoiceId,
    invoiceNumber,
    display,
    holds,
    customerId,
    discountIds,
    claimedDiscountIds,
    ...customerClaims,
  };
  const status = state.status === 'placing' ? 'awaitingPayment' : 'completed';
  return { ...state, status, placement: null, order };
};

const placementFailed = (
  state: BasketState,
  {
    data: { placementId, code, message, details, keepsHolds },
  }: EventOfType<CheckoutEvent, 'OrderPlacementFailed'>,
): BasketState => {
  if (state.placement === null) return state;
  const failed = { placementId, code, message, details };
  // Unless the older order still stands, its invoice is closed and everything has been given back.
  const order = keepsHolds ? state.order : null;
  const status = state.status === 'placing' ? 'open' : 'completed';
  return { ...state, status, placement: null, order, failed };
};

const expired = (
  state: BasketState,
  { data: { invoiceId: expiredInvoiceId } }: EventOfType<CheckoutEvent, 'OrderExpired'>,
): BasketState => {
  // A newer order has taken over what this one held.
  if (state.order?.invoiceId !== expiredInvoiceId) return { ...state, expiredInvoiceId };
  return state.status === 'awaitingPayment'
    ? { ...state, status: 'open', order: null, expiredInvoiceId }
    : { ...state, order: null, expiredInvoiceId };
};

const on: Evolution<BasketState, BasketStreamEvent> = {
  BasketStarted: started,
  BasketLineAdded: changed,
  BasketLineQuantityChanged: changed,
  BasketLineRemoved: changed,
  BasketRepriced: changed,
  BasketBuyerIdentified: (state, event) => ({ ...changed(state, event), memberId: event.data.memberId }),
  BasketMerged: merged,
  BasketLinesReplaced: changed,
  BasketCurrencyChanged: currencyChanged,
  BasketCleared: (state) => (state.placement ? state : { ...state, status: 'none', basket: null }),
  BasketHandedOver: (state, { data }) => ({ ...state, handOver: data }),
  BasketCompleted: completed,
  BasketForgotten: forgotten,
  CheckoutAddressesChanged: (state, event) => changed(openedBy(state, event.data.opens), event),
  CheckoutEmailCaptured: noted,
  CheckoutAddressCaptured: noted,
  CheckoutDestinationChanged: changed,
  ShippingSelected: (state, event) => ({ ...changed(state, event), hasLostShipping: false }),
  ShippingRequoted: (state, event) => {
    const requoted = changed(state, event);
    return event.data.lost.length > 0 ? { ...requoted, hasLostShipping: true } : requoted;
  },
  DiscountCodeApplied: changed,
  DiscountCodeRemoved: changed,
  DiscountTakenOff: changed,
  AutomaticDiscountDropped: changed,
  ReferralDiscountApplied: changed,
  ReferralDiscountRemoved: changed,
  OrderPlacementStarted: placementStarted,
  OrderPlacementResumed: (state, { data: { turn } }) =>
    state.placement ? { ...state, turns: turn, placement: { ...state.placement, turn } } : state,
  OrderPlaced: placed,
  OrderPlacementFailed: placementFailed,
  OrderExpired: expired,
};

/**
 * What the deciders of basket and checkout share: both spread it. Personal fields are encrypted under the basket's own
 * key; once the customer of the e-mail address is known, forgetting them reaches it as well.
 */
export const basketStream = {
  category: 'basket',
  initial,
  on,
  remembersCommands: true,
  subject: (id: string, state: BasketState): DataSubject => ({
    id,
    customerId: state.basket?.emailCustomerId ?? state.typedCustomerId,
  }),
} as const;
