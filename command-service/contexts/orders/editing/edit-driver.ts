import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { ModuleDeps } from '#command/engine/module.ts';
import { createInstances, type Performs } from '#command/engine/run-process.ts';
import { Rejection } from '#kernel/rejection.ts';
import { editedMeanwhile } from '../../invoices/order-desk/edit-invoice.state.ts';
import {
  editedSale,
  editInvoiceProcess,
  type EditCalls,
  type OpenInvoiceEdit,
} from './edit-invoice.process.ts';
import type { EditInvoice } from '../../invoices/invoice.commands.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';
import type { InvoiceEditBegun } from './invoice-edit.decider.ts';
import { invoiceEditStream } from './invoice-edit.stream.ts';

/** Drives edits, one driver at a time each: the request that makes one, or the runner after a crash. */
export const createEditDriver = ({ streams, runAlone }: Pick<ModuleDeps, 'streams' | 'runAlone'>) => {
  const isClosed: Performs<EditCalls>['isClosed'] = async (invoiceId) =>
    (await streams.load(invoiceStream, invoiceId)).state.status !== 'open';
  const instances = createInstances({ process: editInvoiceProcess, calls: { isClosed }, streams, runAlone });

  const open = async (editId: string): Promise<OpenInvoiceEdit | null> => {
    const { state } = await streams.load(invoiceEditStream, editId);
    if (state.status !== 'open') return null;
    const invoice = (await streams.load(invoiceStream, state.begun.invoiceId)).state;
    return { ...state.begun, editId, command: null, edited: editedSale(invoice, editId) };
  };

  const isOpen = async (editId: string): Promise<boolean> =>
    (await streams.load(invoiceEditStream, editId)).state.status === 'open';

  const resume = async (editId: string, meta: CommandMeta): Promise<void> => {
    await instances.run(editId, meta, () => open(editId));
  };

  return {
    /** Reserves, edits, and has everything follow. Errors: those of `EditInvoice` and of its reservations. */
    make: async (
      editId: string,
      begun: Omit<InvoiceEditBegun, 'begunAt'>,
      command: EditInvoice,
      meta: CommandMeta,
    ): Promise<number> => {
      const begin = { type: 'BeginInvoiceEdit', ...begun } as const;
      const { state } = await streams.send(invoiceEditStream, editId, begin, meta);
      const opening = state.status === 'open' ? { ...state.begun, editId, command, edited: null } : null;
      const run = await instances.run(editId, meta, () => Promise.resolve(opening));
      if (run === null) throw editedMeanwhile(command.after);
      if (run.refusal) throw new Rejection(run.refusal.code, run.refusal.message, run.refusal.details);
      return run.position;
    },
    wasRefused: async (editId: string): Promise<boolean> => {
      const { state } = await streams.load(invoiceEditStream, editId);
      return state.status === 'ended' && state.refusal !== null;
    },
    resume,
    /** Finishes those still under way; false if another process drives one. */
    settle: async (editIds: readonly string[], meta: CommandMeta): Promise<boolean> => {
      for (const editId of editIds) {
        if (await isOpen(editId)) await resume(editId, meta);
        if (await isOpen(editId)) return false;
      }
      return true;
    },
    drain: () => instances.drain(),
  };
};

export type EditDriver = ReturnType<typeof createEditDriver>;
