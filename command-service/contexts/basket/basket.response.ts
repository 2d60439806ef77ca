import {
  basketResponse,
  basketMutationText,
  emptyStorefrontBasketResponse,
  type BasketRemarks,
} from '#contracts/basket-response.ts';
import type { BasketPresentation } from '#contracts/basket-line-response.ts';
import { ok, type Reply } from '#http/route.ts';
import type { ChangedBasket } from './basket.actions.ts';
import { reachableBasket, warningsOf } from './basket.state.ts';

/** The basket after a change; the empty form when nothing is left in it. */
export const basketReply = (
  { basketId, state, events, position }: ChangedBasket,
  presentation: BasketPresentation,
): Reply => {
  const basket = reachableBasket(state);
  const remarks: BasketRemarks = { warnings: warningsOf(events), errors: [] };
  const fields =
    basket !== null && basket.lines.length > 0
      ? basketResponse(basketId, basket, presentation, remarks)
      : emptyStorefrontBasketResponse(presentation, remarks);
  return { status: 200, text: basketMutationText('', fields), position };
};

/** There is no basket: the empty form, and `basket` is null. */
export const noBasketReply = (presentation: BasketPresentation, more: Partial<Reply> = {}): Reply =>
  ok({ success: true, message: '', ...emptyStorefrontBasketResponse(presentation), basket: null }, more);
