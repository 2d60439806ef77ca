import { instantOf } from '#log/log-span.ts';
import type { StoredEvent } from '#ports/event-store.ts';

/** A shop that stands still goes on with what it has begun only once it is back, however long that takes. */
const LONGEST_PAUSE_MILLISECONDS = 30_000;

/** How long the shop has been at work along the log, in milliseconds: of each pause half a minute counts at most. */
export const createWorkingTime = () => {
  let passed = 0;
  /** Where several clocks write, the one that is ahead counts: what is behind it adds nothing. */
  let latest: number | null = null;
  return {
    passed: (): number => passed,
    take: (event: StoredEvent): void => {
      const instant = instantOf(event) ?? NaN;
      if (Number.isNaN(instant)) return;
      if (latest !== null) passed += Math.min(Math.max(instant - latest, 0), LONGEST_PAUSE_MILLISECONDS);
      latest = Math.max(latest ?? instant, instant);
    },
  };
};
