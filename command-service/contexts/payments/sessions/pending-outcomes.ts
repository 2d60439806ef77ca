import type { ReferencePart } from '#reference/reference-part.ts';
import { ChunkedEntries } from '#reference/chunked-entries.ts';

/** What providers owe the outcome of, and since when. */
export interface PendingOutcomes extends ReferencePart {
  /** At most `max` that are due to be looked up, those that wait longest first. They are put off until later. */
  takeDue(now: number, max: number): readonly string[];
  count(): number;
}

/** How often an outcome is looked up, in milliseconds: often at first, later at long intervals. */
interface Pace {
  readonly soon: number;
  readonly later: number;
  readonly isYoungFor: number;
}

interface Owed {
  /** Milliseconds since 1970 UTC. */
  readonly since: number;
}

/** Outcomes that a part adds and removes by its events. */
export const createPendingOutcomes = <One extends Owed>({ soon, later, isYoungFor }: Pace) => {
  const owed = new Map<string, One>();
  const entries = new ChunkedEntries<One>();
  /** When each was looked up last, by this process; what it has not yet is due at once. */
  const lookedUp = new Map<string, number>();
  const add = (id: string, one: One): void => {
    owed.set(id, one);
    entries.set(id, one);
  };
  return {
    get: (id: string): One | undefined => owed.get(id),
    add,
    remove: (id: string): void => {
      owed.delete(id);
      entries.delete(id);
      lookedUp.delete(id);
    },
    part: {
      takeDue: (now: number, max: number): readonly string[] => {
        const isDue = ([id, { since }]: readonly [string, One]): boolean => {
          const last = lookedUp.get(id);
          return last === undefined || now - last >= (now - since < isYoungFor ? soon : later);
        };
        const due = [...owed]
          .filter(isDue)
          .sort(([, one], [, other]) => one.since - other.since)
          .slice(0, max)
          .map(([id]) => id);
        for (const id of due) lookedUp.set(id, now);
        return due;
      },
      count: (): number => owed.size,
      entries,
      restore: (kept: Iterable<unknown>): void => {
        for (const [id, one] of kept as Iterable<readonly [string, One]>) add(id, one);
      },
      clear: (): void => {
        owed.clear();
        lookedUp.clear();
      },
    },
  };
};
