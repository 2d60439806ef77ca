import type { CommandMeta } from '#command/engine/command-engine.ts';
import { createInstances } from '#command/engine/run-process.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { followStock, type OpenMove, type SoldOutRow } from './follow-stock.process.ts';
import { isKnown, type KnownInvoice } from './invoice.state.ts';
import { shipmentStream } from './shipment.stream.ts';
import { orderOf, type StockMove } from './shipments.state.ts';

const rowsOf = (invoice: KnownInvoice, { orderId, lines }: StockMove): OpenMove['rows'] => {
  const order = orderOf(invoice, orderId);
  const warehouseId = order?.warehouseId ?? null;
  if (warehouseId === null) return [];
  const units = new Map<string, number>();
  for (const { lineId, quantity } of lines) {
    const productId = order?.lines.find(({ id }) => id === lineId)?.productId;
    if (productId) units.set(productId, (units.get(productId) ?? 0) + quantity);
  }
  return [...units].map(([productId, quantity]) => ({ productId, warehouseId, quantity }));
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

  const open = async (invoiceId: string): Promise<OpenMove | null> => {
    const { state } = await streams.load(shipmentStream, invoiceId);
    const [move] = isKnown(state) ? state.stockMoves : [];
    if (!isKnown(state) || !move) return null;
    const { content, placementId } = state;
    const holder = { basketId: content.basketId ?? invoiceId, placementId };
    return { invoiceId, holder, move, rows: rowsOf(state, move) };
  };

  return {
    /** Every move that is still to be followed, in their order; the position that it reached. */
    resume: async (invoiceId: string, meta: CommandMeta): Promise<number> => {
      let reached = 0;
      for (;;) {
        const run = await instances.run(invoiceId, meta, () => open(invoiceId));
        if (run === null) return reached;
        reached = Math.max(reached, run.position);
      }
    },
    drain: () => instances.drain(),
  };
};

export type StockMoves = ReturnType<typeof createStockMoves>;
