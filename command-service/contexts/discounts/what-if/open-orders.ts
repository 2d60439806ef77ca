import type { OrderFigures } from './sales-compared.ts';
import type { Difference } from './self-check.ts';
import { noShifts, type createUseCounts, type UseShifts } from './use-counts.ts';

/** An order that is not paid yet. */
export interface OpenOrder {
  readonly recorded: OrderFigures;
  readonly recomputed: OrderFigures;
  readonly difference: Difference | null;
  readonly shifts: UseShifts;
  /** The order that it takes the place of. */
  readonly instead: string | null;
  readonly isEdited: boolean;
}

/** Orders between their placement and the end of it, and the uses that they would have had. */
export const createOpenOrders = (counts: ReturnType<typeof createUseCounts>) => {
  const open = new Map<string, OpenOrder>();
  /** Uses of sales that are going to be cancelled. */
  const kept = new Map<string, UseShifts>();
  const close = (invoiceId: string): void => {
    counts.giveBack(open.get(invoiceId)?.shifts ?? kept.get(invoiceId) ?? noShifts);
    open.delete(invoiceId);
    kept.delete(invoiceId);
  };
  return {
    put: (invoiceId: string, order: OpenOrder): void => void open.set(invoiceId, order),
    close,
    /** Gives the uses of an older order to the one that takes its place. */
    replace: (invoiceId: string | null): void =>
      counts.giveBack((invoiceId === null ? undefined : open.get(invoiceId))?.shifts ?? noShifts),
    /** The older order stands after all, with its uses, where its holds are kept. */
    fail: (invoiceId: string, keepsHolds: boolean): void => {
      const instead = open.get(invoiceId)?.instead ?? null;
      close(invoiceId);
      const older = instead === null ? undefined : open.get(instead);
      if (keepsHolds && older !== undefined) counts.restore(older.shifts);
    },
    /** Its uses have gone to the order that takes its place. */
    supersede: (invoiceId: string): void => void open.delete(invoiceId),
    edit: (invoiceId: string): void => {
      const order = open.get(invoiceId);
      if (order) open.set(invoiceId, { ...order, isEdited: true });
    },
    /** Returns the order, whose uses stay. */
    sell: (invoiceId: string, isCancelledLater: boolean): OpenOrder | undefined => {
      const order = open.get(invoiceId);
      if (isCancelledLater && order && order.shifts.length > 0) kept.set(invoiceId, order.shifts);
      open.delete(invoiceId);
      return order;
    },
  };
};
