import type { BasketView } from '#events/basket-view.ts';

/** A product that a rule adds to a basket, and that rule. */
export interface AddedByRule {
  readonly upsellRuleId: string;
  readonly productId: string;
}

export interface UpsellsApi {
  /**
   * What the rules that add by themselves would put into such a basket: nothing that is in it, and nothing that its
   * shopper has taken out before. Pure; in a shop without such rules it costs nothing.
   */
  addedTo(basket: BasketView): readonly AddedByRule[];
}
