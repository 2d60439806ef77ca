import { invoiceEditEvents, type InvoiceEditEvent } from '#events/invoice-edit.events.ts';
import type { Decider } from '#kernel/decider.ts';
import type { EventOfType } from '#kernel/event.ts';

export type InvoiceEditBegun = EventOfType<InvoiceEditEvent, 'InvoiceEditBegun'>['data'];

/** Records what an edit is about to reserve besides its invoice. */
export interface BeginInvoiceEdit extends Omit<InvoiceEditBegun, 'begunAt'> {
  readonly type: 'BeginInvoiceEdit';
}

/** Ends an edit for which nothing is left to do. */
export interface EndInvoiceEdit {
  readonly type: 'EndInvoiceEdit';
  readonly version: number | null;
  readonly refusal: string | null;
}

export type InvoiceEditCommand = BeginInvoiceEdit | EndInvoiceEdit;

export type InvoiceEditState =
  | { readonly status: 'none' }
  | { readonly status: 'open'; readonly begun: InvoiceEditBegun }
  | { readonly status: 'ended'; readonly version: number | null; readonly refusal: string | null };

const { InvoiceEditBegun, InvoiceEditEnded } = invoiceEditEvents.create;

/** The life of an edit, from its reservations until everything has followed. */
export const invoiceEditDecider: Decider<InvoiceEditState, InvoiceEditCommand, InvoiceEditEvent, string> = {
  category: 'invoiceEdit',
  initial: () => ({ status: 'none' }),
  decide: (state, command, now) => {
    if (command.type === 'BeginInvoiceEdit') {
      const { type: _, ...begun } = command;
      return state.status === 'none' ? [InvoiceEditBegun({ ...begun, begunAt: now })] : [];
    }
    const { version, refusal } = command;
    return state.status === 'open' ? [InvoiceEditEnded({ version, refusal, endedAt: now })] : [];
  },
  on: {
    InvoiceEditBegun: (_, { data }) => ({ status: 'open', begun: data }),
    InvoiceEditEnded: (_, { data: { version, refusal } }) => ({ status: 'ended', version, refusal }),
  },
  remembersCommands: false,
};
