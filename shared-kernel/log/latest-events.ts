import type { Recorded } from '#kernel/event.ts';
import type { EventToAppend, StoredEvent } from '#ports/event-store.ts';

/** As much as the log itself has at hand for those who follow it live. */
const MOST_EVENTS = 200;
const MOST_CHARACTERS = 4 * 1024 * 1024;

/** Under which key personal fields are encrypted. */
export interface SubjectKey {
  readonly subject: string;
  readonly key: Buffer;
}

interface KeptEvent {
  readonly written: EventToAppend;
  readonly recorded: Recorded;
  /** Null for an event without personal data. */
  readonly under: SubjectKey | null;
}

/** An event of the log that was at hand, in clear. */
export interface EventAtHand {
  readonly stored: StoredEvent;
  readonly recorded: Recorded;
  readonly under: SubjectKey | null;
}

/**
 * The events that this process wrote last. Its feed reads each of them a moment later and need not parse and decrypt
 * what has just been put together.
 */
export class LatestEvents {
  readonly #byId = new Map<string, KeptEvent>();
  #characters = 0;

  keep(written: EventToAppend, recorded: Recorded, under: SubjectKey | null): void {
    this.#byId.set(written.id, { written, recorded, under });
    this.#characters += written.data.length;
    while (this.#byId.size > MOST_EVENTS || this.#characters > MOST_CHARACTERS) this.#dropOldest();
  }

  /** Once for each event, and only where the log holds the very texts that were written. */
  take(stored: StoredEvent): EventAtHand | null {
    if (this.#byId.size === 0) return null;
    const kept = this.#byId.get(stored.id);
    if (!kept) return null;
    this.#drop(kept);
    const { written, recorded, under } = kept;
    const isSame =
      written.type === stored.type && written.metadata === stored.metadata && written.data === stored.data;
    return isSame ? { stored, recorded, under } : null;
  }

  #dropOldest(): void {
    for (const oldest of this.#byId.values()) return this.#drop(oldest);
  }

  #drop({ written }: KeptEvent): void {
    this.#byId.delete(written.id);
    this.#characters -= written.data.length;
  }
}
