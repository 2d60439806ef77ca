import { recordedAtOf } from '#log/envelope.ts';
import { isoInstant, type Clock } from '#kernel/clock.ts';
import { START, type EventStore } from '#ports/event-store.ts';

const FREEZE_MILLISECONDS = 60_000;

/**
 * When events are recorded: by the shop's clock, and along a log with one writer never before what precedes them. An
 * event that is further ahead than a clock is ever put right by was recorded by a wrong one: the time is that of now
 * again, or it would stand still for as long as that clock was ahead.
 */
export class RecordingClock {
  readonly #store: EventStore;
  readonly #clock: Clock;
  /** When the log's last event was recorded, as far as known; null until it has been asked. */
  #last: string | null = null;

  constructor(store: EventStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Asks the log, the first time. */
  async prepare(): Promise<void> {
    if (this.#last !== null) return;
    const head = this.#store.isOnlyWriter ? await this.#store.head() : START;
    const [last] = head === START ? [] : await this.#store.readAll(head - 1, 1);
    this.#last ??= last ? recordedAtOf(last) : '';
  }

  now(): string {
    const now = isoInstant(this.#clock.now());
    if (!this.#store.isOnlyWriter) return now;
    const last = this.#last ?? '';
    this.#last = now < last && Date.parse(last) - Date.parse(now) <= FREEZE_MILLISECONDS ? last : now;
    return this.#last;
  }
}
