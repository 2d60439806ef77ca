import type { StoredEvent } from '#ports/event-store.ts';

/** Those who follow the log: asleep until something was appended. */
export class Followers {
  #asleep: (() => void)[] = [];
  #isClosed = false;

  get isClosed(): boolean {
    return this.#isClosed;
  }

  wake(): void {
    const awake = this.#asleep;
    this.#asleep = [];
    for (const goOn of awake) goOn();
  }

  /** Ends every `follow`. */
  close(): void {
    this.#isClosed = true;
    this.wake();
  }

  /**
   * Yields what `pageAfter` answers, page after page, and sleeps when it answers nothing. No event can fall between the
   * empty page and the sleep, as nothing else runs between them.
   */
  async *follow(
    after: number,
    signal: AbortSignal,
    pageAfter: (position: number) => readonly StoredEvent[],
  ): AsyncGenerator<readonly StoredEvent[], void, undefined> {
    const wake = () => this.wake();
    signal.addEventListener('abort', wake);
    try {
      let last = after;
      while (!signal.aborted && !this.#isClosed) {
        const page = pageAfter(last);
        const end = page.at(-1);
        if (end === undefined) {
          await new Promise<void>((resolve) => this.#asleep.push(resolve));
        } else {
          last = end.position;
          yield page;
        }
      }
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }
}
