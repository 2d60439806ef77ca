import type { BasketView } from '#events/basket-view.ts';
import type { AddonChoice } from '#command/pricing/addons.ts';
import type { Destination } from '#values/address.ts';

/** A percentage off a product, until an instant. */
export interface PromisedReferral {
  /** The variant's id or its SKU. */
  readonly offerId: string;
  readonly percentage: number;
  readonly name: string;
  readonly expiresAt: string;
}

/** Puts units of a product into the basket, on top of those that are in it. */
export interface AddBasketLine {
  readonly type: 'AddBasketLine';
  readonly productId: string;
  readonly quantity: number;
  /** With what it is to be sold; in any order, and what is said twice counts once. */
  readonly addons: readonly AddonChoice[];
  /** What a link has promised the shopper, if one has: it may be for this product. */
  readonly referral?: PromisedReferral | null;
  /** Where a basket that is started with this line goes; null: the basket must be there already. */
  readonly startFor: Destination | null;
  /** The customer who starts it, where one is signed in. */
  readonly customerId?: string | null;
}

/** Puts one unit of a product into the basket because a rule says so; not where it is, or has been taken out. */
export interface AddUpsell {
  readonly type: 'AddUpsell';
  readonly upsellRuleId: string;
  readonly productId: string;
}

/** Sets the quantity of a line; 0 or less removes it. */
export interface ChangeBasketLineQuantity {
  readonly type: 'ChangeBasketLineQuantity';
  readonly lineId: string;
  readonly quantity: number;
}

/**
 * Makes these the goods of the basket, each product once, whatever it held; for a caller who says everything at once.
 * The limits of a shopper's basket do not hold.
 */
export interface ReplaceBasketLines {
  readonly type: 'ReplaceBasketLines';
  readonly goods: readonly { readonly productId: string; readonly quantity: number }[];
  /** Where a basket that is started with them goes; null: the basket must be there already. */
  readonly startFor: Destination | null;
}

export interface RemoveBasketLine {
  readonly type: 'RemoveBasketLine';
  readonly lineId: string;
}

/** Takes a discount off: by its rule, or by the line that shows it. */
export interface TakeOffDiscount {
  readonly type: 'TakeOffDiscount';
  readonly id: string;
}

/** Ends the basket: no cookie finds it afterwards. */
export interface ClearBasket {
  readonly type: 'ClearBasket';
  /** A basket with an order stays as it is, and so does one of which an order is being made. */
  readonly unlessOrdered?: true;
}

/** Brings the figures up to date with today's prices, rates and rules. */
export interface RepriceBasket {
  readonly type: 'RepriceBasket';
  /** Null: where it goes already. */
  readonly destination: Destination | null;
}

/** Notes the currency that the shopper wants to see. Amounts stay in the store's. */
export interface ChangeBasketCurrency {
  readonly type: 'ChangeBasketCurrency';
  readonly currency: string;
  /** Where they have chosen to be with it: a basket without an address goes there. Null: where it goes already. */
  readonly destination: Destination | null;
}

/** Notes who is signed in, and prices the basket for them. Refused for another member's basket. */
export interface IdentifyBuyer {
  readonly type: 'IdentifyBuyer';
  readonly memberId: string;
  readonly customerId: string | null;
  readonly segmentIds: readonly string[];
  /** It is an agent that says so: a basket that a shopper has taken over is not told. */
  readonly byAgent?: true;
}

/** Puts what another basket of the same shopper holds into this one; that one is ended afterwards. */
export interface MergeBasket {
  readonly type: 'MergeBasket';
  readonly fromBasketId: string;
  readonly lines: BasketView['lines'];
  readonly codes: BasketView['codes'];
}

/** Ends a basket that has been merged into another one, unless something has come into it since. */
export interface EndMergedBasket {
  readonly type: 'EndMergedBasket';
  readonly lines: BasketView['lines'];
}

export type BasketCommand =
  | AddBasketLine
  | AddUpsell
  | ChangeBasketLineQuantity
  | ReplaceBasketLines
  | RemoveBasketLine
  | TakeOffDiscount
  | ClearBasket
  | RepriceBasket
  | ChangeBasketCurrency
  | IdentifyBuyer
  | MergeBasket
  | EndMergedBasket;
