import type { Recorded } from '#kernel/event.ts';
import { callsOf, remember, type Process } from '#kernel/process.ts';
import { to } from '#kernel/stream.ts';
import { idOf } from '#values/stream-name.ts';
import { stockStream } from '../../inventory/stock.stream.ts';
import { stockId } from '#values/stock-id.ts';
import { isKnown, type InvoiceState, type KnownInvoice } from '../../invoices/invoice.state.ts';
import { invoiceStream } from '../../invoices/invoice.stream.ts';
import { orderOf, type StockMove } from '../../invoices/fulfilment/shipments.state.ts';

export interface OpenMove {
  readonly invoiceId: string;
  /** The holder of its reservation. */
  readonly holder: { readonly basketId: string; readonly placementId: string };
  readonly move: StockMove;
  /** Its units in each stock row of the warehouse. */
  readonly rows: readonly {
    readonly productId: string;
    readonly warehouseId: string;
    readonly quantity: number;
  }[];
}

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

/** The first pending stock move of an invoice; null if none. */
export const openMoveOf = (invoiceId: string, state: InvoiceState): OpenMove | null => {
  const [move] = isKnown(state) ? state.stockMoves : [];
  if (!isKnown(state) || !move) return null;
  const { content, placementId } = state;
  const holder = { basketId: content.basketId ?? invoiceId, placementId };
  return { invoiceId, holder, move, rows: rowsOf(state, move) };
};

export interface FollowingCalls {
  /** For a stock row whose last units of a default variant are gone. */
  readonly passOnDefault: (stockId: string) => Promise<unknown>;
}

const call = callsOf<FollowingCalls>();

const commandOf = ({ holder, move }: OpenMove, quantity: number) => {
  const { kind, moveId, isOwed } = move;
  const shipmentId = move.shipmentId ?? moveId;
  switch (kind) {
    case 'allocate':
      return { type: 'AllocateStock', ...holder, shipmentId, quantity } as const;
    case 'return':
      return { type: 'ReverseAllocation', ...holder, shipmentId, quantity, isOwed } as const;
    case 'release':
      return { type: 'ReduceReservation', ...holder, moveId, quantity } as const;
  }
};

/** Stock rows whose last units of a default variant are gone. */
const soldOut = (events: readonly Recorded[]): readonly string[] =>
  events.flatMap(({ type, stream }) => (type === 'DefaultVariantSoldOut' ? [idOf(stream)] : []));

const undone = ({ data }: { readonly data: unknown }) => {
  const { to: status, wasCancelled } = data as { to?: string; wasCancelled?: boolean };
  return status === 'Cancelled' || wasCancelled === false ? 'opens' : null;
};

/**
 * Has stock follow a shipment that is packed or undone, or an order that is given up. The invoice records it first,
 * while its reservation keeps the units. One move at a time, in order.
 */
export const followStock: Process<OpenMove, readonly string[]> = {
  name: 'follow-stock',
  on: {
    ShipmentCreated: 'opens',
    ShipmentStatusChanged: undone,
    ShipmentDeleted: undone,
    OrderStatusChanged: ({ data }) => ((data as { readonly isAlone?: true }).isAlone ? 'opens' : null),
    StockFollowed: ({ data }) => ((data as { readonly isLast: boolean }).isLast ? 'ends' : null),
  },
  takenOver: null,
  begins: () => [],
  steps: [
    {
      name: 'move the units',
      commands: (open) =>
        open.rows.map(({ productId, warehouseId, quantity }) =>
          remember(
            to(stockStream, stockId(productId, warehouseId), commandOf(open, quantity)),
            (rows, { events }) => [...rows, ...soldOut(events)],
          ),
        ),
    },
    {
      name: 'pass on defaults that have sold out',
      commands: (_, rows) => rows.map((id) => call('passOnDefault', id)),
      isTidyingUp: true,
    },
  ],
  completes: ({ invoiceId, move }) =>
    to(invoiceStream, invoiceId, { type: 'NoteFollowedStock', moveIds: [move.moveId] }),
  fails: null,
};
