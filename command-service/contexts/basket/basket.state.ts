import type { BasketEvent } from '#events/basket.events.ts';
import type { BasketView } from '#events/basket-view.ts';
import type { CheckoutEvent, OpenedCheckout, StockHold } from '#events/checkout.events.ts';
import type { EventOfType } from '#kernel/event.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { Destination } from '#values/address.ts';
import type { DisplayCurrency } from '#values/exchange.ts';

/** Everything that happens in a basket's stream: basket and checkout are decided on one state. */
export type BasketStreamEvent = BasketEvent | CheckoutEvent;

/** An order that is being made of the basket, as the event that opened it says, with the addresses of the basket. */
export interface Placement
  extends
    Omit<EventOfType<CheckoutEvent, 'OrderPlacementStarted'>['data'], 'turn'>,
    Pick<BasketView, 'email' | 'billingAddress' | 'shippingAddress'> {
  /** Of its driver: what an earlier driver still sends is refused. */
  readonly turn: number;
}

/** The older order has something that this one does not need. */
export const givesBack = ({ holds, discountReleases, customerReleases = [] }: Placement): boolean =>
  holds.some(({ quantity }) => quantity === 0) || discountReleases.length + customerReleases.length > 0;

/** The order that the last placement made. The next one replaces it, and takes over what it holds. */
export interface PlacedOrder {
  readonly placementId: string;
  readonly invoiceId: string;
  readonly invoiceNumber: string;
  /** What its invoice is in, and the rate at which its figures were shown. */
  readonly display: DisplayCurrency;
  /** What the basket holds in stock, as the placement asked for it; rows of 0 are left out. */
  readonly holds: readonly StockHold[];
  /** Null where it was placed without one. */
  readonly customerId: string | null;
  /** Every discount that its invoice has. */
  readonly discountIds: readonly string[];
  /** Those of them of which the basket has claimed a use. */
  readonly claimedDiscountIds: readonly string[];
  /** Those of which it has claimed a use of its customer, too. */
  readonly customerClaims?: { readonly customerId: string; readonly discountIds: readonly string[] };
}

/** The last placement, when it failed: a second `pay` that waited for it fails alike. */
export interface FailedPlacement {
  readonly placementId: string;
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** What stays with the basket whatever else happens to it. */
interface Remembered {
  /** The member whose basket it is; null: a guest's. */
  readonly memberId: string | null;
  /** How many drivers there have been, of all placements: the turn of the last one. */
  readonly turns: number;
  /** The last invoice that expired and has given back what it held. */
  readonly expiredInvoiceId: string | null;
  /** The customer of an e-mail address that has only been typed. */
  readonly typedCustomerId: string | null;
  /** When its first e-mail address was given, and on which business day; null before that, and where none is told. */
  readonly opened: Pick<OpenedCheckout, 'at' | 'day'> | null;
  /** By whom it was filled for its shopper, once they are in it; null: by the shopper. */
  readonly handOver: EventOfType<BasketEvent, 'BasketHandedOver'>['data'] | null;
  /** Who it was of is forgotten: no cookie finds it any more, and it is told nothing new of anyone. */
  readonly isForgotten: boolean;
  /** True after a shipping choice has fallen away, until the shopper chooses again: no default is chosen meanwhile. */
  readonly hasLostShipping: boolean;
  /** The last baskets that were merged into this one, and how far. */
  readonly merged: readonly {
    readonly fromBasketId: string;
    readonly taken: readonly { readonly lineId: string; readonly quantity: number }[];
  }[];
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

/** What the shopper is told once: why a discount or a choice of shipping fell away. */
export const warningsOf = (events: readonly BasketStreamEvent[]): string[] =>
  events.flatMap((event) => {
    switch (event.type) {
      case 'DiscountCodeRemoved':
      case 'AutomaticDiscountDropped':
        return [event.data.reason];
      case 'ReferralDiscountRemoved':
        return event.data.reason === null ? [] : [event.data.reason];
      case 'BasketMerged':
        return [...event.data.leftOut];
      case 'ShippingRequoted':
        return event.data.lost.map(({ reason }) => reason);
      default:
        return [];
    }
  });

/** Bought, or forgotten: its shopper goes on in another one. */
export const isBought = ({ status, isForgotten }: BasketState): boolean =>
  isForgotten || status === 'completed' || status === 'completedInPlacement';

/**
 * A member's basket opens to that member only; a guest's to any holder of its cookie (docs/rules/members.md#basket).
 */
export const opensTo = (
  { memberId: owner }: Pick<BasketState, 'memberId'>,
  memberId: string | null,
): boolean => owner === null || owner === memberId;

/** What a cookie finds. */
export const reachableBasket = (state: BasketState): BasketView | null =>
  isBought(state) ? null : state.basket;

/**
 * The basket that a cookie finds; null when there is none. Refuses with `order-being-placed` while it is being
 * bought.
 */
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

export const noBasket = (): Rejection => new Rejection('basket-not-found', 'There is no basket.');

/** The same where there must be one. */
export const existingBasket = (state: BasketState): BasketView => {
  const found = editableBasket(state);
  if (found === null) throw noBasket();
  return found.basket;
};

/**
 * The basket in which the shopper continues once this one is bought; its id cannot be guessed
 * (docs/rules/basket.md#next-basket).
 */
export const nextBasketId = (basketId: string, keyedHash: (kind: string, value: string) => string): string =>
  derivedId('next-basket', keyedHash('next-basket', basketId));

/** Refuses what needs a basket with something in it. */
export const emptyBasket = (): Rejection =>
  new Rejection('basket-not-found', 'The basket is empty. Add a product first.');

/** Refuses changes to a basket while it is being bought. */
export const orderBeingPlaced = (): Rejection =>
  new Rejection('order-being-placed', 'An order is being placed for this basket. Try again in a moment.');

const nothing: readonly never[] = [];

/** What the basket holds in stock. */
export const holdsOf = ({ order }: BasketState): readonly StockHold[] => order?.holds ?? nothing;

/**
 * Discounts of which the basket has a use, where uses are counted: one that it has claimed, or that a rule has taken
 * over when it gained its limit (docs/rules/discounts.md#uses).
 */
export const usedDiscountIdsOf = ({ order }: BasketState): readonly string[] => order?.discountIds ?? nothing;

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
