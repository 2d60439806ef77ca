import { EngineUnavailable } from '#ports/engine-errors.ts';
import { paceOfProcess, type Pace } from './pace.ts';

/**
 * Acts on each item in order, at most `atOnce` at a time. Once one fails, no other begins; those under way are waited
 * for, then the first failure is thrown.
 */
export const inParallel = async <Item>(
  items: Iterable<Item>,
  atOnce: number,
  act: (item: Item) => Promise<unknown>,
): Promise<void> => {
  const waiting = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.next(); !next.done && failures.length === 0; next = waiting.next()) {
      try {
        await act(next.value);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  if (failures.length > 0) throw failures[0];
};

interface Work<Item, Result = unknown> {
  readonly atOnce: number;
  readonly act: (item: Item) => Promise<Result>;
  readonly onFailure: (item: Item, error: unknown) => void;
}

/** Acts on every item, a few at a time; a failure does not stop the others. Returns how many failed. */
export const workOff = async <Item>(
  items: Iterable<Item>,
  { atOnce, act, onFailure }: Work<Item>,
): Promise<number> => {
  let failed = 0;
  await inParallel(items, atOnce, async (item) => {
    try {
      await act(item);
    } catch (error) {
      failed++;
      onFailure(item, error);
    }
  });
  return failed;
};

/** `act` returns false when there was nothing to do after all. */
interface DueWork<Item> extends Work<Item, boolean> {
  /** Takes at most `max` items off the list. */
  readonly takeDue: (max: number) => readonly Item[];
  readonly putBack: (item: Item) => void;
  /** Default: that of all work that is due in the background. */
  readonly pace?: Pace;
  /** Once it aborts, no other item begins. */
  readonly signal?: AbortSignal | undefined;
}

const TAKEN_TOGETHER = 200;

/** Up to `atOnce` pieces of work side by side. None of them may fail. */
const createLanes = (atOnce: number) => {
  let underWay = 0;
  let changed = Promise.withResolvers<void>();
  return {
    free: () => atOnce - underWay,
    /** Resolves when one ends. */
    whenFree: () => changed.promise,
    begin: (work: Promise<void>): void => {
      underWay++;
      void work.then(() => {
        underWay--;
        changed.resolve();
        changed = Promise.withResolvers();
      });
    },
    drain: async (): Promise<void> => {
      while (underWay > 0) await changed.promise;
    },
  };
};

/**
 * Works off everything that is due, a few side by side and as fast as callers allow. What was not done goes back on the
 * list for the next run, as does the rest once an engine is unavailable or the process stops.
 */
export const workOffDue = async <Item>(work: DueWork<Item>) => {
  const { takeDue, putBack, atOnce, pace = paceOfProcess, signal, act, onFailure } = work;
  const undone: Item[] = [];
  let isEngineAway = false;
  let [done, kept, failed] = [0, 0, 0];
  const tryOne = async (item: Item): Promise<void> => {
    try {
      if (await act(item)) return void done++;
      kept++;
    } catch (error) {
      failed++;
      isEngineAway ||= error instanceof EngineUnavailable;
      onFailure(item, error);
    }
    undone.push(item);
  };
  const lanes = createLanes(atOnce);
  const isOver = (): boolean => isEngineAway || signal?.aborted === true;
  let taken: readonly Item[] = [];
  while (!isOver()) {
    if (taken.length === 0) taken = takeDue(TAKEN_TOGETHER);
    if (taken.length === 0) break;
    const allowed = await pace.next();
    while (lanes.free() === 0) await lanes.whenFree();
    if (isOver()) break;
    const count = Math.min(allowed, lanes.free());
    for (const item of taken.slice(0, count)) lanes.begin(tryOne(item));
    taken = taken.slice(count);
  }
  await lanes.drain();
  if (isEngineAway) failed += taken.length;
  // Only now, or this run would take them again and again.
  [...undone, ...taken].forEach(putBack);
  return { done, kept, failed };
};
