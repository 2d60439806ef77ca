import { z } from 'zod';
import { defineEvents, type EventOf } from './define-events.ts';
import { count, currencyCode, destination, guid, instant, quantity, text } from './fields.ts';
import { basketPricing } from './pricing.fields.ts';

/**
 * A choice with which a line's product is sold, copied when it was added. It is in the basket for as long as the line,
 * and in the same quantity; shoppers see it as a line of its own (docs/rules/basket.md#add-ons).
 */
const basketAddon = z.object({ lineId: guid, optionId: guid, valueId: guid, sku: text, name: text });
export type BasketAddon = z.output<typeof basketAddon>;

/** What a line says of its product, copied when it was added. */
export const basketLine = z.object({
  lineId: guid,
  productId: guid,
  productRootId: guid,
  sku: text,
  name: text,
  productRootName: text,
  selectedOptions: z.array(z.object({ optionName: text, valueName: text })),
  imageUrl: text.nullable(),
  isDigital: z.boolean(),
  /** Missing where nothing was chosen. */
  addons: z.array(basketAddon).exactOptional(),
  /** Added by an upsell rule, not by the shopper. */
  autoAddedByUpsellRule: guid.exactOptional(),
});
export type BasketLine = z.output<typeof basketLine>;

const replacedLine = { lineId: guid, productId: guid, sku: text, name: text };

const shapes = {
  BasketStarted: { currency: currencyCode, destination },
  BasketLineAdded: {
    line: basketLine,
    quantity,
    itemCount: count,
    pricing: basketPricing,
    /** Of the line that starts a basket, where its member is a customer who is known. */
    startedFor: guid.exactOptional(),
  },
  BasketLineQuantityChanged: {
    lineId: guid,
    productId: guid,
    sku: text,
    name: text,
    oldQuantity: quantity,
    quantity,
    itemCount: count,
    pricing: basketPricing,
  },
  BasketLineRemoved: {
    lineId: guid,
    productId: guid,
    sku: text,
    name: text,
    quantity,
    itemCount: count,
    pricing: basketPricing,
  },
  /** Whoever buys has said at once what is to be in it: everything that differs from before, priced together. */
  BasketLinesReplaced: {
    added: z.array(z.object({ line: basketLine, quantity })),
    changed: z.array(z.object({ ...replacedLine, oldQuantity: quantity, quantity })),
    removed: z.array(z.object({ ...replacedLine, quantity })),
    itemCount: count,
    pricing: basketPricing,
  },
  BasketCleared: { currency: currencyCode, customerId: guid.nullable() },
  /** Prices, rules or the destination have moved on; nothing else has. */
  BasketRepriced: { destination, pricing: basketPricing },
  /** What the shopper wants to see; the amounts stay in the store's currency. */
  BasketCurrencyChanged: { currency: currencyCode },
  /**
   * The buyer, as far as they are signed in; nulls and no segments after a sign-out. Recorded so that pricing the
   * basket needs no lookup.
   */
  BasketBuyerIdentified: {
    memberId: guid.nullable(),
    customerId: guid.nullable(),
    segmentIds: z.array(guid),
    pricing: basketPricing,
  },
  /**
   * What another basket of the same shopper held is in this one from now on. `taken` is how far that one has been dealt
   * with: a repeat takes no more of it than has been put in there since.
   */
  BasketMerged: {
    fromBasketId: guid,
    taken: z.array(z.object({ lineId: guid, quantity })),
    added: z.array(z.object({ line: basketLine, quantity })),
    /** What the lines are of is missing in older logs. */
    grown: z.array(
      z.object({
        lineId: guid,
        quantity,
        productId: guid.exactOptional(),
        sku: text.exactOptional(),
        name: text.exactOptional(),
      }),
    ),
    codes: z.array(z.object({ discountId: guid, code: text, name: text })),
    /** Why something was left out, for the shopper. */
    leftOut: z.array(text),
    itemCount: count,
    pricing: basketPricing,
  },
  /** An agent has filled it for a shopper, who is in it from now on. `sessionId`: of its checkout; null: of a cart. */
  BasketHandedOver: {
    sessionId: guid.nullable(),
    /** Address of the agent's profile. */
    agent: text,
    agentName: text.nullable(),
  },
  /** Bought: the basket is closed for good and no cookie finds it any more. */
  BasketCompleted: { invoiceId: guid },
  /** Its key is destroyed: who it was of reads as null. It is closed for good, and no cookie finds it any more. */
  BasketForgotten: { at: instant },
};

/** Since 2 these say of discounts that were there before only what they take off (`keptDiscounts`). */
const versions = { BasketLineAdded: 2, BasketLineQuantityChanged: 2 };

/** Baskets (docs/rules/basket.md). Stream `basket-<basketId>`, shared with checkout; the data subject is the basket. */
export const basketEvents = defineEvents('basket', shapes, versions);
export type BasketEvent = EventOf<typeof basketEvents>;
