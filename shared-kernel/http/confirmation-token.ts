import { timingSafeEqual } from 'node:crypto';
import { confirmationOf, type Cookies } from './cookies.ts';

/** What signs, and what tells the time. */
interface ConfirmationSources {
  /** A hash that only this shop can compute. */
  readonly keyedHash: (kind: string, value: string) => string;
  readonly now: () => number;
}

const signatureOf = (keyedHash: ConfirmationSources['keyedHash'], signed: string): string =>
  keyedHash('confirmation', signed);

/** `invoiceId.expiry.signature`: proves that its holder has paid an invoice. */
export const confirmationToken = (
  { keyedHash, now }: ConfirmationSources,
  invoiceId: string,
  seconds: number,
): string => {
  const signed = `${invoiceId}.${Math.floor(now() / 1000) + seconds}`;
  return `${signed}.${signatureOf(keyedHash, signed)}`;
};

/**
 * Whether a visitor has paid this invoice, and not too long ago. Takes as long for a good guess as for a bad one, and
 * for a cookie that is not there.
 */
export const isConfirmationOf = (
  { keyedHash, now }: ConfirmationSources,
  cookies: Cookies,
  invoiceId: string,
): boolean => {
  const value = confirmationOf(cookies) ?? '';
  const end = value.lastIndexOf('.');
  const signed = value.slice(0, Math.max(0, end));
  const expected = Buffer.from(signatureOf(keyedHash, signed));
  const given = Buffer.alloc(expected.length);
  const length = given.write(value.slice(end + 1));
  const isSigned = timingSafeEqual(given, expected) && length === value.length - end - 1;
  const [paid, expiry] = signed.split('.');
  const isIts = paid === invoiceId;
  const isInTime = Number(expiry) * 1000 > now();
  return isSigned && isIts && isInTime;
};
