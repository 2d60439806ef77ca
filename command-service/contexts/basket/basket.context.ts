import { gatherPrices, type BasketPrices, type PriceSources } from '#command/pricing/basket-prices.ts';
import { shippingPlanner, type PlanShipping } from '#command/pricing/shipping-plan.ts';
import type { BasketLine } from '#events/basket.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import { newId } from '#kernel/ids.ts';
import { availableToSell } from '#reference/availability.ts';
import type { Reference } from '#reference/reference.ts';
import type { Destination } from '#values/address.ts';
import type { BasketCommand } from './basket.commands.ts';
import { claimedDiscountIdsOf, holdsOf, type BasketState } from './basket.state.ts';

/** The product that a command is about. */
export interface ProductOnSale {
  readonly line: BasketLine;
  readonly isPurchasable: boolean;
  /** Units that are not reserved, in all its warehouses: advice. Null: sells without limit. */
  readonly availableUnits: number | null;
}

/** What the decisions on a basket need from outside. */
export interface BasketContext {
  readonly prices: BasketPrices;
  /** Null when the command names none, or one that is not there. */
  readonly product: ProductOnSale | null;
  /** Asked for baskets whose shipping has been chosen, for no other. */
  readonly planShipping: PlanShipping;
  /** ISO instant. */
  readonly now: string;
  readonly maxLineQuantity: number;
  readonly maxBasketLines: number;
}

const onSale = (reference: Reference, productId: string): ProductOnSale | null => {
  const sellable = reference.catalogue.variant(productId);
  if (sellable === undefined) return null;
  const { rootId, root, variant } = sellable;
  const { isUnlimited, available } = availableToSell(reference, sellable);
  return {
    line: {
      lineId: newId(),
      productId: variant.id,
      productRootId: rootId,
      sku: variant.sku,
      name: variant.name,
      productRootName: root.rootName,
      selectedOptions: variant.selectedOptions,
      imageUrl: variant.images[0] ?? root.images[0] ?? null,
      isDigital: root.isDigitalProduct,
    },
    isPurchasable: variant.availableForPurchase && variant.canPurchase,
    availableUnits: isUnlimited ? null : available,
  };
};

const productOf = (state: BasketState, command: BasketCommand): string | undefined => {
  switch (command.type) {
    case 'AddBasketLine':
      return command.productId;
    case 'ChangeBasketLineQuantity':
      return state.basket?.lines.find((line) => line.lineId === command.lineId)?.productId;
    default:
      return undefined;
  }
};

const destinationOf = (state: BasketState, command: BasketCommand): Destination | null => {
  const given = command.type === 'RepriceBasket' ? command.destination : null;
  return given ?? state.basket?.destination ?? (command.type === 'AddBasketLine' ? command.startFor : null);
};

const nowhere: Destination = { countryCode: '', regionCode: null, postalCode: null };

/** Collects what deciding a basket command needs, from reference state; no I/O. */
export const basketContext =
  (sources: PriceSources) =>
  (command: BasketCommand) =>
  (state: BasketState): BasketContext => {
    const productId = productOf(state, command);
    const productIds = (state.basket?.lines ?? []).map((line) => line.productId);
    if (productId !== undefined) productIds.push(productId);
    const { maxLineQuantity, maxBasketLines } = sources.settings();
    const prices = gatherPrices(sources, {
      productIds,
      discountIds: (state.basket?.codes ?? []).map((code) => code.discountId),
      destination: destinationOf(state, command) ?? nowhere,
      claimedDiscountIds: claimedDiscountIdsOf(state),
    });
    return {
      prices,
      planShipping: shippingPlanner(sources, holdsOf(state)),
      now: isoInstant(prices.now),
      product: productId === undefined ? null : onSale(sources.reference, productId),
      maxLineQuantity,
      maxBasketLines,
    };
  };
