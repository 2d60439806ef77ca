import type { BasketView } from '#events/basket-view.ts';
import type { RouteRequest } from '#http/route.ts';
import { emptyBasket } from '../basket/basket.state.ts';
import type { CheckoutActions } from './checkout-actions.ts';
import type { ShippingPlan } from '#command/pricing/shipping-plan.ts';

/** The basket of a visitor who is checking out. */
export interface FoundBasket {
  readonly basketId: string;
  readonly basket: BasketView;
  readonly holds: ShippingPlan['holds'];
}

/** The basket that the cookie names, with something in it. */
export const findBasket = async (
  checkout: CheckoutActions,
  { basketId }: RouteRequest,
): Promise<FoundBasket> => {
  if (basketId === null) throw emptyBasket();
  const { basket, holds } = await checkout.load(basketId);
  if (basket === null || basket.status === 'completed' || basket.lines.length === 0) throw emptyBasket();
  return { basketId, basket, holds };
};
