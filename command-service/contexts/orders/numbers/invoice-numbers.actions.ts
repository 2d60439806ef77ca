import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { ShopStream } from '#command/engine/streams.ts';
import type { InvoiceNumberEvent } from '#events/invoice.events.ts';
import { MAX_PAGE } from '#ports/event-store.ts';
import { INVOICE_NUMBERS } from '#values/invoice-number.ts';
import { streamOf } from '#values/stream-name.ts';
import {
  invoiceNumberDecider,
  NotSearchedFarEnough,
  numberOf,
  type InvoiceNumbers as TakenNumbers,
  type TakeInvoiceNumber,
} from './invoice-number.decider.ts';

const invoiceNumberStream: ShopStream<TakenNumbers, TakeInvoiceNumber, InvoiceNumberEvent> = {
  decider: invoiceNumberDecider,
};

type Searched = { readonly number: number } | { readonly upTo: number };

/** The gapless numbers of invoices (docs/architecture.md#invoice-numbers). */
export const createInvoiceNumbers = ({ streams, store }: Pick<CommandDeps, 'streams' | 'store'>) => {
  /** The entry of an invoice after a revision, or the revision up to which there is none. */
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
    /** The latest revision that this process knows: the next number comes after it. */
    lastRevision: async (): Promise<number> =>
      (await streams.recall(invoiceNumberStream, INVOICE_NUMBERS)).revision,

    /** Takes the invoice's gapless number, or returns the one it has. It had none up to `afterRevision`. */
    take: async (invoiceId: string, afterRevision: number, meta: CommandMeta): Promise<number> => {
      let searchedUpTo = afterRevision;
      for (;;) {
        try {
          const command = { type: 'TakeInvoiceNumber', invoiceId, searchedUpTo } as const;
          const { state } = await streams.send(invoiceNumberStream, INVOICE_NUMBERS, command, meta, {
            isProcessStep: true,
          });
          const number = numberOf(state, invoiceId, searchedUpTo);
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
