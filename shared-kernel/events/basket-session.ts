import { isTimedOut, type SessionTimeouts } from '#values/checkout-session.ts';
import type { BasketView } from './basket-view.ts';

/** Whether shipping was chosen in a checkout that has timed out: it has to be chosen again. */
export const hasTimedOutShipping = (
  { session, choices }: Pick<BasketView, 'session' | 'choices'>,
  timeouts: SessionTimeouts,
  now: number,
): boolean => choices.length > 0 && session !== null && isTimedOut(session, timeouts, now);

/**
 * The basket as it is shown now: without shipping once its checkout has timed out, though nothing has recorded that yet
 * (docs/rules/checkout.md#timeouts). What is left are the recorded figures; the next change prices them.
 */
export const asOfNow = <View extends BasketView>(
  view: View,
  timeouts: SessionTimeouts,
  now: number,
): View => {
  if (!hasTimedOutShipping(view, timeouts, now)) return view;
  const { totals } = view;
  const { shipping, shippingDiscount, shippingTax } = totals;
  return {
    ...view,
    choices: [],
    discounts: view.discounts.filter(({ category }) => category !== 'FreeShipping'),
    totals: {
      ...totals,
      shipping: 0,
      shippingDiscount: 0,
      shippingTax: 0,
      tax: totals.tax - shippingTax,
      total: totals.total - shipping + shippingDiscount - shippingTax,
    },
  };
};
