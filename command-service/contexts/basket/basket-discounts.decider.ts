import type { BasketView } from '#events/basket-view.ts';
import { checkoutEvents } from '#events/checkout.events.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { TakeOffDiscount } from './basket.commands.ts';
import type { BasketContext } from './basket.context.ts';
import { existingBasket, type BasketState, type BasketStreamEvent } from './basket.state.ts';
import { withLess } from './priced-change.ts';

const { DiscountTakenOff } = checkoutEvents.create;

/** A rule that is on a basket: a code, or a discount that came by itself. */
interface OnBasket {
  readonly discountId: string;
  readonly code: string | null;
  readonly name: string;
}

/** By the id of its rule, or of one of the lines that show what it takes off. */
const discountOn = ({ codes, discounts }: BasketView, id: string): OnBasket | undefined => {
  const taken = discounts.find((one) => one.id === id || one.discountId === id);
  const discountId = taken?.discountId ?? id;
  return codes.find((code) => code.discountId === discountId) ?? taken;
};

/** Whether a line of the basket shows what a discount takes off. */
export const isDiscountLine = ({ discounts }: BasketView, lineId: string): boolean =>
  discounts.some(({ id }) => id === lineId);

/**
 * Takes a whole rule off, whichever of its lines is named. An automatic one stays off this basket
 * (docs/rules/discounts-in-the-basket.md#taking-off).
 */
export const takeOffDiscount = (
  state: BasketState,
  { id }: Pick<TakeOffDiscount, 'id'>,
  context: BasketContext,
): BasketStreamEvent[] => {
  const basket = existingBasket(state);
  const found = discountOn(basket, id);
  if (found === undefined) {
    const message = 'discountId: a discount of this basket was expected.';
    throw new Rejection('discount-not-applicable', message, { errorCode: 'NotFound' });
  }
  const { discountId, code, name } = found;
  const isOther = (one: { readonly discountId: string }): boolean => one.discountId !== discountId;
  const without = {
    ...basket,
    codes: basket.codes.filter(isOther),
    discounts: basket.discounts.filter(isOther),
    suppressed: code === null ? [...basket.suppressed, discountId] : basket.suppressed,
  };
  return withLess(without, context, (pricing) => DiscountTakenOff({ discountId, code, name, pricing }));
};
