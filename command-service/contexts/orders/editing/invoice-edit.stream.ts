import type { ShopStream } from '#command/engine/streams.ts';
import type { InvoiceEditEvent } from '#events/invoice-edit.events.ts';
import { isoInstant } from '#kernel/clock.ts';
import {
  invoiceEditDecider,
  type InvoiceEditCommand,
  type InvoiceEditState,
} from './invoice-edit.decider.ts';

/** One edit of an invoice, under its own id. */
export const invoiceEditStream: ShopStream<InvoiceEditState, InvoiceEditCommand, InvoiceEditEvent, string> = {
  decider: invoiceEditDecider,
  context:
    ({ clock }) =>
    () =>
      isoInstant(clock.now()),
  begins: ({ type }) => type === 'BeginInvoiceEdit',
  ends: ({ type }) => type === 'EndInvoiceEdit',
};
