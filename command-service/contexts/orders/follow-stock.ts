import type { CommandMeta } from '#command/engine/command-engine.ts';
import { createInstances } from '#command/engine/run-process.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { Recorded } from '#kernel/event.ts';
import { followStock, openMoveOf, type OpenMove, type SoldOutRow } from './follow-stock.process.ts';
import { shipmentStream } from './shipment.stream.ts';

/** Whether nothing is left to be followed, so that the invoice need not be asked again. */
const wasLast = (noted: unknown): boolean => {
  const { events = [] } = (noted ?? {}) as { readonly events?: readonly Recorded<InvoiceEvent>[] };
  return events.some((event) => event.type === 'StockFollowed' && event.data.isLast);
};

/** Has the stock follow what is shipped, undone or given up (docs/rules/shipments.md#stock). */
export const createStockMoves = ({ streams, neighbours }: Pick<CommandDeps, 'streams' | 'neighbours'>) => {
  // No lease: several drivers of one instance are harmless, each row knows what has moved.
  const instances = createInstances({
    process: followStock,
    calls: {
      'pass on default': ({ stockId }: SoldOutRow, meta) => neighbours.inventory.passOn(stockId, meta),
    },
    streams,
  });

  const open = async (invoiceId: string): Promise<OpenMove | null> =>
    openMoveOf(invoiceId, (await streams.load(shipmentStream, invoiceId)).state);

  return {
    /** Every move that is still to be followed, in their order; the position that it reached. */
    resume: async (invoiceId: string, meta: CommandMeta): Promise<number> => {
      let reached = 0;
      for (;;) {
        const run = await instances.run(invoiceId, meta, () => open(invoiceId));
        if (run === null) return reached;
        reached = Math.max(reached, run.position);
        if (wasLast(run.result)) return reached;
      }
    },
    drain: () => instances.drain(),
  };
};

export type StockMoves = ReturnType<typeof createStockMoves>;
