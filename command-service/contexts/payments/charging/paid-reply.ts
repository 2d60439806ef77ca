import { ok, type Reply } from '#http/route.ts';
import { confirmationMark, type ConfirmationDeps } from '../sessions/confirmation-mark.ts';
import { hasBought, type KnownOutcome } from './payment-outcome.ts';
import type { Paid } from './own-invoice.ts';

/** Where a buyer goes on: what is offered after the purchase comes before the confirmation. */
export const pageAfter = (invoiceId: string, { postPurchase }: Paid['invoice']): string =>
  `/checkout/${postPurchase?.isOpen ? 'post-purchase' : 'confirmation'}/${invoiceId}`;

/** The buyer goes on with the next basket, but with a cookie that shows the confirmation page is theirs. */
export const paidReply = (
  deps: ConfirmationDeps,
  { nextBasketId, position, invoice }: Paid,
  invoiceId: string,
  answer: object,
): Reply => {
  const cookies = [confirmationMark(deps, invoiceId)];
  const goesOn = nextBasketId === null ? {} : { basketId: nextBasketId };
  const page = pageAfter(invoiceId, invoice);
  const sent = 'redirectUrl' in answer ? { ...answer, redirectUrl: page } : answer;
  return ok(sent, { cookies, ...goesOn, ...(position > 0 ? { position } : {}) });
};

/** What came of an attempt: who has bought goes on as a buyer. */
export const attemptReply = (
  deps: ConfirmationDeps,
  { outcome, paid }: { readonly outcome: KnownOutcome; readonly paid: Paid },
  answer: object,
): Reply =>
  hasBought(outcome)
    ? paidReply(deps, paid, paid.invoiceId, answer)
    : ok(answer, { position: paid.position });
