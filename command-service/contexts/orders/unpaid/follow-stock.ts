import type { CommandMeta } from '#command/engine/command-engine.ts';
import { createInstances, type Performs } from '#command/engine/run-process.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { InvoiceEvent } from '#events/invoice.events.ts';
import type { Recorded } from '#kernel/event.ts';
import type { EditDriver } from '../editing/edit-driver.ts';
import { isKnown } from '../../invoices/invoice.state.ts';
import { followStock, openMoveOf, type OpenMove, type FollowingCalls } from './follow-stock.process.ts';
import { isToJoinStock } from '../../invoices/post-purchase/post-purchase.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';

/** Whether this was the last move, so that the invoice need not be loaded again. */
const wasLast = (noted: unknown): boolean => {
  const { events = [] } = (noted ?? {}) as { readonly events?: readonly Recorded<InvoiceEvent>[] };
  return events.some((event) => event.type === 'StockFollowed' && event.data.isLast);
};

/** Has stock follow what is shipped, undone or given up (docs/rules/shipments.md#stock). */
export const createStockMoves = ({
  streams,
  apis,
  edits,
}: Pick<CommandDeps, 'streams' | 'apis'> & { readonly edits: Pick<EditDriver, 'settle'> }) => {
  // No lease: concurrent drivers of one instance are harmless, as each stock row knows what has moved.
  const calls: Performs<FollowingCalls> = {
    passOnDefault: (stockId, meta) => apis.inventory.passOn(stockId, meta),
  };
  const instances = createInstances({ process: followStock, calls, streams });

  /** Also null while the units of an edit or an add must join first; the runner comes back. */
  const open = async (invoiceId: string, meta: CommandMeta): Promise<OpenMove | null> => {
    const { state } = await streams.load(invoiceStream, invoiceId);
    const move = openMoveOf(invoiceId, state);
    if (move === null || !isKnown(state) || isToJoinStock(state)) return null;
    return (await edits.settle(state.editIds, meta)) ? move : null;
  };

  return {
    /** Follows every pending move in order. Returns the position reached. */
    resume: async (invoiceId: string, meta: CommandMeta): Promise<number> => {
      let reached = 0;
      for (;;) {
        const run = await instances.run(invoiceId, meta, (stepsMeta) => open(invoiceId, stepsMeta));
        if (run === null) return reached;
        reached = Math.max(reached, run.position);
        if (wasLast(run.result)) return reached;
      }
    },
    drain: () => instances.drain(),
  };
};

export type StockMoves = ReturnType<typeof createStockMoves>;
