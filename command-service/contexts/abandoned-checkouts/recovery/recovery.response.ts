import { basketSummaryResponse } from '#contracts/basket-response.ts';
import type { BasketPresentation } from '#contracts/basket-line-response.ts';
import type { LinkValidity } from '#contracts/recovery.contract.ts';
import { maskedEmail } from '#values/email-address.ts';
import type { RestorableBasket } from '../../checkout/checkout.commands.ts';

export const notValid: LinkValidity = {
  valid: false,
  isValid: false,
  message: 'This link is not valid, or not any more.',
};

export const validityOf = (
  { basket }: RestorableBasket,
  email: string | null,
  presentation: BasketPresentation,
): LinkValidity => {
  const { displayTotal, formattedDisplayTotal } = basketSummaryResponse(basket, presentation);
  return {
    valid: true,
    isValid: true,
    basketTotal: displayTotal,
    formattedTotal: formattedDisplayTotal,
    itemCount: basket.lines.length,
    customerEmail: email === null ? null : maskedEmail(email),
  };
};
