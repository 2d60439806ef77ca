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
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { Recorded } from '#kernel/event.ts';
import { projection, type Document } from '#kernel/projection.ts';
import { idOf } from '#values/stream-name.ts';

/** The files of an invoice, under its id; missing for an invoice without files. */
export interface DownloadsDocument extends Document, DownloadsView {
  readonly invoiceNumber: string;
  readonly customerId: string;
  /** The member who had signed in. */
  readonly memberId: string | null;
  /** When there were the first; ISO instant. */
  readonly dateCreated: string;
}

type DownloadEvent = Extract<
  InvoiceEvent,
  {
    readonly type:
      | 'DownloadLinksCreated'
      | 'DownloadLinksWithdrawn'
      | 'PaymentRefunded'
      | 'RefundFailed'
      | 'InvoiceCancelled'
      | 'InvoiceDeleted'
      | 'InvoiceEdited';
  }
>;

/** What an event makes of the links of an invoice that has any. */
const changing =
  <Data>(change: (view: DownloadsView | null, data: Data) => DownloadsView | null) =>
  (document: DownloadsDocument | null, { data }: { readonly data: Data }): DownloadsDocument | null =>
    document && { ...document, ...change(document, data) };

const created = (
  document: DownloadsDocument | null,
  { stream, data }: Recorded<Extract<DownloadEvent, { readonly type: 'DownloadLinksCreated' }>>,
): DownloadsDocument => {
  const { invoiceNumber, customerId, memberId = null, createdAt } = data;
  const dateCreated = document?.dateCreated ?? createdAt;
  const owner = { _id: idOf(stream), invoiceNumber, customerId, memberId, dateCreated };
  return { ...owner, ...withLinks(document, data) };
};

/** What buyers may download, and whose it is (docs/rules/downloads.md#lists). */
export const downloadsProjection = projection<DownloadEvent>()<DownloadsDocument>({
  name: 'downloads',
  version: 2,
  indexes: [{ fields: ['customerId', 'dateCreated'] }, { fields: ['memberId', 'dateCreated'] }],
  keys: ({ stream }) => [idOf(stream)],
  on: {
    DownloadLinksCreated: created,
    DownloadLinksWithdrawn: changing(withWithdrawal),
    PaymentRefunded: changing(withRefund),
    RefundFailed: changing(withRefundFailed),
    InvoiceCancelled: changing(withCancellation),
    InvoiceDeleted: changing(withDeletion),
    InvoiceEdited: changing(withEdit),
  },
});
