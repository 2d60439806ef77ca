import { z } from 'zod';
import { defineEvents, personal, repeated, type EventOf } from './define-events.ts';
import { address, count, currencyCode, day, decimalText, guid, instant, minor, text } from './fields.ts';
import { authorizationShapes } from './authorization.shapes.ts';
import { reminderShapes } from './reminder.shapes.ts';
import { downloadShapes } from './download.shapes.ts';
import { disputeShapes } from './dispute.shapes.ts';
import { fulfilmentShapes } from './fulfilment.shapes.ts';
import { invoiceEditShapes } from './invoice-edit.shapes.ts';
import {
  closedSale,
  invoiceBalance,
  invoiceContent,
  invoiceName,
  laterSourceType,
  orderStatus,
  paymentPages,
  risk,
} from './invoice.fields.ts';
import { postPurchaseShapes } from './post-purchase.shapes.ts';
import { refundShapes } from './refund.shapes.ts';
import { orderDeskShapes } from './order-desk.shapes.ts';
import { shipmentShapes } from './shipment.shapes.ts';
import { shownUpsell, upsellShapes } from './upsell.shapes.ts';

/** `intent`: a form at the shop that pays by itself; `threeD`: the payer's bank. */
const saveFor = z.object({ customerId: guid, setAsDefault: z.boolean() });

/** Who wants a method kept, as the provider is told, and the address from which they agreed to it. */
const payer = z.object({
  email: text,
  name: text,
  providerCustomerId: text.nullable(),
  ipAddress: text.nullable(),
});

const sessionKind = z.enum(['redirect', 'widget', 'threeD', 'intent']);
export type PaymentSessionKind = z.output<typeof sessionKind>;

const attempt = { attemptId: guid, provider: text, method: text };

/** A payment that failed and that no attempt of the shop stands for, as it is listed. */
const failedPayment = z.object({ paymentId: guid, amount: minor, currency: currencyCode });

const shapes = {
  ...orderDeskShapes,
  ...reminderShapes,
  InvoiceCreated: {
    placementId: guid,
    invoiceNumber: text,
    content: invoiceContent,
    balance: invoiceBalance,
    email: personal(text),
    billingAddress: personal(address),
    shippingAddress: personal(address),
    /** What its basket was shown by upsell rules; missing where that is nothing. */
    shownUpsells: z.array(shownUpsell).exactOptional(),
  },
  /** A number that was taken for an invoice that could not be created. */
  InvoiceVoided: { ...invoiceName, placementId: guid, reason: text },
  /** Closed, unpaid, because the same basket was placed again. */
  InvoiceSuperseded: {
    ...invoiceName,
    supersededBy: guid,
    /** It was edited, and holds what the next one does not take over. */
    isEdited: z.literal(true).exactOptional(),
  },
  /** Closed for good without money, its number kept: by staff, or because it was not paid in time. */
  InvoiceCancelled: {
    ...invoiceName,
    /** What staff say; null where it expired. Personal since version 3. */
    reason: personal(text),
    cancelledAt: instant,
    balance: invoiceBalance,
    /** Of a sale on account: its customer owes nothing for it any more. */
    isOnAccount: z.literal(true).exactOptional(),
    /** Who cancelled it; missing where it expired. */
    cancelledBy: text.exactOptional(),
    /** The orders that are cancelled with it. */
    orderIds: z.array(guid).exactOptional(),
    /** Of a confirmed sale. */
    sale: closedSale.exactOptional(),
  },
  /** Taken out of everything but the log. */
  InvoiceDeleted: {
    ...invoiceName,
    deletedBy: text,
    deletedAt: instant,
    balance: invoiceBalance,
    /** The orders whose goods go back on the shelf. */
    orderIds: z.array(guid),
    /** Payments and refunds. */
    paymentIds: z.array(guid),
    wasCancelled: z.boolean(),
    /** The business days on which orders of it were completed that still are; none in version 1. */
    completedDays: z.array(day),
    sourceType: laterSourceType,
    sale: closedSale.exactOptional(),
    isOnAccount: z.literal(true).exactOptional(),
  },
  /** Everything that a cancelled or deleted invoice held has been given back. */
  InvoiceCleared: { clearedAt: instant },
  /** Recorded before a provider is asked to charge; the attempt id is the provider's idempotency key. */
  PaymentAttempted: {
    ...attempt,
    /** Null once forgotten, and where a saved method is charged. */
    token: personal(text),
    tokenHash: text,
    /** The saved method that is charged, whose it is, and its provider's own names of both. */
    saved: personal(
      z.object({
        methodId: guid,
        customerId: guid,
        providerMethodId: text,
        providerCustomerId: text.nullable(),
      }),
    ).exactOptional(),
    /** The provider is to keep the method for this customer. */
    saveFor: saveFor.exactOptional(),
    payer: personal(payer).exactOptional(),
    /** Where the shop was then: asked again under its key, the provider is told the same. */
    ownAddress: text.exactOptional(),
    /** Where the shopper goes on, where this request says so: the others go where the invoice's do. */
    pages: paymentPages.exactOptional(),
    amount: minor,
    currency: currencyCode,
    /**
     * Who may ask the provider first: no other caller may conclude from "cannot be reached" that nothing was charged.
     */
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
  /** Where the payer continues elsewhere: it blocks no other payment, and costs nothing until it is paid in. */
  PaymentSessionOpened: {
    ...invoiceName,
    sessionId: text,
    provider: text,
    method: text,
    kind: sessionKind,
    amount: minor,
    currency: currencyCode,
    /** The pages that the shopper goes on to afterwards; null: the shop's own. */
    returnUrl: text.nullable(),
    cancelUrl: text.nullable(),
    openedAt: instant,
    balance: invoiceBalance,
    /** The charge that became it, because the payer's bank wants to see them first; it has ended. */
    attemptId: guid.exactOptional(),
    /** Where that charge sends the payer. */
    redirectUrl: text.exactOptional(),
    /** With which the provider's script goes on, where there is no page to send them to. */
    clientSecret: personal(text).exactOptional(),
    /** The provider is to keep the method for this customer. */
    saveFor: saveFor.exactOptional(),
    payer: personal(payer).exactOptional(),
  },
  /** The shopper pays an invoice that is there already, and is to go on elsewhere than was said before. */
  PaymentPagesChosen: { ...invoiceName, ...paymentPages.shape, chosenAt: instant },
  PaymentSessionClosed: {
    sessionId: text,
    provider: text,
    method: text,
    /** `voided`: no longer needed; the provider is told afterwards. */
    reason: z.enum(['cancelled', 'voided', 'declined', 'paid']),
    message: text.exactOptional(),
    closedAt: instant,
    /** The provider owed its outcome, which has come. */
    endsPending: z.literal(true).exactOptional(),
    /** The charge that had become it. */
    attemptId: guid.exactOptional(),
    failed: failedPayment.exactOptional(),
  },
  /** Their providers have been told of sessions that were closed as `voided`. */
  PaymentSessionsVoided: { sessionIds: z.array(text), isLast: z.boolean() },
  /** The provider owes the outcome: no other attempt until it is there. It is looked up, not asked for by its key. */
  PaymentPending: {
    provider: text,
    method: text,
    transactionId: text,
    /** The charge that it came of, which has ended; null for a session. */
    attemptId: guid.nullable(),
    sessionId: text.nullable(),
    amount: minor,
    currency: currencyCode,
    pendingSince: instant,
    /** The provider is to keep the method for this customer. */
    saveFor: saveFor.exactOptional(),
    payer: personal(payer).exactOptional(),
  },
  /** The provider says that an attempt was charged, and its money was on record before: by a callback, say. */
  PaymentAttemptMatched: { ...attempt, transactionId: text },
  /** On account: asked for, before the customer's credit is claimed. Until it ends nothing else is paid. */
  PurchaseOrderRequested: {
    ...invoiceName,
    requestId: guid,
    purchaseOrderNumber: personal(text),
    amount: minor,
    amountInStoreCurrency: minor,
    currency: currencyCode,
    requestedAt: instant,
  },
  /** Sold on account: no money is there, and none bars the way of any. */
  PurchaseOrderAccepted: {
    ...invoiceName,
    requestId: guid,
    purchaseOrderNumber: personal(text),
    /** Null where the customer's terms name no days. */
    dueDate: instant.nullable(),
    balance: invoiceBalance,
    acceptedAt: instant,
  },
  PurchaseOrderRefused: { requestId: guid, code: text, message: text, refusedAt: instant },
  /** The customer's stream knows what this sale on account still has to bring in. Store currency. */
  OutstandingNoted: { amount: minor },
  /** No money came of it. An `attemptId` of null: nothing that the shop had begun. */
  PaymentDeclined: {
    attemptId: guid.nullable(),
    provider: text,
    method: text,
    code: text,
    message: text,
    endedAt: instant.exactOptional(),
    /** As the provider calls it, where it has said so of its own accord. */
    transactionId: text.exactOptional(),
    /** The provider owed its outcome, which has come. */
    endsPending: z.literal(true).exactOptional(),
    failed: failedPayment.exactOptional(),
  },
  /** Certainly not charged: the provider could not be reached. */
  PaymentNotAttempted: { ...attempt, reason: text, endedAt: instant.exactOptional() },
  ...authorizationShapes,
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
    /** The invoice was paid already: the money is owed back. */
    isSurplus: z.literal(true).exactOptional(),
    /** The sale was announced before. */
    isSold: z.literal(true).exactOptional(),
    /** The session that it was paid in. */
    sessionId: text.exactOptional(),
    /** The method that was saved with it. */
    keptMethodId: guid.exactOptional(),
    /** What the provider said of it, where it told the shop of its own accord. */
    webhookEventId: text.exactOptional(),
    risk: risk.exactOptional(),
    settlement: z
      .object({ currency: currencyCode, amountMinor: minor, exchangeRate: decimalText.nullable() })
      .exactOptional(),
    /** Of a sale that was announced, and that its customer owed: what the customer owes changes. */
    isOnAccount: z.literal(true).exactOptional(),
    /** Of money that had been authorised: asks to capture or to void that are still under way. */
    asksLeft: count.exactOptional(),
  },
  /** How risky the provider takes a payment to be that is on record: what it said before counts no more. */
  PaymentRiskAssessed: { paymentId: guid, provider: text, transactionId: text, risk, assessedAt: instant },
  ...refundShapes,
  /** For people: what no other event of the invoice says. */
  InvoiceNoted: {
    noteId: guid,
    text: personal(text),
    isVisibleToCustomer: z.boolean(),
    author: text,
    /** Of the member of staff who wrote it. */
    authorId: text.exactOptional(),
    notedAt: instant,
  },
  ...disputeShapes,
  OrderStatusChanged: {
    orderId: guid,
    from: orderStatus,
    to: orderStatus,
    ...invoiceName,
    /** What people or providers say. */
    reason: personal(text).exactOptional(),
    /** The business day on which it moved; missing in what older releases wrote. */
    changedDay: day.exactOptional(),
    /** Of an order that leaves Completed: the business day on which it had been completed. */
    completedDay: day.exactOptional(),
    sourceType: laterSourceType,
    /** It is cancelled apart from its invoice: what it has reserved is given back. */
    isAlone: z.literal(true).exactOptional(),
    /** Its invoice expired or was superseded: nobody has been told of the order, and nobody is. */
    isSilent: z.literal(true).exactOptional(),
    /** On hold by word of its provider, which may let it go again; what anybody else holds it may not. */
    isHeldByProvider: z.literal(true).exactOptional(),
  },
  ...shipmentShapes,
  ...fulfilmentShapes,
  ...invoiceEditShapes,
  ...downloadShapes,
  ...upsellShapes,
  ...postPurchaseShapes,
  /** The sale, announced once: everything that reports and webhooks need. */
  SaleConfirmed: {
    invoiceNumber: text,
    /** As the invoice was made, unless it has been edited since. */
    content: repeated('InvoiceCreated', invoiceContent),
    balance: invoiceBalance,
    email: personal(text),
    customerName: personal(text),
    /** The statuses of the orders by their ids, as the sale leaves them. */
    orderStatuses: z.record(guid, orderStatus),
    /** Where it was billed to; missing where that is not known, and in what older releases wrote. */
    countryCode: text.exactOptional(),
    /** What was given back before the sale was confirmed, in the store's currency. */
    returns: minor.exactOptional(),
    /** Confirmed before it is paid, and no credit was claimed for it: its customer's stream is to be told. */
    isOnAccount: z.literal(true).exactOptional(),
    confirmedAt: instant,
  },
};

/**
 * Since 2 a balance says what was given back; several personal fields are sealed as one. In the last versions of what
 * names the customer of a sale, it may have none.
 */
const versions = {
  ManualOrderRequested: 2,
  InvoiceCreated: 4,
  InvoiceCancelled: 3,
  InvoiceDeleted: 2,
  PaymentPromised: 2,
  PaymentCaptured: 2,
  PaymentAttempted: 2,
  SaleConfirmed: 5,
  InvoiceEdited: 2,
  UpsellConverted: 2,
};

/**
 * Invoices with their orders and money. Stream `invoice-<invoiceId>`; the data subject is the customer, the basket
 * where there is none.
 */
export const invoiceEvents = defineEvents('invoice', shapes, versions);
export type InvoiceEvent = EventOf<typeof invoiceEvents>;

/** The gapless numbers: number = 1 + revision of the entry. Stream `invoiceNumbers-<one>`. */
export const invoiceNumberEvents = defineEvents('invoiceNumbers', {
  InvoiceNumberTaken: { invoiceId: guid },
});
export type InvoiceNumberEvent = EventOf<typeof invoiceNumberEvents>;
