import { escapeHtml } from '#values/escape-html.ts';
import type { WrittenMail } from '../mails/mail.commands.ts';

/** Scheme and host of the shop's own pages; null where not configured. */
export type StoreUrl = string | null;

/**
 * The page that a link leads to, without query: the one that was asked for where it is on the store's own host, else
 * the store's own page (docs/rules/members.md#links).
 */
export const linkBase = (asked: string | null | undefined, storeUrl: StoreUrl, page: string): string => {
  const own = `${(storeUrl ?? '').replace(/\/+$/, '')}${page}`;
  if (!asked || storeUrl === null || !URL.canParse(asked)) return own;
  const url = new URL(asked);
  const isOwn = url.origin === new URL(storeUrl).origin && url.username === '' && url.password === '';
  return isOwn ? `${url.origin}${url.pathname}` : own;
};

interface Linked {
  readonly to: string;
  readonly storeName: string;
  readonly base: string;
  readonly token: string;
}

/** The page that a token opens for an address. */
export const linkOf = ({ base, to, token }: Pick<Linked, 'base' | 'to' | 'token'>): string =>
  `${base}?${new URLSearchParams({ email: to, token }).toString()}`;

const mailOf = (
  { to, base, token }: Linked,
  subject: string,
  ask: string,
  otherwise: string,
): WrittenMail => {
  const link = linkOf({ base, to, token });
  const href = escapeHtml(link);
  return {
    to,
    subject,
    text: `${ask}\n\n${link}\n\nThe link works once, for an hour. ${otherwise}\n`,
    html:
      `<p>${escapeHtml(ask)}</p><p><a href="${href}">${href}</a></p>` +
      `<p>The link works once, for an hour. ${escapeHtml(otherwise)}</p>`,
  };
};

/** For a new account. */
export const confirmMail = (linked: Linked): WrittenMail =>
  mailOf(
    linked,
    `Confirm your e-mail address for ${linked.storeName}`,
    `An account has been made at ${linked.storeName} with your e-mail address. Confirm here that it is yours, and choose its password:`,
    'If that was not you, do not open the link: without it, nothing of yours is shown.',
  );

/** For the owner of an address with which an account was to be made, and who has one. */
export const knownMail = (linked: Linked): WrittenMail =>
  mailOf(
    linked,
    `Your account at ${linked.storeName}`,
    `An account at ${linked.storeName} was to be made with your e-mail address, which has one. If you have forgotten its password, choose a new one here:`,
    'If that was not you, there is nothing to do: your account stays as it is.',
  );

/** For the address that an account is to have. */
export const newEmailMail = (linked: Linked): WrittenMail =>
  mailOf(
    linked,
    `Confirm your new e-mail address for ${linked.storeName}`,
    `Your account at ${linked.storeName} is to have this e-mail address. Sign in and confirm here that it is yours:`,
    'If that was not you, do not open the link: without it, nothing changes.',
  );

const plainMail = (to: string, subject: string, text: string): WrittenMail => ({
  to,
  subject,
  text: `${text}\n`,
  html: `<p>${escapeHtml(text)}</p>`,
});

/** For the owner of an address that another account was to have. */
export const takenMail = (to: string, storeName: string): WrittenMail =>
  plainMail(
    to,
    `Your e-mail address at ${storeName}`,
    `An account at ${storeName} was to have your e-mail address, which the shop knows already. If that was you, sign in with it or ask for a new password. If not, there is nothing to do: nothing has changed.`,
  );

/** For the address that an account had. */
export const movedMail = (to: string, storeName: string): WrittenMail =>
  plainMail(
    to,
    `Your account at ${storeName} has another e-mail address`,
    `Your account at ${storeName} has another e-mail address from now on, as was confirmed there. If that was not you, tell the shop at once.`,
  );
