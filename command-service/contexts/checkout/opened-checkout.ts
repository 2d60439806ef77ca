import { knownEmail, type BasketView } from '#events/basket-view.ts';
import type { OpenedCheckout } from '#events/checkout.events.ts';
import type { EditableBasket } from '../basket/basket.state.ts';
import type { CheckoutContext } from './checkout.context.ts';

export type Today = Pick<CheckoutContext, 'now' | 'businessDay'>;

/**
 * Goes with the first e-mail address of a basket, and of one that was emptied meanwhile: from then on it can be
 * abandoned, and its record is followed from these figures on (docs/rules/checkout.md#first-address).
 */
export const opening = (
  { opened, basket: before }: Pick<EditableBasket, 'opened' | 'basket'>,
  { lines, totals, preferredCurrency }: Pick<BasketView, 'lines' | 'totals' | 'preferredCurrency'>,
  { now, businessDay }: Today,
): { readonly opens?: OpenedCheckout } => {
  if (knownEmail(before) !== null) return {};
  const { total } = totals;
  const found = { lineCount: lines.length, total, displayCurrency: preferredCurrency };
  const begun = opened ? { ...opened, isAgain: true as const } : { at: now, day: businessDay };
  return { opens: { ...begun, ...found } };
};
