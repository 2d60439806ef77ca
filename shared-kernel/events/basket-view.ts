import type { Address, Destination } from '#values/address.ts';
import { countryName } from '#values/region.ts';
import type { BasketEvent, BasketLine } from './basket.events.ts';
import type { CheckoutEvent, ShippingChoice } from './checkout.events.ts';
import type { BasketPricing, BasketTotals, LineFigures, TakenDiscount } from './pricing.fields.ts';

/** A line with its quantity and its figures. */
export interface BasketViewLine extends BasketLine, LineFigures {
  readonly quantity: number;
}

/** A discount code that the shopper has entered; it may take nothing off just now. */
export interface AppliedCode {
  readonly discountId: string;
  readonly code: string;
  readonly name: string;
}

/**
 * What the events of a basket's stream add up to. The deciders of basket and checkout and the read model fold the same
 * view, so that a mutation and the next GET cannot tell different stories. Amounts in minor units of `currency`, the
 * store's own. A basket without a view does not exist: it was never started, or it was cleared.
 */
export interface BasketView {
  /** `placing`: an order is being made of it and it does not change. `completed`: bought, no cookie finds it. */
  readonly status: 'open' | 'placing' | 'completed';
  readonly currency: string;
  readonly destination: Destination;
  readonly lines: readonly BasketViewLine[];
  readonly itemCount: number;
  readonly totals: BasketTotals;
  readonly discounts: readonly TakenDiscount[];
  readonly codes: readonly AppliedCode[];
  readonly customerId: string | null;
  readonly email: string | null;
  readonly billingAddress: Address | null;
  readonly shippingAddress: Address | null;
  readonly shippingSameAsBilling: boolean;
  readonly acceptsMarketing: boolean;
  /** One per shipping group, once shipping has been chosen; empty when the choice is open. */
  readonly choices: readonly ShippingChoice[];
}

export const noTotals: BasketTotals = {
  subTotal: 0,
  productDiscount: 0,
  shippingDiscount: 0,
  shipping: 0,
  tax: 0,
  shippingTax: 0,
  total: 0,
  effectiveShippingTaxRate: null,
};

/** A line as it stands before it has been priced for the first time. */
export const unpricedLine = (line: BasketLine, quantity: number): BasketViewLine => ({
  ...line,
  quantity,
  unitPrice: 0,
  isTaxable: false,
  taxRate: 0,
  discount: 0,
  tax: 0,
});

export const startedBasket = (currency: string, destination: Destination): BasketView => ({
  status: 'open',
  currency,
  destination,
  lines: [],
  itemCount: 0,
  totals: noTotals,
  discounts: [],
  codes: [],
  customerId: null,
  email: null,
  billingAddress: null,
  shippingAddress: null,
  shippingSameAsBilling: true,
  acceptsMarketing: false,
  choices: [],
});

const withFigures = (
  lines: readonly BasketViewLine[],
  changed: readonly LineFigures[],
): readonly BasketViewLine[] => {
  if (changed.length === 0) return lines;
  const figures = new Map(changed.map((line) => [line.lineId, line]));
  return lines.map((line) => {
    const found = figures.get(line.lineId);
    return found === undefined ? line : { ...line, ...found };
  });
};

type Changes = Partial<Omit<BasketView, 'totals' | 'discounts'>>;

const priced = (view: BasketView, pricing: BasketPricing, changes: Changes = {}): BasketView => {
  const lines = withFigures(changes.lines ?? view.lines, pricing.changedLines);
  const next = { ...view, ...changes, lines, totals: pricing.totals, discounts: pricing.discounts };
  return lines.length === 0 && next.choices.length > 0 ? { ...next, choices: [] } : next;
};

/** A new country or region; the rest of the address that was given stays. */
const moved = (address: Address | null, destination: Destination): Address | null =>
  address === null
    ? null
    : {
        ...address,
        countryCode: destination.countryCode,
        country: countryName(destination.countryCode),
        regionCode: destination.regionCode,
      };

const withoutCode = (view: BasketView, discountId: string): readonly AppliedCode[] =>
  view.codes.filter((code) => code.discountId !== discountId);

const afterBasketEvent = (view: BasketView, event: BasketEvent): BasketView | null => {
  switch (event.type) {
    case 'BasketStarted':
      return startedBasket(event.data.currency, event.data.destination);
    case 'BasketLineAdded': {
      const { line, quantity, itemCount, pricing } = event.data;
      return priced(view, pricing, { itemCount, lines: [...view.lines, unpricedLine(line, quantity)] });
    }
    case 'BasketLineQuantityChanged': {
      const { lineId, quantity, itemCount, pricing } = event.data;
      const lines = view.lines.map((line) => (line.lineId === lineId ? { ...line, quantity } : line));
      return priced(view, pricing, { itemCount, lines });
    }
    case 'BasketLineRemoved': {
      const { lineId, itemCount, pricing } = event.data;
      return priced(view, pricing, { itemCount, lines: view.lines.filter((line) => line.lineId !== lineId) });
    }
    case 'BasketRepriced':
      return priced(view, event.data.pricing, { destination: event.data.destination });
    case 'BasketCleared':
      return null;
    case 'BasketCompleted':
      return { ...view, status: 'completed' };
    default:
      return view;
  }
};

const afterCheckoutEvent = (view: BasketView, event: CheckoutEvent): BasketView => {
  switch (event.type) {
    case 'CheckoutAddressesChanged': {
      const { pricing, keepsShipping, ...given } = event.data;
      return priced(view, pricing, keepsShipping ? given : { ...given, choices: [] });
    }
    case 'CheckoutDestinationChanged': {
      const { destination, pricing } = event.data;
      return priced(view, pricing, {
        destination,
        shippingAddress: moved(view.shippingAddress, destination),
        choices: [],
      });
    }
    case 'ShippingSelected':
    case 'ShippingRequoted':
      return priced(view, event.data.pricing, { choices: event.data.choices });
    case 'DiscountCodeApplied': {
      const { discountId, code, name, pricing } = event.data;
      return priced(view, pricing, { codes: [...withoutCode(view, discountId), { discountId, code, name }] });
    }
    case 'DiscountCodeRemoved':
      return priced(view, event.data.pricing, { codes: withoutCode(view, event.data.discountId) });
    case 'OrderPlacementStarted':
      return { ...view, status: 'placing' };
    case 'OrderPlaced':
    case 'OrderPlacementFailed':
      // An order that was begun while the last one was being paid fails, but the basket is bought for good.
      return view.status === 'completed' ? view : { ...view, status: 'open' };
    default:
      return view;
  }
};

const basketEventTypes: ReadonlySet<string> = new Set<BasketEvent['type']>([
  'BasketStarted',
  'BasketLineAdded',
  'BasketLineQuantityChanged',
  'BasketLineRemoved',
  'BasketCleared',
  'BasketRepriced',
  'BasketCompleted',
]);

const isBasketEvent = (event: BasketEvent | CheckoutEvent): event is BasketEvent =>
  basketEventTypes.has(event.type);

/**
 * The view after one more event of the basket's stream; null once the basket has been cleared. Pure: the view it is
 * given stays as it is. Events that come before the basket was started, or that it does not know, change nothing.
 */
export const evolveBasketView = (
  view: BasketView | null,
  event: BasketEvent | CheckoutEvent,
): BasketView | null => {
  if (view === null) {
    return event.type === 'BasketStarted' ? startedBasket(event.data.currency, event.data.destination) : null;
  }
  return isBasketEvent(event) ? afterBasketEvent(view, event) : afterCheckoutEvent(view, event);
};
