import type { CommandMeta } from '#command/engine/command-engine.ts';
import { createInstances, type Performs } from '#command/engine/run-process.ts';
import type { RunAlone } from '#command/engine/run-alone.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { derivedId } from '#kernel/ids.ts';
import type { DownloadUrls } from '#values/download-link.ts';
import { endOf, hasEnded } from '#events/download-view.ts';
import { escapeHtml } from '#values/escape-html.ts';
import { fileNameOf } from '#values/download-path.ts';
import { isKnown, type KnownInvoice } from '../invoices/invoice.state.ts';
import { invoiceStream } from '../invoices/invoice.stream.ts';
import type { WrittenMail } from '../mails/mail.commands.ts';
import { mailDownloads, type MailingCalls, type OpenMailing } from './mail-downloads.process.ts';

interface DownloadMailFacts {
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
const downloadMail = (
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

export interface DeliveryDeps extends Pick<CommandDeps, 'streams' | 'apis' | 'clock' | 'settings'> {
  readonly runAlone?: RunAlone;
  /** With scheme and host: a mail is read anywhere. */
  readonly mailedUrlOf: DownloadUrls;
}

/** Another event brings at least one more link: an invoice that needs more runs has something wrong. */
const MOST_RUNS = 1000;

/** Has buyers told of their files, once (docs/rules/downloads.md#mail). */
export const createDownloadDelivery = (deps: DeliveryDeps) => {
  const { streams, apis, clock, settings, mailedUrlOf, runAlone } = deps;

  const mail: Performs<MailingCalls>['mail'] = async ({ invoiceId, invoice }) => {
    const { customerId } = invoice.content;
    const written = downloadMail(invoice, {
      storeName: settings().name,
      urlOf: ({ linkId, fileId }) => mailedUrlOf({ linkId, customerId, fileId }),
      now: clock.now(),
    });
    const { generation = 0, links = [] } = invoice.downloads ?? {};
    // Further links have a mail of their own; the same ones have none.
    const id = derivedId('downloads mail', invoiceId, generation, links.length);
    if (written) await apis.mails.send(id, written);
  };

  const instances = createInstances({
    process: mailDownloads,
    calls: { mail },
    streams,
    ...(runAlone && { runAlone }),
  });

  const open = async (invoiceId: string): Promise<OpenMailing | null> => {
    const { state: invoice } = await streams.load(invoiceStream, invoiceId);
    return isKnown(invoice) && invoice.isToBeMailed ? { invoiceId, invoice } : null;
  };

  return {
    resume: async (invoiceId: string, meta: CommandMeta): Promise<void> => {
      for (let runs = 0; runs < MOST_RUNS; runs++) {
        const run = await instances.run(invoiceId, meta, () => open(invoiceId));
        if (run === null || !run.start.invoice.hasMoreDownloads) return;
      }
    },
    drain: () => instances.drain(),
  };
};
