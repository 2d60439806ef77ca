import type { Process } from '#kernel/process.ts';
import { to } from '#kernel/stream.ts';
import type { KnownInvoice } from '../orders/invoice.state.ts';
import { downloadsStream } from './downloads.stream.ts';

/** An invoice whose links are there, and their mail is not. */
export interface OpenMailing {
  readonly invoiceId: string;
  readonly invoice: KnownInvoice;
}

/** From the links of an invoice to the mail that brings them. Sent again, it goes out once. */
export const mailDownloads: Process<OpenMailing, null> = {
  name: 'mail-downloads',
  on: { DownloadLinksCreated: 'opens', DownloadLinksMailed: 'ends' },
  takenOver: null,
  begins: () => null,
  steps: [
    {
      name: 'make the links that did not fit into one event',
      asks: ({ invoiceId, invoice: { hasMoreDownloads } }) =>
        hasMoreDownloads ? [to(downloadsStream, invoiceId, { type: 'MakeMoreLinks' })] : [],
    },
    {
      name: 'send the mail',
      asks: (open) => (open.invoice.hasMoreDownloads ? [] : [{ call: 'mail', input: open }]),
    },
    {
      name: 'note that it is on its way',
      asks: ({ invoiceId, invoice: { hasMoreDownloads } }) =>
        hasMoreDownloads ? [] : [to(downloadsStream, invoiceId, { type: 'NoteDownloadsMailed' })],
    },
  ],
  completes: null,
  fails: null,
};
