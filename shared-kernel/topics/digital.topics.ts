import { z } from 'zod';
import { fileNameOf } from '#values/download-path.ts';
import { idOf } from '#values/stream-name.ts';
import { count, guid, instant, personalText, text } from './data-fields.ts';
import { sampleEmail, sampleId, sampleInvoice } from './samples.ts';
import { declareTopics } from './topic.ts';

const downloadLink = z.strictObject({
  ...{ id: guid, fileName: text, downloadUrl: text },
  expiresUtc: instant.nullable(),
  maxDownloads: count.nullable().describe('Null is no limit'),
});

export const digitalTopics = declareTopics('Digital Products', {
  'digital.delivered': {
    displayName: 'Digital Product Delivered',
    description:
      'Links to files are made: once the invoice is paid, for what was missing, or again by staff. At most 500 in one message.',
    entityType: 'Invoice',
    schema: z.strictObject({
      ...{ invoiceId: guid, invoiceNumber: text, customerEmail: personalText },
      ...{ downloadLinkCount: count, downloadLinks: z.array(downloadLink) },
    }),
    sample: {
      invoiceId: sampleInvoice.id,
      invoiceNumber: sampleInvoice.invoiceNumber,
      customerEmail: sampleEmail,
      downloadLinkCount: 1,
      downloadLinks: [
        {
          id: sampleId('download link'),
          fileName: 'manual.pdf',
          downloadUrl: 'https://shop.example.com/api/shop/downloads/sample-token',
          expiresUtc: '2026-03-31T09:00:00.000Z',
          maxDownloads: 5,
        },
      ],
    },
    on: {
      DownloadLinksCreated: ({ stream, data }, { downloadUrlOf }) => {
        const { invoiceNumber, email: customerEmail, customerId, links } = data;
        // Staff have taken them all away.
        if (links.length === 0) return null;
        const invoiceId = idOf(stream);
        return {
          entityId: invoiceId,
          data: {
            ...{ invoiceId, invoiceNumber, customerEmail, downloadLinkCount: links.length },
            downloadLinks: links.map(({ linkId: id, fileId, expiresAt: expiresUtc, maxDownloads }) => ({
              id,
              fileName: fileNameOf(fileId),
              downloadUrl: downloadUrlOf({ linkId: id, customerId, fileId }),
              ...{ expiresUtc, maxDownloads },
            })),
          },
        };
      },
    },
  },
});
