import type { DiscountUsageEvent } from '#events/discount-usage.events.ts';
import { idOf } from '#values/stream-name.ts';
import { customerUsageId } from '../discount-usage.commands.ts';
import type { UsesSoFar } from './reprice.ts';

/** What an order used of rules, as it was recorded and as it is recomputed. */
export interface OrderUses {
  readonly customerId: string | null;
  readonly recorded: ReadonlySet<string>;
  readonly recomputed: ReadonlySet<string>;
}

/** By how much the recomputed uses of an order differ from the recorded ones, by rule or counter of a customer. */
export type UseShifts = readonly {
  readonly counts: 'inAll' | 'byCustomer';
  readonly key: string;
  readonly by: number;
}[];

export const noShifts: UseShifts = [];

type Counted = Pick<DiscountUsageEvent, 'data'> & { readonly stream: string };

/**
 * The uses that the log has counted so far, and by how many the recomputed ones differ from them. Reference state
 * counts those of all customers together; here are those of each, where they are limited.
 */
export const createUseCounts = (isLimitedPerCustomer: (discountId: string) => boolean) => {
  /** By the stream in which the uses of one customer are counted. */
  const counted = new Map<string, number>();
  const shifted = { inAll: new Map<string, number>(), byCustomer: new Map<string, number>() };
  const move = (shifts: UseShifts, direction: 1 | -1): void => {
    for (const { counts, key, by } of shifts) {
      const shift = (shifted[counts].get(key) ?? 0) + by * direction;
      if (shift === 0) shifted[counts].delete(key);
      else shifted[counts].set(key, shift);
    }
  };
  const shiftsOf = ({ customerId, recorded, recomputed }: OrderUses): UseShifts => {
    const shift = (discountId: string, by: number): UseShifts => [
      { counts: 'inAll', key: discountId, by },
      ...(customerId !== null && isLimitedPerCustomer(discountId)
        ? [{ counts: 'byCustomer' as const, key: customerUsageId(discountId, customerId), by }]
        : []),
    ];
    return [
      ...[...recomputed].filter((id) => !recorded.has(id)).flatMap((id) => shift(id, 1)),
      ...[...recorded].filter((id) => !recomputed.has(id)).flatMap((id) => shift(id, -1)),
    ];
  };
  const ofCustomer = (discountId: string, customerId: string | null, isShifted: boolean): number => {
    if (customerId === null) return 0;
    const counter = customerUsageId(discountId, customerId);
    return (counted.get(counter) ?? 0) + (isShifted ? (shifted.byCustomer.get(counter) ?? 0) : 0);
  };
  const asRecorded: UsesSoFar = {
    inAll: ({ uses }) => uses,
    byCustomer: (id, customerId) => ofCustomer(id, customerId, false),
  };
  const asRecomputed: UsesSoFar = {
    inAll: ({ id, uses }) => uses + (shifted.inAll.get(id) ?? 0),
    byCustomer: (id, customerId) => ofCustomer(id, customerId, true),
  };
  return {
    asRecorded,
    asRecomputed,
    count: ({ stream, data: { discountId, uses } }: Counted): void => {
      const counter = idOf(stream);
      if (counter !== discountId) counted.set(counter, uses);
    },
    /** An order that is placed has its uses from then on … */
    claim: (uses: OrderUses): UseShifts => {
      const shifts = shiftsOf(uses);
      move(shifts, 1);
      return shifts;
    },
    /** … until it is closed, or another takes its place. */
    giveBack: (shifts: UseShifts): void => move(shifts, -1),
    restore: (shifts: UseShifts): void => move(shifts, 1),
  };
};
