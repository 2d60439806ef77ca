import type { CommandDeps } from '#command/engine/service-deps.ts';
import { confirmationToken, isConfirmationOf } from '#http/confirmation-token.ts';
import { confirmationCookie, type Cookies } from '#http/cookies.ts';
import type { CookieToSet } from '#http/route.ts';

export type ConfirmationDeps = Pick<CommandDeps, 'settings' | 'clock' | 'keyedHash'>;

const sourcesOf = ({ keyedHash, clock }: Omit<ConfirmationDeps, 'settings'>) => ({
  keyedHash,
  now: () => clock.now(),
});

/** What a visitor keeps who has paid an invoice. */
export const confirmationMark = (deps: ConfirmationDeps, invoiceId: string): CookieToSet => {
  const seconds = deps.settings().confirmationCookieHours * 3600;
  return confirmationCookie(confirmationToken(sourcesOf(deps), invoiceId, seconds), seconds);
};

/** Whether a visitor has paid this invoice, and not too long ago. */
export const hasConfirmation = (
  deps: Omit<ConfirmationDeps, 'settings'>,
  cookies: Cookies,
  invoiceId: string,
): boolean => isConfirmationOf(sourcesOf(deps), cookies, invoiceId);
