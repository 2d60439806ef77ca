import type { RankedFigure } from '#contracts/top.contract.ts';
import { netSalesOf } from './reporting.queries.ts';
import type { MemberSums } from './sold-changes.ts';

export const rankedFigure: Readonly<Record<RankedFigure, (sums: MemberSums) => number>> = {
  sales: ({ sales }) => sales,
  grossSales: ({ grossSales }) => grossSales,
  netSales: netSalesOf,
  discounts: ({ discounts }) => discounts,
  returns: ({ returns }) => returns,
  orders: ({ orders }) => orders,
  items: ({ items }) => items,
};

export const unitOf = (figure: RankedFigure): 'amount' | 'count' =>
  figure === 'orders' || figure === 'items' ? 'count' : 'amount';

export interface Ranked {
  readonly id: string;
  readonly value: number;
}

/** More comes first; what is equal goes by id. */
const isBefore = (one: Ranked, other: Ranked): boolean =>
  one.value === other.value ? one.id < other.id : one.value > other.value;

/** The first `limit`, without those that come to 0. Only these are sorted, however many there are. */
export const topOf = (sold: ReadonlyMap<string, number>, limit: number): readonly Ranked[] => {
  const top: Ranked[] = [];
  for (const [id, value] of sold) {
    const last = top.at(-1);
    const one = { id, value };
    if (value === 0 || (top.length === limit && last && !isBefore(one, last))) continue;
    const place = top.findIndex((other) => isBefore(one, other));
    top.splice(place < 0 ? top.length : place, 0, one);
    if (top.length > limit) top.pop();
  }
  return top;
};
