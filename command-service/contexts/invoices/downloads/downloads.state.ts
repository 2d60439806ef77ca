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
import type { Part } from '../invoice-part.state.ts';

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

/** What an event that is about something else as well makes of the links. */
const changing =
  <Data>(change: (view: DownloadsView | null, data: Data) => DownloadsView | null) =>
  ({ downloads }: Downloading, { data }: { readonly data: Data }): Partial<Downloading> =>
    downloads === null ? {} : { downloads: change(downloads, data) };

export const onDownloadEvents = {
  DownloadLinksCreated: ({ downloads }, { data }) => ({
    downloads: withLinks(downloads, data),
    hasMoreDownloads: data.hasMore ?? false,
    isToBeMailed: true,
  }),
  DownloadLinksWithdrawn: changing(withWithdrawal),
  DownloadLinksMailed: () => ({ hasMoreDownloads: false, isToBeMailed: false }),
  PaymentRefunded: changing(withRefund),
  RefundFailed: changing(withRefundFailed),
  InvoiceCancelled: changing(withCancellation),
  InvoiceDeleted: changing(withDeletion),
  InvoiceEdited: changing(withEdit),
} satisfies Part<Downloading>;
