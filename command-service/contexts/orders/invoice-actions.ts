import type { CommandEngine, CommandMeta } from '#command/engine/command-engine.ts';
import { isoInstant, type Clock } from '#kernel/clock.ts';
import { MAX_PAGE, type EventStore } from '#ports/event-store.ts';
import { streamOf } from '#values/stream-name.ts';
import { INVOICE_NUMBERS, invoiceNumberDecider } from './invoice-number.decider.ts';
import type { InvoiceCommand } from './invoice.commands.ts';
import { invoiceDecider } from './invoice.decider.ts';

interface InvoiceActionDeps {
  readonly commands: CommandEngine;
  readonly store: EventStore;
  readonly clock: Clock;
}

/** What other contexts may ask of invoices; `main.ts` hands it to the processes that need it. */
export const createInvoiceActions = ({ commands, store, clock }: InvoiceActionDeps) => {
  /** The entry of an invoice after a revision: found only when an earlier run has taken its number. */
  const findEntry = async (invoiceId: string, afterRevision: number): Promise<number | null> => {
    for (let from = afterRevision + 1; ; from += MAX_PAGE) {
      const page = await store.readStream(streamOf.invoiceNumbers(INVOICE_NUMBERS), { fromRevision: from });
      for (const { data, revision } of page) {
        if ((JSON.parse(data) as { invoiceId: string }).invoiceId === invoiceId) return revision;
      }
      if (page.length < MAX_PAGE) return null;
    }
  };

  return {
    send: (invoiceId: string, command: InvoiceCommand, meta: CommandMeta) =>
      commands.execute({
        decider: invoiceDecider,
        id: invoiceId,
        command,
        context: () => ({ now: isoInstant(clock.now()) }),
        meta,
        isProcessStep: true,
      }),

    load: async (invoiceId: string) => (await commands.load(invoiceDecider, invoiceId)).state,

    /** The last revision of the numbers, to be recorded before one is taken. */
    lastNumberRevision: async (): Promise<number> =>
      (await commands.load(invoiceNumberDecider, INVOICE_NUMBERS)).revision,

    /** The invoice's gapless number. A repeat looks for its own entry after the revision that was recorded. */
    takeNumber: async (
      invoiceId: string,
      afterRevision: number,
      isRepeat: boolean,
      meta: CommandMeta,
    ): Promise<number> => {
      const found = isRepeat ? await findEntry(invoiceId, afterRevision) : null;
      if (found !== null) return found + 1;
      const taken = await commands.execute({
        decider: invoiceNumberDecider,
        id: INVOICE_NUMBERS,
        command: { type: 'TakeInvoiceNumber', invoiceId },
        context: () => undefined,
        meta,
        isProcessStep: true,
      });
      const entry = taken.events[0];
      if (!entry) throw new Error(`no number was taken for invoice ${invoiceId}`);
      return entry.revision + 1;
    },
  };
};

export type InvoiceActions = ReturnType<typeof createInvoiceActions>;
