import { LRUCache } from 'lru-cache';
import { isoInstant } from '#kernel/clock.ts';
import type { DocumentStore, Filter } from '#ports/document-store.ts';
import { endOf, rollupCollection, type Rollup, type RollupLevel, type RollupState } from './rollup-state.ts';

/** Rollups of a scope that begin from the one instant on (empty: from the first) and before the other. */
export interface RollupRange {
  readonly scope: string;
  readonly level: RollupLevel;
  readonly from: string;
  readonly before: string;
}

/** Rollups are read and kept by the day, or by thirty where each is a day. */
const STRETCH_MS: Readonly<Record<RollupLevel, number>> = { hour: 86_400_000, day: 30 * 86_400_000 };
/** Eight charts of a month by the hour: some 10 MB. */
const MOST_KEPT = 6000;
/** How many are read without a thread in between. */
const PAGE = 250;

interface Kept {
  readonly version: number;
  readonly stretches: LRUCache<string, readonly Rollup[]>;
}

const keptOf = new WeakMap<DocumentStore, Kept>();

/**
 * What was read under this version of the state: until the next, no rollup changes. A reader that is overtaken while it
 * reads may leave newer ones here; as readers compare versions afterwards, none of this version relies on them.
 */
const keptUnder = (stateStore: DocumentStore, version: number): Kept['stretches'] => {
  const kept = keptOf.get(stateStore);
  if (kept?.version === version) return kept.stretches;
  const stretches: Kept['stretches'] = new LRUCache({
    maxSize: MOST_KEPT,
    sizeCalculation: (rollups) => rollups.length + 1,
  });
  keptOf.set(stateStore, { version, stretches });
  return stretches;
};

const isIn = ({ scope, level, from, before }: RollupRange, rollup: Rollup): boolean =>
  rollup.scope === scope && rollup.level === level && rollup.start >= from && rollup.start < before;

const filterOf = ({ scope, level, from, before }: RollupRange): Filter => ({
  ...{ scope, level },
  start: { gte: from, lt: before },
});

const readStored = async (stateStore: DocumentStore, range: RollupRange): Promise<readonly Rollup[]> => {
  const rollups: Rollup[] = [];
  for (let from = range.from; from < range.before;) {
    const filter = filterOf({ ...range, from });
    const options = { filter, sort: [['start', 1]], limit: PAGE } as const;
    const page = await stateStore.find<Rollup>(rollupCollection, options);
    rollups.push(...page);
    const last = page.at(-1);
    if (!last || page.length < PAGE) break;
    from = endOf(range.level, last.start);
  }
  return rollups;
};

/** As they hold: in place of stored ones those that are still to be stored. */
const readHolding = async (
  stateStore: DocumentStore,
  range: RollupRange,
  { unwritten }: RollupState,
): Promise<readonly Rollup[]> => {
  const changed = unwritten.filter((rollup) => isIn(range, rollup));
  const all = [...(await readStored(stateStore, range)), ...changed];
  return [...new Map(all.map((rollup) => [rollup._id, rollup])).values()];
};

/** Where the first one begins; null without any. */
const firstStart = async (
  stateStore: DocumentStore,
  range: RollupRange,
  { unwritten }: RollupState,
): Promise<string | null> => {
  const options = { filter: filterOf(range), sort: [['start', 1]], limit: 1 } as const;
  const [stored] = await stateStore.find<Rollup>(rollupCollection, options);
  const all = [...(stored ? [stored] : []), ...unwritten.filter((rollup) => isIn(range, rollup))];
  return all.map(({ start }) => start).sort()[0] ?? null;
};

/** What is rolled up in a range, in the order of time, under this state. Errors: `EngineUnavailable`. */
export const rollupsIn = async (
  stateStore: DocumentStore,
  range: RollupRange,
  state: RollupState,
): Promise<readonly Rollup[]> => {
  const { scope, level, before } = range;
  const from = range.from === '' ? await firstStart(stateStore, range, state) : range.from;
  if (from === null || from >= before) return [];
  const kept = keptUnder(stateStore, state.version);
  const length = STRETCH_MS[level];
  const numberOf = (instant: string): number => Math.floor(Date.parse(instant) / length);
  const keyOf = (number: number): string => `${scope} ${level} ${number}`;
  const [first, last] = [numberOf(from), Math.floor((Date.parse(before) - 1) / length)];
  const numbers = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const found = new Map(numbers.map((number) => [number, kept.get(keyOf(number))]));
  const missing = numbers.filter((number) => found.get(number) === undefined);
  const [begin, end] = [missing[0], missing.at(-1)];
  if (begin !== undefined && end !== undefined) {
    const unread = { from: isoInstant(begin * length), before: isoInstant((end + 1) * length) };
    const read = await readHolding(stateStore, { ...range, ...unread }, state);
    const byNumber = Map.groupBy(read, ({ start }) => numberOf(start));
    for (const number of missing) {
      const rollups = byNumber.get(number) ?? [];
      found.set(number, rollups);
      kept.set(keyOf(number), rollups);
    }
  }
  return numbers
    .flatMap((number) => found.get(number) ?? [])
    .filter(({ start }) => start >= from && start < before);
};
