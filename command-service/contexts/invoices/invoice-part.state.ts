import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType } from '#kernel/event.ts';

export type InvoiceEventOf<Type extends InvoiceEvent['type']> = EventOfType<InvoiceEvent, Type>;

/**
 * How one part of an invoice folds events: the fields that change. `Read` is what the part looks at. Every part sees
 * the invoice as it was before the event.
 */
export type Part<Fields, Read = Fields> = {
  readonly [Type in InvoiceEvent['type']]?: (invoice: Read, event: InvoiceEventOf<Type>) => Partial<Fields>;
};
