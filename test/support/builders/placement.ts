import type { BasketStreamEvent } from '#command/contexts/basket/basket.state.ts';
import { checkoutEvents, type StockHold } from '#events/checkout.events.ts';
import { idNamed } from './basket.ts';

const { OrderPlaced, OrderPlacementFailed, OrderPlacementStarted } = checkoutEvents.create;

const nothing = { subTotal: 0, discount: 0, shipping: 0, tax: 0, total: 0 };

interface StartedWith {
  readonly holds?: readonly StockHold[];
  readonly claims?: readonly string[];
}

/** An order begins to be made of a basket; what it is of does not matter here. */
export const placementStarted = ({
  holds = [],
  claims = [],
}: StartedWith = {}): readonly BasketStreamEvent[] => [
  OrderPlacementStarted({
    placementId: idNamed('placement'),
    invoiceId: idNamed('invoice'),
    supersededInvoiceId: null,
    invoiceNumbersRevision: -1,
    holds: [...holds],
    discountClaims: claims.map((discountId) => ({ discountId, code: null, amount: 0 })),
    discountReleases: [],
    content: {
      basketId: idNamed('basket'),
      customerId: idNamed('customer'),
      channel: 'web',
      source: { type: 'web', displayName: 'Web', sourceName: null, sourceId: null, sessionId: null },
      storeCurrency: 'GBP',
      currency: 'GBP',
      rate: '1',
      amounts: nothing,
      amountsInStoreCurrency: nothing,
      discounts: [],
      shippingTax: 0,
      effectiveShippingTaxRate: null,
      itemCount: 0,
      orders: [],
      termsAcceptedAt: null,
      createdAt: '2030-06-01T12:00:00.000Z',
      businessDay: '2030-06-01',
    },
  }),
];

/** The order is there, not paid yet. */
export const placementEnded = (): readonly BasketStreamEvent[] => [
  OrderPlaced({
    placementId: idNamed('placement'),
    invoiceId: idNamed('invoice'),
    invoiceNumber: 'INV-0001',
  }),
];

/** There is no order; `keepsHolds`: an older invoice could not be closed and still stands. */
export const placementFailed = (keepsHolds = false): readonly BasketStreamEvent[] => [
  OrderPlacementFailed({
    placementId: idNamed('placement'),
    code: 'out-of-stock',
    message: 'Sold out.',
    details: {},
    keepsHolds,
  }),
];
