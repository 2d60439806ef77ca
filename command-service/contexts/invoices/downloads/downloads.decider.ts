import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { InvoiceContext } from '../invoice.context.ts';
import { ofVisible, type InvoiceRules } from '../invoice-rules.ts';
import type { KnownInvoice } from '../invoice.state.ts';
import type {
  DownloadsCommand,
  MakeMoreLinks,
  NoteDownloadsMailed,
  RegenerateDownloads,
} from './downloads.commands.ts';
import { mayDownload, missingLinks, renewedLinks } from './due-links.state.ts';

const { DownloadLinksMailed } = invoiceEvents.create;

/** Errors: Rejections `invoice-cancelled`, `downloads-not-due`. */
const refuseUndue = (invoice: KnownInvoice): void => {
  if (invoice.status !== 'open') throw new Rejection('invoice-cancelled', 'This order has been cancelled.');
  if (mayDownload(invoice)) return;
  const why =
    invoice.balance.paymentStatus === 'Refunded' ? 'it was refunded in full' : 'it has still to be paid';
  throw new Rejection('downloads-not-due', `There is nothing to download of this invoice: ${why}.`);
};

const regenerate = (
  invoice: KnownInvoice,
  { expiryDays }: RegenerateDownloads,
  context: InvoiceContext,
): InvoiceEvent[] => {
  refuseUndue(invoice);
  return renewedLinks(invoice, context, expiryDays);
};

const makeMore = (invoice: KnownInvoice, _: MakeMoreLinks, context: InvoiceContext): InvoiceEvent[] =>
  invoice.hasMoreDownloads ? missingLinks(invoice, context) : [];

/** The mail must also name links that a later step makes. */
const noteMailed = (invoice: KnownInvoice, _: NoteDownloadsMailed, context: InvoiceContext): InvoiceEvent[] =>
  invoice.isToBeMailed && makeMore(invoice, { type: 'MakeMoreLinks' }, context).length === 0
    ? [DownloadLinksMailed({ mailedAt: context.now })]
    : [];

/** Download links of an invoice (docs/rules/downloads.md). */
export const downloadsRules: InvoiceRules<DownloadsCommand> = {
  RegenerateDownloads: ofVisible(regenerate),
  MakeMoreLinks: ofVisible(makeMore),
  NoteDownloadsMailed: ofVisible(noteMailed),
};
