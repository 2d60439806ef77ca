import { escapeHtml } from '#http/page.ts';
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

const mailOf = (
  { to, base, token }: Linked,
  subject: string,
  ask: string,
  otherwise: string,
): WrittenMail => {
  const link = `${base}?${new URLSearchParams({ email: to, token }).toString()}`;
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

/** For a member who has lost their password. */
export const resetMail = (linked: Linked): WrittenMail =>
  mailOf(
    linked,
    `A new password for ${linked.storeName}`,
    `A new password was requested for your account at ${linked.storeName}. Choose one here:`,
    'If that was not you, there is nothing to do: your password stays as it is.',
  );

/** For a new account. */
export const confirmMail = (linked: Linked): WrittenMail =>
  mailOf(
    linked,
    `Confirm your e-mail address for ${linked.storeName}`,
    `An account has been made at ${linked.storeName} with your e-mail address. Confirm here that it is yours, and choose its password:`,
    'If that was not you, do not open the link: without it, nothing of yours is shown.',
  );
