import { EngineUnavailable } from '#ports/engine-errors.ts';
import { pause } from './back-off.ts';

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
  /** Waited for after each `atOnce` items, which end before the next begin. Default: no rest. */
  readonly rest?: () => Promise<void>;
}

const TAKEN_TOGETHER = 200;

/** Rests until at least `everyMs` of real time have passed since the last turn of work began. */
export const steadily = (everyMs: number): (() => Promise<void>) => {
  let begun = performance.now();
  return async () => {
    await pause(Math.max(0, begun + everyMs - performance.now()));
    begun = performance.now();
  };
};

/**
 * Works off everything that is due. What was not done goes back on the list for the next run, as does the rest once an
 * engine is unavailable.
 */
export const workOffDue = async <Item>({ takeDue, putBack, atOnce, rest, act, onFailure }: DueWork<Item>) => {
  const undone: Item[] = [];
  let isEngineAway = false;
  let [done, kept, failed] = [0, 0, 0];
  const tryOne = async (item: Item): Promise<void> => {
    try {
      if (isEngineAway) failed++;
      else if (await act(item)) return void done++;
      else kept++;
    } catch (error) {
      failed++;
      isEngineAway ||= error instanceof EngineUnavailable;
      onFailure(item, error);
    }
    undone.push(item);
  };
  while (!isEngineAway) {
    const due = takeDue(rest ? atOnce : TAKEN_TOGETHER);
    if (due.length === 0) break;
    await inParallel(due, atOnce, tryOne);
    await rest?.();
  }
  // Only now, or this run would take them again and again.
  undone.forEach(putBack);
  return { done, kept, failed };
};
