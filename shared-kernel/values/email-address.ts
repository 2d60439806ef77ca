import { domainToASCII } from 'node:url';

const MAX_LENGTH = 250;
const shape = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
/** Controls, what only shapes text (soft hyphens, zero-width spaces), and halves of characters. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}]/u;

/** something@something.tld, of characters that people see. */
export const isEmail = (text: string): boolean => {
  if (text.length > MAX_LENGTH || unseen.test(text.trim())) return false;
  const normal = normalEmail(text);
  return normal.length <= MAX_LENGTH && shape.test(normal);
};

/**
 * As e-mail addresses are kept and compared (docs/rules/customers.md#whose-e-mail-address): one spelling for what is
 * one mailbox. What is no address stays as it is, but for case and blanks around it.
 */
export const normalEmail = (text: string): string => {
  const folded = text.normalize('NFKC').trim().toLowerCase();
  const at = folded.lastIndexOf('@');
  if (at < 0 || unseen.test(folded)) return folded;
  const domain = domainToASCII(folded.slice(at + 1).replace(/\.+$/, ''));
  return domain === '' ? folded : `${folded.slice(0, at)}@${domain}`;
};

/** Enough of an address for its owner to know it: `a***@example.com`. */
export const maskedEmail = (email: string): string => {
  const at = email.lastIndexOf('@');
  return at < 1 ? '***' : `${email.slice(0, 1)}***${email.slice(at)}`;
};
