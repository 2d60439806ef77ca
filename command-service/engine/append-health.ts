import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { EventStore } from '#ports/event-store.ts';

/** What an append is made with. */
export type Appendable = Pick<EventStore, 'append' | 'readStream'>;

/**
 * After this long without another failure a process is tried again: one without traffic would never learn that the
 * disk has room again, or that the log is back.
 */
const TRIED_AGAIN_MILLISECONDS = 10_000;

/** Whether the log takes what is appended, as the appends themselves have found. */
export class AppendHealth {
  readonly #now: () => number;
  #failed: { readonly at: number; readonly message: string } | null = null;

  /** `now`: milliseconds that only go up. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The same log, whose appends are watched from here on. */
  watch(store: EventStore): Appendable {
    return {
      append: async (stream, expectedRevision, events) => {
        try {
          const result = await store.append(stream, expectedRevision, events);
          this.#failed = null;
          return result;
        } catch (error) {
          if (error instanceof EngineUnavailable) this.#failed = { at: this.#now(), message: error.message };
          throw error;
        }
      },
      readStream: (stream, options) => store.readStream(stream, options),
    };
  }

  /** Why the log takes nothing just now; null when the last append went well, or is too long ago to tell. */
  problem(): string | null {
    if (this.#failed && this.#now() - this.#failed.at >= TRIED_AGAIN_MILLISECONDS) this.#failed = null;
    return this.#failed && `the last append failed: ${this.#failed.message}`;
  }
}
