import { fileNameOf } from '#values/download-path.ts';
import { sampleId, sampleInvoice, sampleOrder, sampleStock } from '#topics/samples.ts';
import { counted, dayInWords } from './in-words.ts';
import { mailTopic } from './mail-topic.ts';
import { aboutInvoice } from './order.mails.ts';
import type { MailedAddress, OrderNotification } from './order-notification.ts';
import { sampleOrderNotification } from './order-sample.ts';

interface LowStockNotification {
  readonly productId: string;
  readonly warehouseId: string;
  readonly sku: string;
  readonly currentStock: number;
  readonly threshold: number;
}

interface DownloadsNotification extends OrderNotification {
  readonly downloadLinkCount: number;
  readonly downloadLinks: readonly {
    readonly id: string;
    readonly productName: string;
    readonly fileName: string;
    readonly downloadUrl: string;
    readonly expiresUtc: string | null;
    readonly maxDownloads: number;
    /** `5 times, until 31 March 2026`; null: no limit. */
    readonly limits: string | null;
  }[];
}

interface SupplierLine {
  readonly name: string;
  readonly sku: string;
  readonly options: string | null;
  readonly quantity: number;
  /** It was chosen for the line before it. */
  readonly isAddon: boolean;
}

/** An order as the supplier who sends it is asked. */
export interface SupplierOrderNotification {
  readonly orderId: string;
  readonly orderNumber: string;
  readonly supplierEmail: string;
  readonly supplierName: string | null;
  readonly lines: readonly SupplierLine[];
  readonly shippingAddress: MailedAddress | null;
  readonly shippingServiceCode: string | null;
  readonly requestedDeliveryDate: string | null;
  /** What staff have noted, line by line. */
  readonly internalNotes: readonly string[];
}

const often = (maxDownloads: number): string => (maxDownloads === 1 ? 'once' : counted(maxDownloads, 'time'));

const limitsOf = (maxDownloads: number, expiresAt: string | null, timeZone: string): string | null => {
  const limits = [
    ...(maxDownloads === 0 ? [] : [often(maxDownloads)]),
    ...(expiresAt === null ? [] : [`until ${dayInWords(expiresAt, timeZone)}`]),
  ];
  return limits.length === 0 ? null : limits.join(', ');
};

export const inventoryMails = {
  'inventory.low_stock': mailTopic<LowStockNotification>({
    displayName: 'Low Stock Alert',
    description: 'The stock of a product falls to its reorder point.',
    sample: { ...sampleStock, sku: 'MUG-BLUE', currentStock: 3, threshold: 5 },
    on: {
      StockRanLow: ({ data: { productId, warehouseId, sku, stock, threshold } }) => ({
        entityType: 'Product',
        entityId: productId,
        notification: { productId, warehouseId, sku, currentStock: stock, threshold },
      }),
    },
  }),
};

export const digitalMails = {
  'digital.delivered': mailTopic<DownloadsNotification>({
    displayName: 'Digital Product Delivered',
    description: 'Download links are ready for a customer.',
    sample: {
      ...sampleOrderNotification,
      downloadLinkCount: 1,
      downloadLinks: [
        {
          id: sampleId('download link'),
          productName: 'Knitting pattern',
          fileName: 'pattern.pdf',
          downloadUrl: 'https://shop.example.com/api/shop/downloads/sample-token',
          expiresUtc: '2026-03-31T09:00:00.000Z',
          maxDownloads: 5,
          limits: '5 times, until 31 March 2026',
        },
      ],
    },
    on: {
      DownloadLinksCreated: ({ data: { links, customerId } }, facts) =>
        links.length === 0
          ? null
          : aboutInvoice(facts, {
              downloadLinkCount: links.length,
              downloadLinks: links.map(({ linkId: id, fileId, productName, expiresAt, maxDownloads }) => ({
                ...{ id, productName, fileName: fileNameOf(fileId) },
                downloadUrl: facts.downloadUrlOf({ linkId: id, customerId, fileId }),
                ...{ expiresUtc: expiresAt, maxDownloads },
                limits: limitsOf(maxDownloads, expiresAt, facts.timeZone),
              })),
            }),
    },
  }),
};

export const fulfilmentMails = {
  'fulfilment.supplier_order': mailTopic<SupplierOrderNotification>({
    displayName: 'Supplier Order',
    description: 'A supplier who sends the goods is asked for an order.',
    sample: {
      orderId: sampleOrder.id,
      orderNumber: sampleInvoice.invoiceNumber,
      supplierEmail: 'orders@supplier.example.com',
      supplierName: 'Potteries Ltd',
      lines: [
        {
          name: 'Stoneware mug',
          sku: 'MUG-BLUE',
          options: 'Colour: blue',
          quantity: 2,
          isAddon: false,
        },
        { name: 'Gift wrap', sku: 'WRAP', options: null, quantity: 2, isAddon: true },
      ],
      shippingAddress: sampleOrderNotification.shippingAddress,
      shippingServiceCode: 'TRACKED-48',
      requestedDeliveryDate: '2026-03-05',
      internalNotes: ['Leave by the back door.'],
    },
    on: {},
  }),
};
