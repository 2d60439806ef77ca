import { invoiceNumberEvents, type InvoiceNumberEvent } from '#events/invoice.events.ts';
import type { Decider } from '#kernel/decider.ts';
import { derivedId } from '#kernel/ids.ts';

/** Takes the next number for an invoice. */
export interface TakeInvoiceNumber {
  readonly type: 'TakeInvoiceNumber';
  readonly invoiceId: string;
}

/** The one stream of invoice numbers. */
export const INVOICE_NUMBERS = derivedId('invoice-numbers');

/**
 * Gapless numbers: an entry's number is 1 + its revision. There is no state that could grow; a repeat looks for its own
 * entry from the revision that its placement recorded (architecture, section 3).
 */
export const invoiceNumberDecider: Decider<null, TakeInvoiceNumber, InvoiceNumberEvent> = {
  category: 'invoiceNumbers',
  initial: () => null,
  decide: (_, { invoiceId }) => [invoiceNumberEvents.create.InvoiceNumberTaken({ invoiceId })],
  evolve: () => null,
  remembersCommands: false,
};
