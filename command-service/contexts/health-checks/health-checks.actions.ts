import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Finding, ShopCheck } from '#command/engine/shop-check.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isFound } from '#values/search.ts';

/** What one look found: how much in all, and a page of it. */
export interface Findings {
  readonly count: number;
  readonly items: readonly Finding[];
}

/** Which of the findings are wanted. */
interface Wanted {
  readonly skip: number;
  readonly limit: number;
  readonly search?: string | undefined;
}

/** This many are checked before other work gets its turn. */
const SLICE = 200;

const lookThrough = async ({ look }: ShopCheck, { skip, limit, search }: Wanted): Promise<Findings> => {
  const items: Finding[] = [];
  let count = 0;
  let seen = 0;
  for await (const finding of look()) {
    if (++seen % SLICE === 0) await nextTurn();
    if (finding === null || !isFound(search, [finding.name, finding.description])) continue;
    if (count >= skip && items.length < limit) items.push(finding);
    count++;
  }
  return { count, items };
};

/** What staff can have looked through. Looks run one after another: many at once take no more of the shop than one. */
export const createHealthCheckActions = (checks: () => readonly ShopCheck[]) => {
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (check: ShopCheck, wanted: Wanted): Promise<Findings> => {
    const found = last.then(() => lookThrough(check, wanted));
    last = found.catch(() => undefined);
    return found;
  };
  const all = (): readonly ShopCheck[] => checks().toSorted((a, b) => a.sortOrder - b.sortOrder);
  return {
    list: all,
    /** Errors: Rejection `entity-not-found`. */
    find: async (alias: string, wanted: Wanted): Promise<Findings & { readonly check: ShopCheck }> => {
      const check = all().find((one) => one.alias === alias);
      if (!check) throw new Rejection('entity-not-found', 'There is no such health check.');
      return { check, ...(await inTurn(check, wanted)) };
    },
  };
};

export type HealthCheckActions = ReturnType<typeof createHealthCheckActions>;
