import type { BasketEvent } from '#events/basket.events.ts';
import { changedBasket, startedBasket, type BasketChange, type BasketView } from '#events/basket-view.ts';
import type { CheckoutEvent, StockHold } from '#events/checkout.events.ts';
import type { DataSubject } from '#kernel/decider.ts';
import type { EventOfType } from '#kernel/event.ts';
import type { Evolution } from '#kernel/evolution.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { Destination } from '#values/address.ts';
import type { DisplayCurrency } from '#values/exchange.ts';

/** Everything that happens in a basket's stream: basket and checkout are decided on one state. */
export type BasketStreamEvent = BasketEvent | CheckoutEvent;

/** An order that is being made of the basket, as the event that opened it says. */
export interface Placement extends Omit<EventOfType<CheckoutEvent, 'OrderPlacementStarted'>['data'], 'turn'> {
  /** Of its driver: what an earlier driver still sends is refused. */
  readonly turn: number;
}

/** The order that the last placement made. The next one replaces it, and takes over what it holds. */
export interface PlacedOrder {
  readonly placementId: string;
  readonly invoiceId: string;
  readonly invoiceNumber: string;
  /** What its invoice is in, and the rate at which its figures were shown. */
  readonly display: DisplayCurrency;
  /** What the basket holds in stock, as the placement asked for it; rows of 0 are left out. */
  readonly holds: readonly StockHold[];
  /** Discounts of which the basket has claimed a use. */
  readonly claimedDiscountIds: readonly string[];
}

/** The last placement, when it failed: a second `pay` that waited for it fails alike. */
export interface FailedPlacement {
  readonly placementId: string;
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** What stays, whatever becomes of the basket. */
interface Remembered {
  /** How many drivers there have been, of all placements: the turn of the last one. */
  readonly turns: number;
  /** The last invoice that expired and has given back what it held. */
  readonly expiredInvoiceId: string | null;
  /** True after a choice of shipping has fallen away, until the shopper chooses again: nobody else chooses then. */
  readonly hasLostShipping: boolean;
}

/** No basket: never started, or cleared. What its order holds stays held until it expires. */
interface NoBasket extends Remembered {
  readonly status: 'none';
  readonly basket: null;
  readonly placement: null;
  readonly order: PlacedOrder | null;
  readonly failed: FailedPlacement | null;
}

/** `order` says what the basket once held: paying makes a new one. */
interface OpenBasket extends Remembered {
  readonly status: 'open';
  readonly basket: BasketView;
  readonly placement: null;
  readonly order: PlacedOrder | null;
  readonly failed: FailedPlacement | null;
}

/** Open, and nothing has changed since `order` was placed: paying again means its invoice. */
interface BasketAwaitingPayment extends Remembered {
  readonly status: 'awaitingPayment';
  readonly basket: BasketView;
  readonly placement: null;
  readonly order: PlacedOrder;
  readonly failed: null;
}

/** An order is being made of it, and it does not change. `order` is the older one that this one replaces. */
interface BasketInPlacement extends Remembered {
  readonly status: 'placing';
  readonly basket: BasketView;
  readonly placement: Placement;
  readonly order: PlacedOrder | null;
  readonly failed: null;
}

/** Bought: no cookie finds it. */
interface CompletedBasket extends Remembered {
  readonly status: 'completed';
  readonly basket: BasketView;
  readonly placement: null;
  readonly order: PlacedOrder | null;
  readonly failed: FailedPlacement | null;
}

/** The older order was paid while another was being made: that one is still to end, but the basket is bought. */
interface BasketCompletedInPlacement extends Remembered {
  readonly status: 'completedInPlacement';
  readonly basket: BasketView;
  readonly placement: Placement;
  readonly order: PlacedOrder | null;
  readonly failed: null;
}

/** A basket that can be changed. */
export type EditableBasket = OpenBasket | BasketAwaitingPayment;

/** A basket of which an order is being made. */
export type PlacingBasket = BasketInPlacement | BasketCompletedInPlacement;

/** State of the stream `basket-<id>`: what a basket can be. */
export type BasketState = NoBasket | EditableBasket | PlacingBasket | CompletedBasket;

/** What the shopper is told once: why a code or a choice of shipping fell away. */
export const warningsOf = (events: readonly BasketStreamEvent[]): string[] =>
  events.flatMap((event) => {
    if (event.type === 'DiscountCodeRemoved') return [event.data.reason];
    return event.type === 'ShippingRequoted' ? event.data.lost.map(({ reason }) => reason) : [];
  });

/** What a cookie finds. */
export const reachableBasket = ({ status, basket }: BasketState): BasketView | null =>
  status === 'completed' || status === 'completedInPlacement' ? null : basket;

/** The basket that a cookie finds; null when there is none. Refused with `order-being-placed` while it is bought. */
export const editableBasket = (state: BasketState): EditableBasket | null => {
  switch (state.status) {
    case 'open':
    case 'awaitingPayment':
      return state;
    case 'placing':
      throw orderBeingPlaced();
    case 'none':
    case 'completed':
    case 'completedInPlacement':
      return null;
  }
};

/** The basket that takes what was added to a basket after its invoice had been made: nobody else works out its id. */
export const nextBasketId = (basketId: string, keyedHash: (kind: string, value: string) => string): string =>
  derivedId('next-basket', keyedHash('next-basket', basketId));

/** For whatever needs a basket with something in it. */
export const emptyBasket = (): Rejection =>
  new Rejection('basket-not-found', 'The basket is empty. Put something into it first.');

/** For whatever changes a basket while it is being bought. */
export const orderBeingPlaced = (): Rejection =>
  new Rejection('order-being-placed', 'An order is being placed for this basket. Try again in a moment.');

const nothing: readonly never[] = [];

/** What the basket holds in stock. */
export const holdsOf = ({ order }: BasketState): readonly StockHold[] => order?.holds ?? nothing;

/** Discounts of which the basket has claimed a use. */
export const claimedDiscountIdsOf = ({ order }: BasketState): readonly string[] =>
  order?.claimedDiscountIds ?? nothing;

/** Where a basket goes once its shopper has chosen a place: an address that they have given says it better. */
export const destinationAfter = (
  { shippingAddress, destination }: BasketView,
  chosen: Destination | null,
): Destination => (shippingAddress === null ? (chosen ?? destination) : destination);

/** Units of a product that the basket holds already: they are reserved, but for this very shopper. */
export const heldUnits = (state: BasketState, productId: string): number => {
  let units = 0;
  for (const hold of holdsOf(state)) if (hold.productId === productId) units += hold.quantity;
  return units;
};

const initial = (): BasketState => ({
  status: 'none',
  basket: null,
  placement: null,
  order: null,
  failed: null,
  turns: 0,
  expiredInvoiceId: null,
  hasLostShipping: false,
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

/** Only what is shown changes: the order is still what the basket says. */
const currencyChanged = (
  state: BasketState,
  { data: { currency: preferredCurrency } }: EventOfType<BasketEvent, 'BasketCurrencyChanged'>,
): BasketState =>
  state.status === 'none' ? state : { ...state, basket: { ...state.basket, preferredCurrency } };

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

const placementStarted = (
  state: BasketState,
  { data }: EventOfType<CheckoutEvent, 'OrderPlacementStarted'>,
): BasketState => {
  if (state.status !== 'open' && state.status !== 'awaitingPayment') return state;
  const turn = state.turns + 1;
  return { ...state, status: 'placing', turns: turn, placement: { ...data, turn }, failed: null };
};

const placed = (
  state: BasketState,
  { data: { placementId, invoiceId, invoiceNumber } }: EventOfType<CheckoutEvent, 'OrderPlaced'>,
): BasketState => {
  if (state.placement === null) return state;
  const holds = state.placement.holds.filter(({ quantity }) => quantity > 0);
  const claimedDiscountIds = state.placement.discountClaims.map(({ discountId }) => discountId);
  const { currency, quote } = state.placement.content;
  const display = { currency, rate: quote?.displayRate ?? '1' };
  const order = { placementId, invoiceId, invoiceNumber, display, holds, claimedDiscountIds };
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
  BasketCurrencyChanged: currencyChanged,
  BasketCleared: (state) => (state.placement ? state : { ...state, status: 'none', basket: null }),
  BasketCompleted: completed,
  CheckoutAddressesChanged: changed,
  CheckoutDestinationChanged: changed,
  ShippingSelected: (state, event) => ({ ...changed(state, event), hasLostShipping: false }),
  ShippingRequoted: (state, event) => {
    const requoted = changed(state, event);
    return event.data.lost.length > 0 ? { ...requoted, hasLostShipping: true } : requoted;
  },
  DiscountCodeApplied: changed,
  DiscountCodeRemoved: changed,
  OrderPlacementStarted: placementStarted,
  OrderPlacementResumed: (state, { data: { turn } }) =>
    state.placement ? { ...state, turns: turn, placement: { ...state.placement, turn } } : state,
  OrderPlaced: placed,
  OrderPlacementFailed: placementFailed,
  OrderExpired: expired,
};

/**
 * What the deciders of basket and checkout share: both spread it. Personal fields are encrypted under the basket's own
 * key; once a customer is known, forgetting the customer reaches it as well.
 */
export const basketStream = {
  category: 'basket',
  initial,
  on,
  remembersCommands: true,
  subject: (id: string, state: BasketState): DataSubject => ({
    id,
    customerId: state.basket?.customerId ?? null,
  }),
} as const;
