import type { DocumentStore } from '#ports/document-store.ts';
import { countOf, isFinished, minus, noFigures, plus } from './delivery-figures.ts';
import { figuresOfOpenRows } from './read-rollups.ts';
import { newestMade } from './rollup-rows.ts';
import {
  ALL,
  endOf,
  REST_MS,
  rollupCollection,
  rollupId,
  rollupOf,
  startOf,
  type OpenHour,
  type Rollup,
  type RollupChange,
  type RollupLevel,
  type RollupState,
} from './rollup-state.ts';

/** Each is counted: others get their turn between. */
const AT_A_TIME = 100;

interface Closing {
  readonly hour: OpenHour;
  readonly rollup: Rollup;
}

const closingOf = async (
  stateStore: DocumentStore,
  hour: OpenHour,
  { purgedBefore }: RollupState,
): Promise<Closing | null> => {
  const { subscriptionId, start, purged, purging } = hour;
  if (purging) return null;
  const rows = await figuresOfOpenRows(stateStore, hour);
  const isBeingPurged = start < purgedBefore && countOf(rows) > 0;
  if (isBeingPurged || !isFinished(rows)) return null;
  const newest = await newestMade(stateStore, subscriptionId, { from: start, before: endOf('hour', start) });
  const figures = plus(purged ?? noFigures, rows);
  return { hour, rollup: rollupOf('hour', start, subscriptionId, figures, newest ?? start) };
};

/** Puts what an hour came to in the place of what was rolled up of it before, in all rollups that it is part of. */
const rollIn = async (
  stateStore: DocumentStore,
  { rollup }: Closing,
  { daysUpTo }: RollupState,
  changed: Map<string, Rollup>,
): Promise<void> => {
  const known = async (level: RollupLevel, scope: string): Promise<Rollup> => {
    const start = startOf(level, rollup.start);
    const id = rollupId(level, start, scope);
    const found = changed.get(id) ?? (await stateStore.get<Rollup>(rollupCollection, id));
    return found ?? rollupOf(level, start, scope, noFigures, rollup.newest);
  };
  const before = await known('hour', rollup.scope);
  const difference = minus(rollup.figures, before.figures);
  const parts: readonly (readonly [RollupLevel, string])[] = [
    ['hour', rollup.scope],
    ['hour', ALL],
    ...(rollup.start < daysUpTo
      ? ([
          ['day', rollup.scope],
          ['day', ALL],
        ] as const)
      : []),
  ];
  for (const [level, scope] of parts) {
    const part = await known(level, scope);
    const newest = part.newest > rollup.newest ? part.newest : rollup.newest;
    changed.set(part._id, { ...part, figures: plus(part.figures, difference), newest });
  }
};

/** Rolls up open hours in which everything rests by now. */
export const closeHours = async (
  stateStore: DocumentStore,
  state: RollupState,
  now: number,
): Promise<RollupChange | null> => {
  const { hoursUpTo } = state;
  const due = state.open.filter(({ start, since }) => start < hoursUpTo && since <= now - REST_MS);
  const closed = new Set<OpenHour>();
  const changed = new Map<string, Rollup>();
  for (const hour of due) {
    const closing = await closingOf(stateStore, hour, state);
    if (!closing) continue;
    await rollIn(stateStore, closing, state, changed);
    closed.add(hour);
    if (closed.size === AT_A_TIME) break;
  }
  if (closed.size === 0) return null;
  return { open: state.open.filter((hour) => !closed.has(hour)), unwritten: [...changed.values()] };
};
