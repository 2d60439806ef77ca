import { priceBasket } from '#command/pricing/price-basket.ts';
import { discount } from '#entities/discount.entity.ts';
import { basketEvents } from '#events/basket.events.ts';
import { changedBasket, startedBasket, type BasketView } from '#events/basket-view.ts';
import { checkoutEvents } from '#events/checkout.events.ts';
import { settingsEvents } from '#events/settings.events.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import type { ReferenceDiscount } from '#reference/reference.ts';
import { streamOf } from '#values/stream-name.ts';
import { inStream, type GivenEvent } from '../given.ts';
import { codeOf, idNamed, london, offer, pricesOf, units } from './basket.ts';
import { freeze } from './frozen-sale.ts';
import { invoice } from './invoice.ts';

const at = '2030-01-01T00:00:00.000Z';

/** A shop in pounds with these rules. */
export const shopWith = (...rules: readonly ReferenceDiscount[]): readonly GivenEvent[] => [
  ...inStream(
    `settings-${idNamed('store')}`,
    settingsEvents.create.StoreOpened({ storeCurrencyCode: 'GBP' }),
  ),
  ...rules.flatMap(({ id, rule, status }) =>
    inStream(streamOf.discount(id), discount.created({ ...rule, status }, at)),
  ),
];

/** Mugs at 10.00 with 20 % tax, in a basket with these automatic discounts. */
export const mugs = (quantity: number, rules: readonly ReferenceDiscount[] = []): BasketView => {
  const lines = [units('mug', quantity)];
  const prices = pricesOf({ mug: offer(1000, 20) }, rules);
  const { pricing } = priceBasket({ lines, codes: [], shipping: 0 }, prices);
  const filled = { ...startedBasket('GBP', london), lines, itemCount: quantity };
  return changedBasket(filled, basketEvents.create.BasketRepriced({ destination: london, pricing }));
};

interface PlacedWith {
  readonly content?: InvoiceContent;
  /** Default: the basket's own. */
  readonly basketName?: string;
  readonly customer?: string;
  readonly day?: string;
  readonly codes?: readonly ReferenceDiscount[];
  readonly instead?: string;
}

const nothingPriced = {
  totals: startedBasket('GBP', london).totals,
  discounts: [],
  changedLines: [],
};

/** A basket and the order that is placed of it, by a name of the test's own. */
export const placed = (name: string, basket: BasketView, given: PlacedWith = {}) => {
  const { customer = 'ada', day = '2030-06-01', codes = [], basketName = name, instead } = given;
  const basketId = idNamed(`basket ${basketName}`);
  const stream = streamOf.basket(basketId);
  const content: InvoiceContent = {
    ...(given.content ?? freeze(basket, [])),
    basketId,
    customerId: idNamed(customer),
    businessDay: day,
    createdAt: `${day}T12:00:00.000Z`,
  };
  const { OrderPlaced, OrderPlacementStarted, DiscountCodeApplied } = checkoutEvents.create;
  const placementId = idNamed(`placement ${name}`);
  const started = basketEvents.create.BasketStarted({ currency: 'GBP', destination: london });
  const applied = codes.map((code) => DiscountCodeApplied({ ...codeOf(code), pricing: nothingPriced }));
  const placement = OrderPlacementStarted({
    placementId,
    invoiceId: idNamed(name),
    supersededInvoiceId: instead === undefined ? null : idNamed(instead),
    invoiceNumbersRevision: -1,
    holds: [],
    discountClaims: [],
    discountReleases: [],
    content,
  });
  const ended = OrderPlaced({ placementId, invoiceId: idNamed(name), invoiceNumber: name });
  const { confirmed, stream: invoiceStream } = invoice(name, { number: name, content });
  return {
    content,
    started: inStream(stream, started, ...applied),
    placed: inStream(stream, placement, ended),
    sold: inStream(invoiceStream, confirmed()),
    invoiceStream,
  };
};

/** From the first line to the sale. */
export const bought = (...order: Parameters<typeof placed>): readonly GivenEvent[] => {
  const { started, placed: made, sold } = placed(...order);
  return [...started, ...made, ...sold];
};
