import { z } from 'zod';
import { defineEvents, personal, type EventOf } from './define-events.ts';
import { address, currencyCode, day, guid, instant, minor, text } from './fields.ts';
import { invoiceBalance, invoiceContent, orderStatus } from './invoice.fields.ts';

/** What names an invoice in every event that follows its creation. */
const invoiceName = { invoiceNumber: text, businessDay: day };

const attempt = { attemptId: guid, provider: text, method: text };

const shapes = {
  InvoiceCreated: {
    placementId: guid,
    invoiceNumber: text,
    content: invoiceContent,
    balance: invoiceBalance,
    email: personal(text),
    billingAddress: personal(address),
    shippingAddress: personal(address),
  },
  /** A number that was taken for an invoice that could not be created. */
  InvoiceVoided: { ...invoiceName, placementId: guid, reason: text },
  /** Closed, unpaid, because the same basket was placed again. */
  InvoiceSuperseded: { ...invoiceName, supersededBy: guid },
  /** Closed for good without money, its number kept: `expired` when nobody paid in time. */
  InvoiceCancelled: { ...invoiceName, reason: text, cancelledAt: instant, balance: invoiceBalance },
  /** Recorded before a provider is asked to charge; the attempt id is the provider's idempotency key. */
  PaymentAttempted: {
    ...attempt,
    token: personal(text),
    tokenHash: text,
    amount: minor,
    currency: currencyCode,
    /** Who may ask the provider first: nobody else ever learns from "cannot be reached" that nothing was charged. */
    askId: guid.exactOptional(),
    attemptedAt: instant.exactOptional(),
  },
  /**
   * Recorded before anybody but the first asks, and before the first asks again: from then on "cannot be reached" says
   * nothing of what an earlier ask has charged.
   */
  PaymentAskedAgain: attempt,
  /**
   * The payer says that the money is on its way. None of it is there: goods are held until `heldUntil`, nothing is
   * shipped, and any other payment may come first.
   */
  PaymentPromised: {
    ...invoiceName,
    provider: text,
    method: text,
    amount: minor,
    currency: currencyCode,
    formData: personal(z.record(z.string(), z.string())),
    promisedAt: instant,
    heldUntil: instant,
    balance: invoiceBalance,
  },
  PaymentDeclined: { ...attempt, code: text, message: text, endedAt: instant.exactOptional() },
  /** Certainly not charged: the provider could not be reached. */
  PaymentNotAttempted: { ...attempt, reason: text, endedAt: instant.exactOptional() },
  PaymentCaptured: {
    ...invoiceName,
    attemptId: guid.nullable(),
    paymentId: guid,
    provider: text,
    method: text,
    transactionId: text,
    amount: minor,
    amountInStoreCurrency: minor,
    currency: currencyCode,
    formData: personal(z.record(z.string(), z.string())),
    paidAt: instant,
    balance: invoiceBalance,
    /** It came when the invoice was closed already: the money is owed back, nothing is sold. */
    isLate: z.literal(true).exactOptional(),
  },
  OrderStatusChanged: { orderId: guid, from: orderStatus, to: orderStatus, ...invoiceName },
  /** The sale, announced once: everything that reports and webhooks need. */
  SaleConfirmed: {
    invoiceNumber: text,
    content: invoiceContent,
    balance: invoiceBalance,
    email: personal(text),
    customerName: personal(text),
    /** The statuses of the orders by their ids, as the sale leaves them. */
    orderStatuses: z.record(guid, orderStatus),
    /** The business day of the customer's previous confirmed sale. */
    previousSaleDay: day.nullable(),
    confirmedAt: instant,
  },
};

/** Since 2 a balance says what was given back. */
const versions = {
  InvoiceCreated: 2,
  InvoiceCancelled: 2,
  PaymentPromised: 2,
  PaymentCaptured: 2,
  SaleConfirmed: 2,
};

/** Invoices with their orders and money. Stream `invoice-<invoiceId>`; the data subject is the customer. */
export const invoiceEvents = defineEvents('invoice', shapes, versions);
export type InvoiceEvent = EventOf<typeof invoiceEvents>;

/** The gapless numbers: number = 1 + revision of the entry. Stream `invoiceNumbers-<one>`. */
export const invoiceNumberEvents = defineEvents('invoiceNumbers', {
  InvoiceNumberTaken: { invoiceId: guid },
});
export type InvoiceNumberEvent = EventOf<typeof invoiceNumberEvents>;
