import { z } from 'zod';
import { personal } from './define-events.ts';
import { count, currencyCode, guid, instant, minor, text } from './fields.ts';
import { soldDifference, stockChange } from './invoice-edit.shapes.ts';
import { invoiceContent, invoiceName, orderStatus } from './invoice.fields.ts';

/** What a rule offers: each product by the variant that is recommended. */
const offer = z.object({ upsellRuleId: guid, productIds: z.array(guid) });
export type PostPurchaseOffer = z.output<typeof offer>;

/** One try to add something to a paid order, and the key under which the browser asked for it. */
const attempt = { addId: guid, key: guid, fingerprint: guid };

/** In the stream of the invoice (docs/rules/post-purchase.md). */
export const postPurchaseShapes = {
  /** For some minutes the order can be added to; its orders wait that long. */
  PostPurchaseOpened: {
    ...invoiceName,
    /** The saved method that is offered for it. */
    provider: text,
    methodId: guid,
    offers: z.array(offer),
    /** The orders that are on hold for it, and where each goes afterwards. */
    heldOrders: z.record(guid, orderStatus),
    openedAt: instant,
    endsAt: instant,
  },
  /** Staff have put an order on hold that was on hold already: it stays so whatever comes of the offer. */
  OrderHoldTakenOver: { orderId: guid, by: text, takenOverAt: instant },
  PostPurchaseEnded: { ...invoiceName, reason: z.enum(['skipped', 'expired']), endedAt: instant },
  /** The whole plan, before any step of it: a driver that takes over does exactly this. */
  PostPurchaseAddBegun: {
    ...attempt,
    upsellRuleId: guid,
    provider: text,
    method: text,
    /** The saved method that is charged, whose it is, and its provider's own names of both. */
    saved: personal(
      z.object({
        methodId: guid,
        customerId: guid,
        providerMethodId: text,
        providerCustomerId: text.nullable(),
      }),
    ),
    /** What is charged, in the currency of the invoice. */
    amount: minor,
    currency: currencyCode,
    /** The lines that are added. */
    lineIds: z.array(guid),
    /** How many edits there were when it was priced. */
    after: count,
    content: invoiceContent,
    difference: soldDifference,
    stock: z.array(stockChange),
    changedOrderIds: z.array(guid),
    begunAt: instant,
  },
  /** Another caller may have asked the provider before: that it cannot be reached no longer says anything. */
  PostPurchaseAskedAgain: { addId: guid },
  /** Nothing was charged, and another can be tried. */
  PostPurchaseAddRefused: { addId: guid, code: text, refusedAt: instant },
  /** Paid for and on the invoice: the payment and the edit stand beside this. */
  PostPurchaseAdded: {
    ...attempt,
    ...invoiceName,
    upsellRuleId: guid,
    transactionId: text,
    amount: minor,
    lineId: guid,
    /** What the invoice comes to with it. */
    total: minor,
    addedAt: instant,
  },
  /** Nothing is added. What was charged all the same is to be given back. */
  PostPurchaseAddFailed: {
    ...attempt,
    ...invoiceName,
    code: text,
    message: text,
    /** Of a charge, or of a session or payment that has not come to an end. */
    charge: z.object({ transactionId: text, isTaken: z.boolean() }).exactOptional(),
    failedAt: instant,
  },
  /** `kept`: the provider gives nothing back; the payment is on the invoice, and owed back. */
  PostPurchaseChargeUndone: {
    addId: guid,
    transactionId: text,
    how: z.enum(['refunded', 'voided', 'kept']),
    undoneAt: instant,
  },
  /** Stock and customer have followed. */
  PostPurchaseAddSettled: { addId: guid, settledAt: instant },
};
