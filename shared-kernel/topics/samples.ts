import { derivedId } from '#kernel/ids.ts';

/** The shop that all samples tell of, so that they fit together. */
export const sampleId = (name: string): string => derivedId('sample', name);

export const sampleAt = '2026-03-01T09:00:00.000Z';
export const sampleLater = '2026-03-01T09:30:00.000Z';
export const sampleEmail = 'ada@example.com';
export const sampleCurrency = 'GBP';
export const samplePrice = {
  currencyCode: sampleCurrency,
  currencySymbol: '£',
  formattedTotal: '£25.92',
};
export const sampleInvoice = { id: sampleId('invoice'), invoiceNumber: 'INV-0001' };
export const sampleOrder = { id: sampleId('order'), invoiceId: sampleInvoice.id };
export const sampleStock = { productId: sampleId('product'), warehouseId: sampleId('warehouse') };
