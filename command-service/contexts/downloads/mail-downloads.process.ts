import { remember, type Process } from '#kernel/process.ts';
import { to } from '#kernel/stream.ts';
import type { KnownInvoice } from '../invoices/invoice.state.ts';
import { invoiceStream } from '../invoices/invoice.stream.ts';

/** An invoice whose links are there, and the note that they were mailed is not. */
export interface OpenMailing {
  readonly invoiceId: string;
  readonly invoice: KnownInvoice;
}

interface Made {
  /** Further links, which another run looks at; none where the invoice was closed, or its products have no files. */
  readonly more: boolean;
}

/**
 * From the links of an invoice to the note that its buyer is told of all of them. The mails follow from the links
 * (docs/rules/mail-deliveries.md#queued).
 */
export const mailDownloads: Process<OpenMailing, Made> = {
  name: 'mail-downloads',
  on: { DownloadLinksCreated: 'opens', DownloadLinksMailed: 'ends' },
  takenOver: null,
  begins: () => ({ more: false }),
  steps: [
    {
      name: 'make the links that did not fit into one event',
      commands: ({ invoiceId, invoice: { hasMoreDownloads } }) =>
        hasMoreDownloads
          ? [
              remember(to(invoiceStream, invoiceId, { type: 'MakeMoreLinks' }), (_, { events }) => ({
                more: events.length > 0,
              })),
            ]
          : [],
    },
    {
      name: 'note that it is on its way',
      commands: ({ invoiceId }, { more }) =>
        more ? [] : [to(invoiceStream, invoiceId, { type: 'NoteDownloadsMailed' })],
    },
  ],
  completes: null,
  fails: null,
};
