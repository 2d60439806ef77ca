import { timingSafeEqual } from 'node:crypto';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { confirmationCookie, confirmationOf, type Cookies } from '#http/cookies.ts';
import type { CookieToSet } from '#http/route.ts';

export type ConfirmationDeps = Pick<CommandDeps, 'settings' | 'clock' | 'keyedHash'>;

const signatureOf = ({ keyedHash }: Pick<ConfirmationDeps, 'keyedHash'>, signed: string): string =>
  keyedHash('confirmation', signed);

/** What a visitor keeps who has paid an invoice. */
export const confirmationMark = (deps: ConfirmationDeps, invoiceId: string): CookieToSet => {
  const seconds = deps.settings().confirmationCookieHours * 3600;
  const signed = `${invoiceId}.${Math.floor(deps.clock.now() / 1000) + seconds}`;
  return confirmationCookie(`${signed}.${signatureOf(deps, signed)}`, seconds);
};

/** Whether a visitor has paid this invoice, and not too long ago. Takes as long for a good guess as for a bad one. */
export const hasConfirmation = (
  deps: Omit<ConfirmationDeps, 'settings'>,
  cookies: Cookies,
  invoiceId: string,
): boolean => {
  const value = confirmationOf(cookies) ?? '';
  const end = value.lastIndexOf('.');
  const signed = value.slice(0, Math.max(0, end));
  const given = Buffer.from(value.slice(end + 1));
  const expected = Buffer.from(signatureOf(deps, signed));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;
  const [paid, expiry] = signed.split('.');
  return paid === invoiceId && Number(expiry) * 1000 > deps.clock.now();
};
