import { z } from 'zod';
import { defineEvents, type EventOf } from './define-events.ts';
import { count, guid, instant, minor, text } from './fields.ts';
import { stockChange } from './invoice-edit.shapes.ts';

/** A discount with a limit, and where its uses are counted. */
const limitedDiscount = { discountId: guid, perCustomer: z.boolean() };

/**
 * What an edit takes beside its invoice, so that nothing of it stays behind. Stream `invoiceEdit-<editId>`; the edit
 * itself is `InvoiceEdited` in the invoice's stream.
 */
export const invoiceEditEvents = defineEvents(
  'invoiceEdit',
  {
    InvoiceEditBegun: {
      invoiceId: guid,
      /** Null where the sale has none. */
      customerId: guid.nullable(),
      /** Whose reservations and uses the invoice's are. */
      basketId: guid,
      placementId: guid,
      stock: z.array(stockChange),
      /** Uses that it claims, in its own name. Store currency. */
      claims: z.array(z.object({ ...limitedDiscount, amount: minor })),
      /** Uses that it gives back, and in whose name they stand: of the order, or of the edit that claimed them. */
      givenUp: z.array(z.object({ ...limitedDiscount, basketId: guid, placementId: guid })),
      begunAt: instant,
    },
    /** Nothing is left to do for it. `refusal`: nothing came of it, and what it held is given back. */
    InvoiceEditEnded: { version: count.nullable(), refusal: text.nullable(), endedAt: instant },
  },
  { InvoiceEditBegun: 2 },
);
export type InvoiceEditEvent = EventOf<typeof invoiceEditEvents>;
