import { figuresOf, type BasketView } from '#events/basket-view.ts';
import { Rejection } from '#kernel/rejection.ts';
import { displayFigures, type DisplayCurrency } from '#values/exchange.ts';
import type { StartPlacement } from '../checkout.commands.ts';
import type { CheckoutContext } from '../checkout.context.ts';

/** Whether what would be charged is more than the basket last showed, in the currency that is paid in. */
export const isMoreThanShown = (
  basket: BasketView,
  current: BasketView,
  { shown }: StartPlacement,
  { presentment }: CheckoutContext,
): boolean => {
  const totalIn = (display: DisplayCurrency | null, view: BasketView): number =>
    displayFigures(figuresOf(view), view.currency, display ?? { currency: view.currency, rate: '1' }).total;
  const shownIn = presentment !== null && shown?.currency === presentment.currency ? shown : presentment;
  return totalIn(presentment, current) > totalIn(shownIn, basket);
};

/** The shopper is asked about what they are shown now. */
export const priceIncreased = (): Rejection =>
  new Rejection(
    'basket-changed',
    'Prices have changed since the basket was last shown. Look at it and pay again.',
  );
