import type { ShopClock } from '#runtime/shop-clock.ts';

export const MINUTE = 60_000;

/** A shopper's steps: each `yield` says how many milliseconds pass until the next one. */
export type Doings = AsyncGenerator<number, void>;

/** Something that begins at an instant, in milliseconds since 1970 UTC. */
export interface Beginning {
  readonly at: number;
  begin(): Doings;
}

export interface SimulatedTime {
  readonly clock: ShopClock;
  /** Moves the clock on to an instant, unless it is past that. */
  moveTo(at: number): void;
  /**
   * Carries out everything that begins, in the order of time, to its end. `beginnings` come in the order of time. What
   * is due within four hours is done together, at the time of the first: at most 256 things. Errors: those of the
   * doings.
   */
  run(beginnings: Iterable<Beginning>): Promise<void>;
}

interface Due {
  readonly at: number;
  readonly doings: Doings;
}

/** Enough that the slowest holds up few; what they touch stays in the caches. */
const AT_ONCE = 256;
/**
 * No step is earlier than planned by more than this. Every append waits for a commit, and the clock for the last of
 * those under way together: the more there are, the less each pays.
 */
const TOGETHER = 240 * MINUTE;

/** Those who wait for their time, the soonest last. */
class Waiting {
  readonly #due: Due[] = [];

  get soonest(): number {
    return this.#due.at(-1)?.at ?? Infinity;
  }

  add(due: Due): void {
    let low = 0;
    let high = this.#due.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#due[middle]?.at ?? 0) > due.at) low = middle + 1;
      else high = middle;
    }
    this.#due.splice(low, 0, due);
  }

  /** At most this many of those due by an instant, the soonest first. */
  take(until: number, most: number): readonly Due[] {
    const taken: Due[] = [];
    while (taken.length < most && this.soonest <= until) taken.push(...this.#due.splice(-1));
    return taken;
  }
}

/**
 * A clock that stands still while things are done and then moves to the next thing that is due. Time is the same for
 * the same doings, however quick the machine is.
 */
export const createSimulatedTime = (startsAt: number): SimulatedTime => {
  let now = startsAt;

  const run = async (beginnings: Iterable<Beginning>): Promise<void> => {
    const waiting = new Waiting();
    const coming = beginnings[Symbol.iterator]();
    let next = coming.next();
    const goOn = async ({ doings }: Due): Promise<Due | null> => {
      const { done, value: pause } = await doings.next();
      return done ? null : { at: now + pause, doings };
    };
    for (;;) {
      const soonest = Math.min(waiting.soonest, next.done ? Infinity : next.value.at);
      if (soonest === Infinity) return;
      now = Math.max(now, soonest);
      const until = now + TOGETHER;
      for (let room = AT_ONCE; room > 0 && !next.done && next.value.at <= until; room--) {
        waiting.add({ at: next.value.at, doings: next.value.begin() });
        next = coming.next();
      }
      const together = waiting.take(until, AT_ONCE).map(goOn);
      for (const later of await Promise.all(together)) if (later) waiting.add(later);
    }
  };

  return {
    clock: {
      now: () => now,
      // There is no other process whose clock could be followed.
      offsetMs: 0,
      follow: () => Promise.resolve(),
      advance: (seconds) => {
        now += Math.round(seconds * 1000);
        return Promise.resolve();
      },
    },
    moveTo: (at) => {
      now = Math.max(now, at);
    },
    run,
  };
};
