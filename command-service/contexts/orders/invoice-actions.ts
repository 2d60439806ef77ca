import type { CommandEngine, CommandMeta } from '#command/engine/command-engine.ts';
import { isoInstant, type Clock } from '#kernel/clock.ts';
import { MAX_PAGE, type EventStore } from '#ports/event-store.ts';
import { streamOf } from '#values/stream-name.ts';
import {
  INVOICE_NUMBERS,
  invoiceNumberDecider,
  NotSearchedFarEnough,
  numberOf,
} from './invoice-number.decider.ts';
import type { InvoiceCommand } from './invoice.commands.ts';
import { invoiceDecider } from './invoice.decider.ts';
import type { UnpaidLimits } from './unpaid-invoice.state.ts';

interface InvoiceActionDeps {
  readonly commands: CommandEngine;
  readonly store: EventStore;
  readonly clock: Clock;
  readonly settings: () => UnpaidLimits;
}

type Searched = { readonly number: number } | { readonly upTo: number };

/** What other contexts may ask of invoices; `main.ts` hands it to the processes that need it. */
export const createInvoiceActions = ({ commands, store, clock, settings }: InvoiceActionDeps) => {
  /** The entry of an invoice after a revision, or up to where there is none. */
  const findEntry = async (invoiceId: string, afterRevision: number): Promise<Searched> => {
    let upTo = afterRevision;
    for (;;) {
      const page = await store.readStream(streamOf.invoiceNumbers(INVOICE_NUMBERS), {
        fromRevision: upTo + 1,
      });
      for (const { data, revision } of page) {
        if ((JSON.parse(data) as { invoiceId: string }).invoiceId === invoiceId)
          return { number: revision + 1 };
        upTo = revision;
      }
      if (page.length < MAX_PAGE) return { upTo };
    }
  };

  return {
    send: (invoiceId: string, command: InvoiceCommand, meta: CommandMeta) =>
      commands.execute({
        decider: invoiceDecider,
        id: invoiceId,
        command,
        context: () => ({ now: isoInstant(clock.now()), unpaid: settings() }),
        meta,
        isProcessStep: true,
        isNewId: command.type === 'CreateInvoice',
      }),

    load: async (invoiceId: string) => (await commands.load(invoiceDecider, invoiceId)).state,

    /** The last revision of the numbers, to be recorded before one is taken. */
    lastNumberRevision: async (): Promise<number> =>
      (await commands.load(invoiceNumberDecider, INVOICE_NUMBERS)).revision,

    /** The invoice's gapless number; one that has one keeps it. None was taken up to the revision that is given. */
    takeNumber: async (invoiceId: string, afterRevision: number, meta: CommandMeta): Promise<number> => {
      let searchedUpTo = afterRevision;
      for (;;) {
        try {
          const { state } = await commands.execute({
            decider: invoiceNumberDecider,
            id: INVOICE_NUMBERS,
            command: { type: 'TakeInvoiceNumber', invoiceId, searchedUpTo },
            context: () => undefined,
            meta,
            isProcessStep: true,
          });
          const number = numberOf(state, invoiceId);
          if (number === null) throw new Error(`no number was taken for invoice ${invoiceId}`);
          return number;
        } catch (error) {
          if (!(error instanceof NotSearchedFarEnough)) throw error;
        }
        const searched = await findEntry(invoiceId, searchedUpTo);
        if ('number' in searched) return searched.number;
        searchedUpTo = searched.upTo;
      }
    },
  };
};

export type InvoiceActions = ReturnType<typeof createInvoiceActions>;
