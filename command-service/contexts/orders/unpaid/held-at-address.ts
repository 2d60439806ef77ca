import type { StockHold } from '#events/checkout.events.ts';
import type { ChunkedEntries } from '#reference/chunked-entries.ts';
import type { Goods, HeldElsewhere } from '../../invoices/invoice.commands.ts';

/** How long an address may place nothing large after leaving something unpaid (docs/rules/checkout.md#large-orders). */
const REST_MILLISECONDS = 60 * 60_000;

const rowOf = ({ productId, warehouseId }: Pick<StockHold, 'productId' | 'warehouseId'>): string =>
  `${productId} ${warehouseId}`;

const unitsIn = (goods: Goods): number => goods.reduce((sum, { quantity }) => sum + quantity, 0);

const RESTING = 'resting ';

export const isRest = (key: string): boolean => key.startsWith(RESTING);

/** Addresses that left something large unpaid, and until when each rests; kept among `lines` for a restart. */
export const createRests = (lines: Pick<ChunkedEntries<string>, 'set' | 'delete'>) => {
  const until = new Map<string, number>();
  const set = (address: string, instant: number): void => {
    until.delete(address);
    until.set(address, instant);
    lines.set(`${RESTING}${address}`, String(instant));
  };
  const end = (address: string): void => {
    until.delete(address);
    lines.delete(`${RESTING}${address}`);
  };
  return {
    begin: (address: string, endedAt: number): void => set(address, endedAt + REST_MILLISECONDS),
    restore: (key: string, line: string): void => set(key.slice(RESTING.length), Number(line)),
    until: (address: string): number | null => until.get(address) ?? null,
    /** Forgets rests that are over; they are in the log's order, so the oldest come first. */
    wake: (now: number): void => {
      for (const [address, instant] of until) {
        if (instant > now) return;
        end(address);
      }
    },
    clear: (): void => {
      for (const address of [...until.keys()]) end(address);
    },
  };
};

export const heldElsewhere = (
  holds: readonly (readonly StockHold[])[],
  expected: readonly Goods[],
  { restsUntil, replacedEndsAt }: Pick<HeldElsewhere, 'restsUntil' | 'replacedEndsAt'>,
): HeldElsewhere => {
  const rows = new Map<string, number>();
  for (const hold of holds.flat()) rows.set(rowOf(hold), (rows.get(rowOf(hold)) ?? 0) + hold.quantity);
  const coming = expected.flat();
  return {
    units: [...rows.values()].reduce((sum, units) => sum + units, 0) + unitsIn(coming),
    unitsOf: (row) =>
      (rows.get(rowOf(row)) ?? 0) + unitsIn(coming.filter(({ productId }) => productId === row.productId)),
    restsUntil,
    replacedEndsAt,
  };
};
