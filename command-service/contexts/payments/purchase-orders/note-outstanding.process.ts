import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { EventOfType } from '#kernel/event.ts';
import type { Effect, Process } from '#kernel/process.ts';

type Changing = EventOfType<
  InvoiceEvent,
  'SaleConfirmed' | 'InvoiceEdited' | 'PaymentCaptured' | 'InvoiceCancelled' | 'InvoiceDeleted'
>['data'];

const opens = ({ data }: { readonly data: unknown }): Effect | null =>
  (data as Changing).isOnAccount ? 'opens' : null;

/**
 * From a change of what is owed for a confirmed sale to the customer's stream, which knows it then. Driven by the
 * settlement.
 */
export const noteOutstanding: Pick<Process<never, never>, 'name' | 'on'> = {
  name: 'note-outstanding',
  on: {
    SaleConfirmed: opens,
    InvoiceEdited: opens,
    PaymentCaptured: opens,
    InvoiceCancelled: opens,
    InvoiceDeleted: opens,
    OutstandingNoted: 'ends',
  },
};
