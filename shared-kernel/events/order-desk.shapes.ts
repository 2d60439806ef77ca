import { z } from 'zod';
import { stockHold } from './checkout.events.ts';
import { personal } from './define-events.ts';
import { address, guid, instant, text } from './fields.ts';
import { invoiceContent, invoiceName, orderStatus } from './invoice.fields.ts';

/** What staff do to an invoice at the order desk, in its stream (docs/rules/manual-orders.md). */
export const orderDeskShapes = {
  /** Staff sell without a basket: everything that its steps need, before the invoice takes a number. */
  ManualOrderRequested: {
    placementId: guid,
    /** Last revision of the invoice numbers known then: a repeat looks for its own entry from here. */
    invoiceNumbersRevision: z.int(),
    content: invoiceContent,
    /** What it reserves; missing where it sells nothing that is counted. */
    holds: z.array(stockHold).exactOptional(),
    email: personal(text),
    billingAddress: personal(address),
    shippingAddress: personal(address),
  },
  /** Something of it cannot be had: there is no invoice, and what was reserved for it is given back. */
  ManualOrderRefused: {
    code: text,
    message: text,
    details: z.record(z.string(), z.unknown()),
    refusedAt: instant,
  },
  /** What a refused order had reserved has been given back. */
  ManualOrderCleared: { clearedAt: instant },
  BillingAddressChanged: { ...invoiceName, address: personal(address), by: text, changedAt: instant },
  ShippingAddressChanged: {
    ...invoiceName,
    address: personal(address),
    /** Of a sale: its orders. */
    orderStatuses: z.record(guid, orderStatus).exactOptional(),
    by: text,
    changedAt: instant,
  },
  /** Null: it has none any more. */
  PurchaseOrderNumberChanged: {
    ...invoiceName,
    purchaseOrderNumber: personal(text),
    by: text,
    changedAt: instant,
  },
  /** The key of its customer is destroyed: who bought it reads as null. */
  InvoiceForgotten: {
    ...invoiceName,
    /** Its payments and refunds. */
    paymentIds: z.array(guid),
    at: instant,
  },
};
