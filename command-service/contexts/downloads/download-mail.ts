import { endOf, hasEnded } from '#events/download-view.ts';
import { escapeHtml } from '#http/page.ts';
import { fileNameOf } from '#values/download-path.ts';
import type { WrittenMail } from '../mails/mail.commands.ts';
import type { KnownInvoice } from '../invoices/invoice.state.ts';

export interface DownloadMailFacts {
  readonly storeName: string;
  readonly urlOf: (link: { readonly linkId: string; readonly fileId: string }) => string;
  /** The shop's time in milliseconds. */
  readonly now: number;
}

/** What one mail names; the account has all of them. */
const LINKS_NAMED = 100;

const inWords = (instant: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(Date.parse(instant));

const limitsOf = (maxDownloads: number, expiresAt: string | null): string => {
  const often = maxDownloads === 0 ? null : maxDownloads === 1 ? 'once' : `${maxDownloads} times`;
  const until = expiresAt === null ? null : `until ${inWords(expiresAt)}`;
  const limits = [often, until].filter((limit) => limit !== null);
  return limits.length === 0 ? '' : ` (${limits.join(', ')})`;
};

/** A name as it stands in a line of its own: a product may be called by several. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** To a buyer whose files are ready; null where nothing is left to download, or there is no address. */
export const downloadMail = (
  { email: to, customerName, invoiceNumber, downloads }: KnownInvoice,
  { storeName, urlOf, now }: DownloadMailFacts,
): WrittenMail | null => {
  const links = (downloads?.links ?? []).filter(
    (link) => downloads !== null && !hasEnded(endOf(downloads, link), now),
  );
  if (to === null || links.length === 0) return null;
  const hello = customerName === null ? 'Hello,' : `Hello ${oneLine(customerName)},`;
  const intro = `Thank you for your order ${invoiceNumber}. Sign in to your account, and these links bring your files:`;
  const named = links.slice(0, LINKS_NAMED).map((link) => ({
    title: `${oneLine(link.productName)}: ${fileNameOf(link.fileId)}${limitsOf(link.maxDownloads, link.expiresAt)}`,
    url: urlOf(link),
  }));
  const more =
    links.length > named.length ? [`Your account has ${links.length - named.length} further files.`] : [];
  return {
    to,
    subject: `Your downloads from ${storeName}: order ${invoiceNumber}`,
    text: `${[hello, intro, ...named.map(({ title, url }) => `${title}\n${url}`), ...more, storeName].join('\n\n')}\n`,
    html: [
      `<p>${escapeHtml(hello)}</p><p>${escapeHtml(intro)}</p><ul>`,
      ...named.map(({ title, url }) => `<li><a href="${escapeHtml(url)}">${escapeHtml(title)}</a></li>`),
      `</ul>${more.map((line) => `<p>${escapeHtml(line)}</p>`).join('')}<p>${escapeHtml(storeName)}</p>`,
    ].join(''),
  };
};
