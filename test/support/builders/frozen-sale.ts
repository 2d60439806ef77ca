import fc from 'fast-check';
import { addonKey } from '#command/pricing/addons.ts';
import { freezeInvoice, type FrozenGroup } from '#command/pricing/freeze-invoice.ts';
import type { Presentment } from '#command/pricing/present-invoice.ts';
import { priceBasket } from '#command/pricing/price-basket.ts';
import { basketEvents } from '#events/basket.events.ts';
import { changedBasket, startedBasket, type BasketView } from '#events/basket-view.ts';
import { addonOf, offersWith, unitsWith } from './addon.ts';
import { codeOf, idNamed, london, percentOff, pricesOf } from './basket.ts';
import { buyGet, freeShipping, ruleNamed, sociable } from './discount.ts';

interface Piece {
  readonly price: number;
  readonly taxRate: number;
  /** What each of its add-ons costs on top; the price covers what they take off. */
  readonly addons: readonly number[];
  /** Units that each of up to three warehouses sends; all 0 for what needs no shipping. */
  readonly from: readonly number[];
  readonly digital: number;
}

const piece: fc.Arbitrary<Piece> = fc
  .record({
    price: fc.integer({ min: 0, max: 100_000 }),
    taxRate: fc.constantFrom(0, 5, 8.875, 20),
    addons: fc.array(fc.integer({ min: -3000, max: 5000 }), { maxLength: 3 }),
    from: fc.array(fc.integer({ min: 0, max: 7 }), { minLength: 3, maxLength: 3 }),
    digital: fc.integer({ min: 1, max: 5 }),
  })
  .map((one) => ({
    ...one,
    price: one.addons.reduce((price, cost) => price - Math.min(0, cost), one.price),
  }));

const unitsOf = ({ from, digital }: Piece): number => from.reduce((sum, units) => sum + units, 0) || digital;

/** A priced basket of these pieces, with the groups that send them. */
export const basketOf = (pieces: readonly Piece[], percent: number, shippingCost: number) => {
  const lines = pieces.map((one, index) =>
    unitsWith(`sku ${index}`, unitsOf(one), Object.keys(one.addons).map(addonOf)),
  );
  const groups = [0, 1, 2].flatMap((warehouse): FrozenGroup[] => {
    const sent = pieces.flatMap(({ from }, index) => {
      const quantity = from[warehouse] ?? 0;
      const line = lines[index];
      return quantity > 0 && line ? [{ lineId: line.lineId, quantity }] : [];
    });
    const groupId = idNamed(`group ${warehouse}`);
    const warehouseId = idNamed(`warehouse ${warehouse}`);
    const choice = {
      groupId,
      warehouseId,
      optionKey: `so:${idNamed('parcel')}`,
      shippingOptionId: idNamed('parcel'),
      name: 'Parcel',
      cost: shippingCost,
      quotedAt: '2030-06-01T12:00:00.000Z',
      deliveryDate: null,
    };
    return sent.length > 0 ? [{ groupId, warehouseId, lines: sent, choice }] : [];
  });
  const codes = [
    percentOff('OFF', percent, sociable),
    ruleNamed('EACH', { category: 'AmountOffProducts', value: 7, ...sociable }),
    ruleNamed('GIFT', { category: 'BuyXGetY', buyXGetY: buyGet(3, 1), ...sociable }),
    ruleNamed('POST', { category: 'FreeShipping', value: 30, freeShipping: freeShipping(), ...sociable }),
  ];
  const offers = new Map(
    pieces.flatMap((one, index) => offersWith(`sku ${index}`, one.price, one.addons, one.taxRate)),
  );
  const shipping = shippingCost * groups.length;
  const prices = pricesOf({}, codes, { offers });
  const shippingOptions = groups.map(({ choice }) => choice.optionKey);
  const wanted = { lines, codes: codes.map(codeOf), shipping, shippingOptions };
  const { pricing } = priceBasket(wanted, prices);
  const itemCount = lines.reduce((count, { quantity }) => count + quantity, 0);
  const filled = { ...startedBasket('GBP', london), lines, itemCount };
  const repriced = basketEvents.create.BasketRepriced({ destination: london, pricing });
  return { basket: changedBasket(filled, repriced), groups };
};

export const freeze = (
  basket: BasketView,
  groups: readonly FrozenGroup[],
  presentment: Presentment | null = null,
) =>
  freezeInvoice({
    accountTerms: null,
    presentment,
    ruleOf: () => undefined,
    placementId: idNamed('placement'),
    basketId: idNamed('basket'),
    basket,
    customerId: idNamed('ada'),
    groups,
    costs: new Map([
      [idNamed('sku 0'), 250],
      [addonKey(idNamed('sku 0'), addonOf('0')), 40],
    ]),
    collections: new Map(),
    termsAcceptedAt: null,
    createdAt: '2030-06-01T12:00:00.000Z',
    businessDay: '2030-06-01',
  });

/** Pieces, percent off the order, and what each group costs to ship. */
export const anyBasket = fc.tuple(
  fc.array(piece, { minLength: 1, maxLength: 6 }),
  fc.integer({ min: 1, max: 100 }),
  fc.integer({ min: 0, max: 2000 }),
);
