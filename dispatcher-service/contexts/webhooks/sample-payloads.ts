import { derivedId } from '#kernel/ids.ts';
import type { TopicKey } from '#values/webhook-topics.ts';

const id = (name: string): string => derivedId('sample', name);

const at = '2026-03-01T09:00:00.000Z';
const later = '2026-03-01T09:30:00.000Z';
const email = 'ada@example.com';
const invoiceNumber = 'INV-0001';
const currencyCode = 'GBP';
const price = { currencyCode, currencySymbol: '£', formattedTotal: '£25.92' };
const invoiceId = id('invoice');
const row = { productId: id('product'), warehouseId: id('warehouse') };

const order = { id: id('order'), invoiceId };
const invoice = { id: invoiceId, invoiceNumber };
const product = { id: id('product root'), name: 'Mug' };
const customer = { id: id('customer'), email, firstName: 'Ada', lastName: 'Lovelace' };
const shipment = {
  id: id('shipment'),
  orderId: order.id,
  carrier: 'Royal Mail',
  trackingNumber: 'AB123456789GB',
  dateCreated: at,
  trackingUrl: 'https://tracking.example.com/AB123456789GB',
};
const discount = { id: id('discount'), name: 'Ten per cent off', code: 'WELCOME10' };
const activeDiscount = { ...discount, category: 'AmountOffOrder', status: 'Active' };
const checkout = { abandonedCheckoutId: id('abandoned checkout'), basketId: id('basket') };
const recoveryLink = 'https://shop.example.com/checkout/recover/sample-token';
const recovery = (emailSequenceNumber: number) => ({
  ...checkout,
  customerEmail: email,
  customerName: 'Ada Lovelace',
  basketTotal: 25.92,
  recoveryLink,
  emailSequenceNumber,
  itemCount: 2,
  ...price,
});
const item = { id: id('line'), productId: row.productId, sku: 'MUG-BLUE', name: 'Blue mug', quantity: 2 };
const basket = { id: checkout.basketId };
const basketTotals = { subTotal: 24, total: 25.92 };
const synchronised = {
  providerKey: 'warehouse',
  itemsProcessed: 20,
  itemsSucceeded: 19,
  itemsFailed: 1,
  completedAt: at,
};

/** What the `data` of each topic looks like; also what a test delivery carries. */
export const samplePayloads: Readonly<Record<TopicKey, Readonly<Record<string, unknown>>>> = {
  'order.created': {
    ...order,
    status: 'ReadyToFulfill',
    dateCreated: at,
    invoiceNumber,
    total: 25.92,
    currencyCode,
  },
  'order.updated': { ...order, status: 'Processing', dateUpdated: later },
  'order.status_changed': {
    order: { ...order, status: 'ReadyToFulfill' },
    previousStatus: 'Pending',
    newStatus: 'ReadyToFulfill',
    reason: null,
  },
  'order.cancelled': {
    ...invoice,
    reason: 'The customer changed their mind',
    cancelledOrderCount: 1,
    orderIds: [order.id],
  },
  'invoice.created': { ...invoice, total: 25.92, dateCreated: at, currencyCode, source: 'web' },
  'invoice.paid': {
    id: id('payment'),
    invoiceId,
    amount: 25.92,
    paymentSuccess: true,
    paymentProviderAlias: 'manual',
    invoiceNumber,
    currencyCode,
    paymentStatus: 'Paid',
  },
  'invoice.refunded': { id: id('refund'), invoiceId, refundAmount: 12, refundReason: 'Damaged in transit' },
  'invoice.deleted': invoice,
  'product.created': product,
  'product.updated': product,
  'product.deleted': product,
  'inventory.adjusted': {
    ...row,
    previousStock: 10,
    newStock: 12,
    reason: 'admin',
    change: 2,
    sku: 'MUG-BLUE',
  },
  'inventory.low_stock': { ...row, currentStock: 3, threshold: 5 },
  'inventory.reserved': { ...row, quantity: 2, remainingAvailable: 8 },
  'inventory.allocated': { ...row, quantity: 2, remainingStock: 8 },
  'customer.created': { ...customer, dateCreated: at },
  'customer.updated': { ...customer, dateUpdated: later },
  'customer.deleted': { id: customer.id, email },
  'shipment.created': { ...shipment, status: 'Preparing' },
  'shipment.updated': { ...shipment, status: 'Shipped', previousStatus: 'Preparing' },
  'discount.created': activeDiscount,
  'discount.updated': { ...activeDiscount, status: 'Disabled' },
  'discount.deleted': discount,
  'checkout.abandoned': {
    ...checkout,
    customerEmail: email,
    customerName: 'Ada Lovelace',
    basketTotal: 25.92,
    currencyCode,
    recoveryLink,
  },
  'checkout.abandoned.first': recovery(1),
  'checkout.abandoned.reminder': recovery(2),
  'checkout.abandoned.final': recovery(3),
  'checkout.recovered': {
    ...checkout,
    customerEmail: email,
    basketTotal: 25.92,
    originalAbandonmentDate: at,
    recoveredDate: later,
    ...price,
  },
  'checkout.converted': {
    abandonedCheckoutId: checkout.abandonedCheckoutId,
    invoiceId,
    customerEmail: email,
    orderTotal: 25.92,
    originalAbandonmentDate: at,
    recoveredDate: later,
    ...price,
  },
  'basket.created': { ...basket, customerId: null, currency: currencyCode, ...basketTotals, dateCreated: at },
  'basket.updated': { ...basket, event: 'item.added', item, ...basketTotals, dateUpdated: at },
  'digital.delivered': {
    invoiceId,
    invoiceNumber,
    customerEmail: email,
    downloadLinkCount: 1,
    downloadLinks: [
      {
        id: id('download link'),
        fileName: 'manual.pdf',
        downloadUrl: 'https://shop.example.com/api/shop/downloads/sample-token',
        expiresUtc: '2026-03-31T09:00:00.000Z',
        maxDownloads: 5,
      },
    ],
  },
  'fulfilment.submitted': {
    orderId: order.id,
    providerKey: 'warehouse',
    providerReference: 'WH-1001',
    submittedAt: at,
  },
  'fulfilment.failed': {
    orderId: order.id,
    providerKey: 'warehouse',
    errorMessage: 'The address was refused',
    retryCount: 3,
  },
  'fulfilment.inventory_updated': synchronised,
  'fulfilment.product_synced': synchronised,
};
