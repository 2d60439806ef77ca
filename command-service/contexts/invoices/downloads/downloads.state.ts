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
  /** Null if there never were any. */
  readonly downloads: DownloadsView | null;
  /** One event could not hold all links; more are to be made. */
  readonly hasMoreDownloads: boolean;
  /** The mail is still to be sent. */
  readonly isToBeMailed: boolean;
}

export const nothingToDownload: Downloading = {
  downloads: null,
  hasMoreDownloads: false,
  isToBeMailed: false,
};

/** Changes the links, if there are any, after an event about more than downloads. */
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
