import { z } from 'zod';
import { personal } from './define-events.ts';
import { count, day, guid, instant, minor, text } from './fields.ts';
import { amounts, closedSale, invoiceBalance, invoiceContent, orderStatus } from './invoice.fields.ts';

/** What an edit does to the stock of a row: units that it takes on top, gives back, or takes off the shelf for good. */
export const stockChange = z.object({
  productId: guid,
  warehouseId: guid,
  reserved: count,
  released: count,
  destroyed: count,
});
export type StockChange = z.output<typeof stockChange>;

/** What a sale brings more or less than before, on its own business day; store currency. */
const difference = z.object({
  amounts,
  /** Cost of the goods. */
  cost: minor,
  /** Pieces. */
  items: z.int(),
  /** A total that is lowered lowers first what was given back. */
  returns: minor,
  /** By rule: uses and what was taken off. */
  discounts: z.array(z.object({ discountId: guid, uses: z.int(), amount: minor })),
});
export type EditDifference = z.output<typeof difference>;

/** The same of an edit by which nothing is given back. */
export const soldDifference = difference.omit({ returns: true });

/** In the stream of the invoice (docs/rules/invoice-editing.md). */
export const invoiceEditShapes = {
  /** The whole edit: everything of the invoice as it stands from now on. */
  InvoiceEdited: {
    invoiceNumber: text,
    businessDay: day,
    editId: guid,
    /** In whose name its uses of discounts stand. */
    placementId: guid,
    /** How many edits there have been. */
    version: count,
    content: invoiceContent,
    balance: invoiceBalance,
    /** What it came to before; missing in what older releases wrote. */
    totalBefore: minor.exactOptional(),
    difference,
    /** The orders that are not what they were, new ones too, and where they stand now. */
    orderStatuses: z.record(guid, orderStatus),
    /** Of a sale: those of them that are new. */
    openedOrderIds: z.array(guid).exactOptional(),
    stock: z.array(stockChange),
    /** Nothing is left to be paid, and the sale is still to be announced. */
    isPaid: z.literal(true).exactOptional(),
    /** The sale is confirmed: reports follow. */
    isOfSale: z.literal(true).exactOptional(),
    /** Of a sale, what it was before; missing in what older releases wrote. */
    saleBefore: closedSale.exactOptional(),
    /** Of a sale on account: what the customer owes changes. */
    isOnAccount: z.literal(true).exactOptional(),
    reason: personal(text),
    by: text,
    editedAt: instant,
  },
};
