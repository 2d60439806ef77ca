import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { Recorded } from '#kernel/event.ts';
import { projection, remove, type Document } from '#kernel/projection.ts';
import { idOf } from '#values/stream-name.ts';
import { forgottenNotes, notedEvents, noteOf, notesPartOf } from './order-notes.ts';
import type { OrderNote } from './order.document.ts';

/** Notes of an order that has seen so much that they do not all stand with it. */
export interface OrderNotesDocument extends Document {
  readonly notes: readonly OrderNote[];
}

export const notesKey = (orderId: string, part: number): string => `${orderId}/${part}`;

const keysOf = (event: Recorded<InvoiceEvent>): readonly string[] => {
  const orderId = idOf(event.stream);
  const part = notesPartOf(event);
  if (event.type === 'InvoiceDeleted' || event.type === 'InvoiceForgotten')
    return Array.from({ length: part }, (_, before) => notesKey(orderId, before + 1));
  return part === 0 ? [] : [notesKey(orderId, part)];
};

const noted = (
  document: OrderNotesDocument | null,
  event: Recorded<InvoiceEvent>,
  key: string,
): OrderNotesDocument | null => {
  const note = noteOf(event, null);
  return note ? { _id: key, notes: [...(document?.notes ?? []), note] } : document;
};

/** The later notes of orders, part by part; hardly an order has any here (docs/rules/orders.md#notes). */
export const orderNotesProjection = projection<InvoiceEvent>()<OrderNotesDocument>({
  name: 'order-notes',
  version: 3,
  indexes: [],
  keys: keysOf,
  on: {
    ...Object.fromEntries(notedEvents.map((type) => [type, noted])),
    InvoiceDeleted: () => remove,
    InvoiceForgotten: (document) => document && { ...document, notes: forgottenNotes(document.notes) },
  },
});
