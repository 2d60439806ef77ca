import type { InvoiceEvent } from '#events/invoice.events.ts';
import {
  withCancellation,
  withDeletion,
  withEdit,
  withLinks,
  withRefund,
  withRefundFailed,
  withWithdrawal,
  type DownloadsView,
} from '#events/download-view.ts';
import type { EventOfType } from '#kernel/event.ts';

/** What an invoice knows of its files (docs/rules/downloads.md). */
export interface Downloading {
  /** Null where there were never any. */
  readonly downloads: DownloadsView | null;
  /** One event did not hold all of them. */
  readonly hasMoreDownloads: boolean;
  /** Their mail has still to go out. */
  readonly isToBeMailed: boolean;
}

export const nothingToDownload: Downloading = {
  downloads: null,
  hasMoreDownloads: false,
  isToBeMailed: false,
};

type Data<Type extends InvoiceEvent['type']> = EventOfType<InvoiceEvent, Type>['data'];

/** What an event that is about something else as well makes of the links. */
const changing =
  <Told>(change: (view: DownloadsView | null, data: Told) => DownloadsView | null) =>
  <Invoice extends Downloading>(invoice: Invoice, data: Told): Invoice =>
    invoice.downloads === null ? invoice : { ...invoice, downloads: change(invoice.downloads, data) };

export const downloadsOnceRefunded = changing(withRefund);
export const downloadsOnceRefundFailed = changing(withRefundFailed);
export const downloadsOnceCancelled = changing(withCancellation);
export const downloadsOnceDeleted = changing(withDeletion);
export const downloadsOnceEdited = changing(withEdit);

export const onDownloadEvents = {
  DownloadLinksCreated: <Invoice extends Downloading>(
    invoice: Invoice,
    { data }: { readonly data: Data<'DownloadLinksCreated'> },
  ): Invoice => ({
    ...invoice,
    downloads: withLinks(invoice.downloads, data),
    hasMoreDownloads: data.hasMore ?? false,
    isToBeMailed: true,
  }),
  DownloadLinksWithdrawn: <Invoice extends Downloading>(
    invoice: Invoice,
    { data }: { readonly data: Data<'DownloadLinksWithdrawn'> },
  ): Invoice => changing(withWithdrawal)(invoice, data),
  DownloadLinksMailed: <Invoice extends Downloading>(
    invoice: Invoice,
    _event: { readonly data: Data<'DownloadLinksMailed'> },
  ): Invoice => ({
    ...invoice,
    hasMoreDownloads: false,
    isToBeMailed: false,
  }),
};
