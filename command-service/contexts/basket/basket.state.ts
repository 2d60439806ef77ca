import type { BasketEvent } from '#events/basket.events.ts';
import { evolveBasketView, type BasketView } from '#events/basket-view.ts';
import type { CheckoutEvent, StockHold } from '#events/checkout.events.ts';
import type { DataSubject } from '#kernel/decider.ts';
import { derivedId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';

/** Everything that happens in a basket's stream: basket and checkout are decided on one state. */
export type BasketStreamEvent = BasketEvent | CheckoutEvent;

type PlacementOpened = Extract<CheckoutEvent, { readonly type: 'OrderPlacementStarted' }>['data'];

/** An order that is being made of the basket, as the event that opened it says. */
export interface Placement extends PlacementOpened {
  /** Of its driver: what an earlier driver still sends is refused. */
  readonly turn: number;
}

/** The invoice that the last placement made; it is not paid yet, or the basket would be completed. */
export interface UnpaidInvoice {
  readonly placementId: string;
  readonly invoiceId: string;
  readonly invoiceNumber: string;
  /** True while nothing has changed since: paying again then means this invoice, else it is superseded. */
  readonly isCurrent: boolean;
}

/** The last placement, when it failed: a second `pay` that waited for it answers the same. */
export interface FailedPlacement {
  readonly placementId: string;
  readonly code: string;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** State of the stream `basket-<id>`. */
export interface BasketState {
  /** Null before the basket was started and after it was cleared. */
  readonly basket: BasketView | null;
  readonly placement: Placement | null;
  /** How many drivers there have been, of all placements: the turn of the last one. */
  readonly turns: number;
  readonly unpaidInvoice: UnpaidInvoice | null;
  readonly failedPlacement: FailedPlacement | null;
  /** The last invoice that expired and has given back what it held. */
  readonly expiredInvoiceId: string | null;
  /** What the basket holds in stock, as its placements asked for it; rows of 0 are left out. */
  readonly holds: readonly StockHold[];
  /** Discounts of which the basket has claimed a use. */
  readonly claimedDiscountIds: readonly string[];
  /** True after a choice of shipping has fallen away, until the shopper chooses again: nobody else chooses then. */
  readonly hasLostShipping: boolean;
}

/** What the shopper is told once: why a code or a choice of shipping fell away. */
export const warningsOf = (events: readonly BasketStreamEvent[]): string[] =>
  events.flatMap((event) => {
    if (event.type === 'DiscountCodeRemoved') return [event.data.reason];
    return event.type === 'ShippingRequoted' ? event.data.lost.map(({ reason }) => reason) : [];
  });

/** A basket that a cookie finds. */
export const isReachable = (state: BasketState): boolean =>
  state.basket !== null && state.basket.status !== 'completed';

/** The basket that takes what was added to a basket after its invoice had been made: nobody else works out its id. */
export const nextBasketId = (basketId: string, keyedHash: (kind: string, value: string) => string): string =>
  derivedId('next-basket', keyedHash('next-basket', basketId));

/** For whatever needs a basket with something in it. */
export const emptyBasket = (): Rejection =>
  new Rejection('basket-not-found', 'The basket is empty. Put something into it first.');

/** For whatever changes a basket while it is being bought. */
export const orderBeingPlaced = (): Rejection =>
  new Rejection('order-being-placed', 'An order is being placed for this basket. Try again in a moment.');

/** Units of a product that the basket holds already: they are reserved, but for this very shopper. */
export const heldUnits = (state: BasketState, productId: string): number => {
  let units = 0;
  for (const hold of state.holds) if (hold.productId === productId) units += hold.quantity;
  return units;
};

const initial = (): BasketState => ({
  basket: null,
  placement: null,
  turns: 0,
  unpaidInvoice: null,
  failedPlacement: null,
  expiredInvoiceId: null,
  holds: [],
  claimedDiscountIds: [],
  hasLostShipping: false,
});

type PlacementEvent = Extract<
  CheckoutEvent,
  {
    readonly type:
      | 'OrderPlacementStarted'
      | 'OrderPlacementResumed'
      | 'OrderPlaced'
      | 'OrderPlacementFailed'
      | 'OrderExpired';
  }
>;

const isPlacementEvent = (event: BasketStreamEvent): event is PlacementEvent =>
  event.type === 'OrderPlacementStarted' ||
  event.type === 'OrderPlacementResumed' ||
  event.type === 'OrderPlaced' ||
  event.type === 'OrderPlacementFailed' ||
  event.type === 'OrderExpired';

const outdated = (invoice: UnpaidInvoice | null): UnpaidInvoice | null =>
  invoice?.isCurrent === true ? { ...invoice, isCurrent: false } : invoice;

const afterPlacementEvent = (state: BasketState, event: PlacementEvent): BasketState => {
  switch (event.type) {
    case 'OrderPlacementStarted': {
      const turn = state.turns + 1;
      return {
        ...state,
        turns: turn,
        placement: { ...event.data, turn },
        unpaidInvoice: outdated(state.unpaidInvoice),
        failedPlacement: null,
      };
    }
    case 'OrderPlacementResumed': {
      const { turn } = event.data;
      return { ...state, turns: turn, placement: state.placement && { ...state.placement, turn } };
    }
    case 'OrderPlaced': {
      const { placementId, invoiceId, invoiceNumber } = event.data;
      return {
        ...state,
        placement: null,
        unpaidInvoice: { placementId, invoiceId, invoiceNumber, isCurrent: true },
        holds: (state.placement?.holds ?? []).filter((hold) => hold.quantity > 0),
        claimedDiscountIds: (state.placement?.discountClaims ?? []).map(({ discountId }) => discountId),
      };
    }
    case 'OrderPlacementFailed': {
      const { placementId, code, message, details, keepsHolds } = event.data;
      const failed = { ...state, placement: null, failedPlacement: { placementId, code, message, details } };
      // Unless the older invoice still stands, it is closed and everything has been given back.
      return keepsHolds ? failed : { ...failed, unpaidInvoice: null, holds: [], claimedDiscountIds: [] };
    }
    case 'OrderExpired': {
      const { invoiceId: expiredInvoiceId } = event.data;
      const after = { ...state, expiredInvoiceId };
      // A newer invoice has taken over what this one held.
      if (state.unpaidInvoice?.invoiceId !== expiredInvoiceId) return after;
      return { ...after, unpaidInvoice: null, holds: [], claimedDiscountIds: [] };
    }
  }
};

const hasLostShippingAfter = ({ hasLostShipping }: BasketState, event: BasketStreamEvent): boolean => {
  if (event.type === 'ShippingSelected') return false;
  return hasLostShipping || (event.type === 'ShippingRequoted' && event.data.lost.length > 0);
};

const evolve = (state: BasketState, event: BasketStreamEvent): BasketState => {
  const basket = evolveBasketView(state.basket, event);
  if (isPlacementEvent(event)) return afterPlacementEvent({ ...state, basket }, event);
  return {
    ...state,
    basket,
    unpaidInvoice: outdated(state.unpaidInvoice),
    hasLostShipping: hasLostShippingAfter(state, event),
  };
};

/**
 * What the deciders of basket and checkout share: both spread it. Personal fields are encrypted under the basket's own
 * key; once a customer is known, forgetting the customer reaches it as well.
 */
export const basketStream = {
  category: 'basket',
  initial,
  evolve,
  remembersCommands: true,
  subject: (id: string, state: BasketState): DataSubject => ({
    id,
    customerId: state.basket?.customerId ?? null,
  }),
} as const;
