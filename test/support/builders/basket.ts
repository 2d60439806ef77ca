import type { BasketCommand } from '#command/contexts/basket/basket.commands.ts';
import type { BasketContext, ProductOnSale } from '#command/contexts/basket/basket.context.ts';
import { basketDecider } from '#command/contexts/basket/basket.decider.ts';
import type { BasketState } from '#command/contexts/basket/basket.state.ts';
import type { BasketPrices, Offer } from '#command/pricing/basket-prices.ts';
import { traitsOfUnsold } from '#command/pricing/line-traits.ts';
import type { BasketLine } from '#events/basket.events.ts';
import { unpricedLine, type BasketView, type BasketViewLine } from '#events/basket-view.ts';
import { discount, type DiscountRule } from '#entities/discount.entity.ts';
import { derivedId } from '#kernel/ids.ts';
import type { ReferenceDiscount } from '#reference/reference.ts';
import type { Destination } from '#values/address.ts';
import { inContext } from '../given.ts';

export const london: Destination = { countryCode: 'GB', regionCode: null, postalCode: null };

/** Noon of a day on which every discount of these builders is valid. */
export const noon = Date.parse('2030-06-01T12:00:00.000Z');

/** A GUID that is the same wherever the same name is used. */
export const idNamed = (name: string): string => derivedId('test', name);

/** What a basket keeps of a product. Line and product have ids made of the sku. */
export const lineOf = (sku: string): BasketLine => ({
  lineId: idNamed(`line ${sku}`),
  productId: idNamed(sku),
  productRootId: idNamed(`root ${sku}`),
  sku,
  name: `${sku}, blue`,
  productRootName: sku,
  selectedOptions: [{ optionName: 'Colour', valueName: 'Blue' }],
  imageUrl: null,
  isDigital: false,
});

export const units = (sku: string, quantity: number): BasketViewLine => unpricedLine(lineOf(sku), quantity);

/** A price with tax on it; a rate of 0 is a product that is not taxed. */
export const offer = (unitPrice: number, taxRate = 0): Offer => ({
  unitPrice,
  isTaxable: taxRate > 0,
  taxRate,
});

/** A percentage off the order by code, as a caller's body makes it. */
const ruleOf = (body: {
  readonly name: string;
  readonly code: string;
  readonly value: number;
}): DiscountRule => {
  const kind = { category: 'AmountOffOrder', method: 'Code', valueType: 'Percentage' };
  const startsAt = '2030-01-01T00:00:00.000Z';
  const rule = discount.createBody(() => 'GBP').parse({ ...kind, ...body, startsAt });
  return { ...rule, startsAt };
};

/** A valid code for a percentage off the order. */
export const percentOff = (
  code: string,
  value: number,
  changes: Partial<DiscountRule> = {},
): ReferenceDiscount => ({
  id: idNamed(code),
  status: 'Active',
  createdAt: '2030-01-01T00:00:00.000Z',
  uses: 0,
  rule: { ...ruleOf({ name: `${value} % off`, code, value }), ...changes },
});

export const codeOf = ({ id, rule }: ReferenceDiscount) => ({
  discountId: id,
  code: rule.code ?? '',
  name: rule.name,
});

/** Prices by sku. */
export const pricesOf = (
  offers: Readonly<Record<string, Offer>>,
  discounts: readonly ReferenceDiscount[] = [],
  changes: Partial<BasketPrices> = {},
): BasketPrices => ({
  currency: 'GBP',
  now: noon,
  offers: new Map(Object.entries(offers).map(([sku, found]) => [idNamed(sku), found])),
  discounts: new Map(discounts.map((discount) => [discount.id, discount])),
  automaticFor: () => discounts.filter(({ rule }) => rule.method === 'Automatic'),
  traitsOf: (lines) => new Map(lines.map((line) => [line.lineId, [traitsOfUnsold(line)]])),
  countryCode: 'GB',
  shippingTax: { mode: 'NotTaxed' },
  ...changes,
});

/** A shop for the basket decider: what it sells, how many of each, and its rules. */
export interface ShopFloor {
  readonly offers: Readonly<Record<string, Offer>>;
  /** Units by sku; a product that is not named sells without limit. */
  readonly stock?: Readonly<Record<string, number>>;
  readonly withdrawn?: readonly string[];
  readonly discounts?: readonly ReferenceDiscount[];
  readonly maxLineQuantity?: number;
  readonly maxBasketLines?: number;
}

const skuOf = (floor: ShopFloor, state: BasketState, command: BasketCommand): string | undefined => {
  const productId =
    command.type === 'AddBasketLine' || command.type === 'AddUpsell'
      ? command.productId
      : command.type === 'ChangeBasketLineQuantity'
        ? state.basket?.lines.find((line) => line.lineId === command.lineId)?.productId
        : undefined;
  return Object.keys(floor.offers).find((sku) => idNamed(sku) === productId);
};

const onFloor = (floor: ShopFloor, sku: string): ProductOnSale => ({
  line: lineOf(sku),
  addonProblem: null,
  isPurchasable: !(floor.withdrawn ?? []).includes(sku),
  availableUnits: floor.stock?.[sku] ?? null,
});

const contextOn = (floor: ShopFloor, state: BasketState, command: BasketCommand): BasketContext => {
  const sku = skuOf(floor, state, command);
  return {
    prices: pricesOf(floor.offers, floor.discounts),
    product: sku === undefined ? null : onFloor(floor, sku),
    products: new Map(Object.keys(floor.offers).map((one) => [idNamed(one), onFloor(floor, one)])),
    planShipping: ({ destination }) => ({
      destination,
      groups: [],
      unavailable: [],
      holds: [],
      automatic: new Map(),
    }),
    now: new Date(noon).toISOString(),
    timeouts: { sessionSlidingTimeoutMinutes: 30, sessionAbsoluteTimeoutMinutes: 240 },
    maxLineQuantity: floor.maxLineQuantity ?? 9999,
    maxBasketLines: floor.maxBasketLines ?? 500,
  };
};

export const add = (sku: string, quantity = 1): BasketCommand => ({
  type: 'AddBasketLine',
  productId: idNamed(sku),
  quantity,
  addons: [],
  startFor: london,
});

/** Quantities by sku: all that is to be in the basket. */
export const replaceGoods = (quantities: Readonly<Record<string, number>>): BasketCommand => ({
  type: 'ReplaceBasketLines',
  goods: Object.entries(quantities).map(([sku, quantity]) => ({ productId: idNamed(sku), quantity })),
  startFor: london,
});

export const setQuantity = (sku: string, quantity: number): BasketCommand => ({
  type: 'ChangeBasketLineQuantity',
  lineId: lineOf(sku).lineId,
  quantity,
});

export const takeOut = (sku: string): BasketCommand => ({
  type: 'RemoveBasketLine',
  lineId: lineOf(sku).lineId,
});

const noBasket = (): never => {
  throw new Error('no basket');
};

export const viewOf = (basket: { state(): BasketState }): BasketView => basket.state().basket ?? noBasket();

/** The rules of a basket in a shop. */
export const basketIn = (floor: ShopFloor) =>
  inContext(basketDecider, (state, command) => contextOn(floor, state, command));
