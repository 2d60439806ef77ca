import { z } from 'zod';
import { invoiceBalance, sourceType } from '#events/invoice.fields.ts';
import { toDecimal } from '#values/money.ts';
import { idOf } from '#values/stream-name.ts';
import { currencyCode, guid, instant, money, personalText, text } from './data-fields.ts';
import { sampleAt, sampleCurrency, sampleId, sampleInvoice } from './samples.ts';
import { declareTopics } from './topic.ts';

export const invoiceTopics = declareTopics('Invoices', {
  'invoice.created': {
    displayName: 'Invoice Created',
    description: 'A sale is confirmed: paid, on account or entered by staff. Once for an invoice.',
    entityType: 'Invoice',
    schema: z.strictObject({
      ...{ id: guid, invoiceNumber: text, total: money, dateCreated: instant },
      ...{ currencyCode, source: sourceType },
    }),
    sample: {
      ...sampleInvoice,
      total: 25.92,
      dateCreated: sampleAt,
      currencyCode: sampleCurrency,
      source: 'web',
    },
    on: {
      // A sale is announced once, when it is confirmed, whenever its invoice was created.
      SaleConfirmed: ({ data: { content, invoiceNumber }, stream }) => {
        const id = idOf(stream);
        const data = {
          id,
          invoiceNumber,
          total: toDecimal(content.amounts.total, content.currency),
          dateCreated: content.createdAt,
          currencyCode: content.currency,
          source: content.source.type,
        };
        return { entityId: id, data };
      },
    },
  },
  'invoice.paid': {
    displayName: 'Invoice Paid',
    description:
      'A payment leaves nothing of an invoice to be paid, also one of nothing. Not one that comes too late or twice.',
    entityType: 'Payment',
    schema: z.strictObject({
      ...{ id: guid, invoiceId: guid, amount: money, paymentSuccess: z.literal(true) },
      ...{ paymentProviderAlias: text, invoiceNumber: text, currencyCode },
      paymentStatus: invoiceBalance.shape.paymentStatus,
    }),
    sample: {
      id: sampleId('payment'),
      invoiceId: sampleInvoice.id,
      amount: 25.92,
      paymentSuccess: true,
      paymentProviderAlias: 'manual',
      invoiceNumber: sampleInvoice.invoiceNumber,
      currencyCode: sampleCurrency,
      paymentStatus: 'Paid',
    },
    on: {
      PaymentCaptured: ({ data, stream }) => {
        const { paymentId, amount, currency, provider, invoiceNumber, balance, isLate, isSurplus } = data;
        // What comes too late or twice is owed back.
        if (balance.balanceDue > 0 || isLate || isSurplus) return null;
        const invoiceId = idOf(stream);
        return {
          entityId: invoiceId,
          data: {
            id: paymentId,
            invoiceId,
            amount: toDecimal(amount, currency),
            paymentSuccess: true as const,
            paymentProviderAlias: provider,
            invoiceNumber,
            currencyCode: currency,
            paymentStatus: balance.paymentStatus,
          },
        };
      },
    },
  },
  'invoice.refunded': {
    displayName: 'Invoice Refunded',
    description: 'A refund is done, by a provider or by hand. `refundAmount` is positive.',
    entityType: 'Payment',
    schema: z.strictObject({ id: guid, invoiceId: guid, refundAmount: money, refundReason: personalText }),
    sample: {
      id: sampleId('refund'),
      invoiceId: sampleInvoice.id,
      refundAmount: 12,
      refundReason: 'Damaged in transit',
    },
    on: {
      PaymentRefunded: ({ data: { refundId, amount, currency, reason }, stream }) => {
        const invoiceId = idOf(stream);
        const refundAmount = toDecimal(amount, currency);
        const data = { id: refundId, invoiceId, refundAmount, refundReason: reason };
        return { entityId: invoiceId, data };
      },
    },
  },
  'invoice.deleted': {
    displayName: 'Invoice Deleted',
    description: 'Staff delete an invoice.',
    entityType: 'Invoice',
    schema: z.strictObject({ id: guid, invoiceNumber: text }),
    sample: sampleInvoice,
    on: {
      InvoiceDeleted: ({ data: { invoiceNumber }, stream }) => {
        const id = idOf(stream);
        return { entityId: id, data: { id, invoiceNumber } };
      },
    },
  },
});
