import { fileNameOf } from '#values/download-path.ts';
import { idOf } from '#values/stream-name.ts';
import { sampleEmail, sampleId, sampleInvoice } from './samples.ts';
import { declareTopics } from './topic.ts';

export const digitalTopics = declareTopics('Digital Products', {
  'digital.delivered': {
    displayName: 'Digital Product Delivered',
    description: 'Download links are ready for a customer.',
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
          entityType: 'Invoice',
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
