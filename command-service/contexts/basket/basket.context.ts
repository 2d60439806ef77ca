import { addonSku, chooseAddons, type ChosenAddon, type ChosenGoods } from '#command/pricing/addons.ts';
import { gatherPrices, type BasketPrices, type PriceSources } from '#command/pricing/basket-prices.ts';
import { discountIdsOf } from '#command/pricing/priceable.ts';
import { estimated } from '#command/pricing/provider-tax.ts';
import { shippingPlanner, type PlanShipping } from '#command/pricing/shipping-plan.ts';
import type { BasketLine } from '#events/basket.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import { derivedId, newId } from '#kernel/ids.ts';
import { availableToSell, isPurchasable } from '#reference/availability.ts';
import { imageOf } from '#reference/product-image.ts';
import type { Reference } from '#reference/reference.ts';
import type { Destination } from '#values/address.ts';
import type { SessionTimeouts } from '#values/checkout-session.ts';
import type { BasketCommand } from './basket.commands.ts';
import { usedDiscountIdsOf, destinationAfter, holdsOf, type BasketState } from './basket.state.ts';

/** The product that a command is about. */
export interface ProductOnSale {
  readonly line: BasketLine;
  /** Why it cannot be sold with the add-ons that were chosen; null when it can. */
  readonly addonProblem: string | null;
  readonly isPurchasable: boolean;
  /** Units that are not reserved, in all its warehouses: advice. Null: sells without limit. */
  readonly availableUnits: number | null;
}

/** What the decisions on a basket need from outside. */
export interface BasketContext {
  readonly prices: BasketPrices;
  /** Null when the command names none, or one that is not there. */
  readonly product: ProductOnSale | null;
  /** By id, those of a command that names several and that are there. */
  readonly products: ReadonlyMap<string, ProductOnSale>;
  /** Asked for baskets whose shipping has been chosen, for no other. */
  readonly planShipping: PlanShipping;
  /** ISO instant. */
  readonly now: string;
  readonly timeouts: SessionTimeouts;
  readonly maxLineQuantity: number;
  readonly maxBasketLines: number;
}

const addonLines = (lineId: string, productSku: string, chosen: readonly ChosenAddon[]) =>
  chosen.map(({ option, value }) => ({
    lineId: derivedId('add-on line', lineId, option.id, value.id),
    optionId: option.id,
    valueId: value.id,
    sku: addonSku(productSku, value),
    name: `${option.name}: ${value.name}`,
  }));

const onSale = (reference: Reference, { productId, addons }: ChosenGoods): ProductOnSale | null => {
  const sellable = reference.catalogue.variant(productId);
  if (sellable === undefined) return null;
  const { rootId, root, variant } = sellable;
  const { isUnlimited, available } = availableToSell(reference, sellable);
  const { chosen, problem } = chooseAddons(root, addons);
  const lineId = newId();
  return {
    line: {
      lineId,
      productId: variant.id,
      productRootId: rootId,
      sku: variant.sku,
      name: variant.name,
      productRootName: root.rootName,
      selectedOptions: variant.selectedOptions,
      imageUrl: imageOf(sellable),
      isDigital: root.isDigitalProduct,
      ...(chosen && chosen.length > 0 && { addons: addonLines(lineId, variant.sku, chosen) }),
    },
    addonProblem: problem,
    isPurchasable: isPurchasable(variant),
    availableUnits: isUnlimited ? null : available,
  };
};

const goodsOf = (state: BasketState, command: BasketCommand): ChosenGoods | undefined => {
  switch (command.type) {
    case 'AddBasketLine':
      return command;
    case 'AddUpsell':
      return { productId: command.productId, addons: [] };
    case 'ChangeBasketLineQuantity':
      return state.basket?.lines.find((line) => line.lineId === command.lineId);
    default:
      return undefined;
  }
};

const destinationOf = (state: BasketState, command: BasketCommand): Destination | null => {
  switch (command.type) {
    case 'RepriceBasket':
      return command.destination ?? state.basket?.destination ?? null;
    case 'ChangeBasketCurrency':
      return state.basket && destinationAfter(state.basket, command.destination);
    case 'AddBasketLine':
    case 'ReplaceBasketLines':
      return state.basket?.destination ?? command.startFor;
    default:
      return state.basket?.destination ?? null;
  }
};

const discountsFor = ({ basket }: BasketState, command: BasketCommand): Set<string> => {
  const ids = basket ? discountIdsOf(basket) : new Set<string>();
  if (command.type === 'MergeBasket') for (const { discountId } of command.codes) ids.add(discountId);
  return ids;
};

const noProducts: BasketContext['products'] = new Map();

const productsOf = (reference: Reference, command: BasketCommand): BasketContext['products'] =>
  command.type === 'ReplaceBasketLines'
    ? new Map(
        command.goods.flatMap(({ productId }) => {
          const product = onSale(reference, { productId });
          return product === null ? [] : [[productId, product] as const];
        }),
      )
    : noProducts;

const nowhere: Destination = { countryCode: '', regionCode: null, postalCode: null };

/** Collects what deciding a basket command needs, from reference state; no I/O. */
export const basketContext =
  (sources: PriceSources) =>
  (command: BasketCommand) =>
  (state: BasketState): BasketContext => {
    const asked = goodsOf(state, command);
    const goods: ChosenGoods[] = [...(state.basket?.lines ?? [])];
    if (asked !== undefined) goods.push(asked);
    if (command.type === 'MergeBasket') goods.push(...command.lines);
    if (command.type === 'ReplaceBasketLines') goods.push(...command.goods);
    const timeouts = sources.settings();
    const { maxLineQuantity, maxBasketLines } = timeouts;
    const prices = gatherPrices(sources, {
      goods,
      discountIds: discountsFor(state, command),
      destination: destinationOf(state, command) ?? nowhere,
      usedDiscountIds: usedDiscountIdsOf(state),
      holds: holdsOf(state),
      providerTax: estimated(state.basket?.shippingAddress ? 'BasketChanged' : 'ShippingAddressMissing'),
    });
    return {
      prices,
      planShipping: shippingPlanner(sources, holdsOf(state)),
      now: isoInstant(prices.now),
      timeouts,
      product: asked === undefined ? null : onSale(sources.reference, asked),
      products: productsOf(sources.reference, command),
      maxLineQuantity,
      maxBasketLines,
    };
  };
