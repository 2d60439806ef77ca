import type { ShopStream } from '#command/engine/streams.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { InvoiceCommand } from './invoice.commands.ts';
import { invoiceContext, type InvoiceContext } from './invoice.context.ts';
import { invoiceDecider } from './invoice.decider.ts';
import type { InvoiceState } from './invoice.state.ts';

export const invoiceStream: ShopStream<InvoiceState, InvoiceCommand, InvoiceEvent, InvoiceContext> = {
  decider: invoiceDecider,
  context: (sources, _command, invoiceId) => invoiceContext(sources, invoiceId),
  begins: ({ type }) => type === 'CreateInvoice' || type === 'RequestManualOrder',
  ends: ({ type }) => type === 'ExpireInvoice' || type === 'NoteReminder',
};
