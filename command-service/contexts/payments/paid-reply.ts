import type { CommandDeps } from '#command/engine/service-deps.ts';
import { confirmationCookie } from '#http/cookies.ts';
import { ok, type Reply } from '#http/route.ts';
import type { Paid } from './own-invoice.ts';

type PaidReplyDeps = Pick<CommandDeps, 'settings' | 'clock' | 'keyedHash'>;

/** The buyer goes on with the next basket, but with a cookie that shows the confirmation page is theirs. */
export const paidReply = (
  { settings, clock, keyedHash }: PaidReplyDeps,
  { nextBasketId, position }: Paid,
  invoiceId: string,
  answer: object,
): Reply => {
  const seconds = settings().confirmationCookieHours * 3600;
  const signed = `${invoiceId}.${Math.floor(clock.now() / 1000) + seconds}`;
  const cookies = [confirmationCookie(`${signed}.${keyedHash('confirmation', signed)}`, seconds)];
  const goesOn = nextBasketId === null ? {} : { basketId: nextBasketId };
  return ok(answer, { cookies, ...goesOn, ...(position > 0 ? { position } : {}) });
};
