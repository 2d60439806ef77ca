import type { BasketView } from '#events/basket-view.ts';

export interface AddedByRule {
  readonly upsellRuleId: string;
  readonly productId: string;
}

export interface UpsellsApi {
  /**
   * What rules add to the basket automatically: nothing that is in it, or that its shopper has removed. Pure; free in a
   * shop without such rules.
   */
  addedTo(basket: BasketView): readonly AddedByRule[];
}
