import { setTimeout as pause } from 'node:timers/promises';

/** What can go wrong with the double, at a test's wish, and what a test may know of it. */
export class DoubleFaults {
  #thawed: Promise<void> = Promise.resolve();
  #thaw: () => void = () => undefined;
  readonly #held = new Map<string, Promise<void>>();
  readonly #subscriptions = new Set<(how: Drop) => void>();

  /** Appends are taken and kept, but their writers are not told. */
  isSilentAboutAppends = false;
  /** The next event is preceded by a checkpoint beyond it, and that is the last thing that subscriptions hear. */
  dropsAtCheckpoint = false;
  /** How many events subscriptions have been sent, as far as the connection took them. */
  sentToSubscriptions = 0;

  /** Connections and calls are accepted, and nothing is answered, until `thaw`. */
  freeze(): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#thawed = promise;
    this.#thaw = resolve;
  }

  thaw(): void {
    this.#thaw();
  }

  /** Appends to one stream wait until the function that this returns is called. */
  holdAppendsTo(stream: string): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held.set(stream, promise);
    return resolve;
  }

  /** Resolves when subscriptions have been sent nothing for a while, though there is more. */
  async standstill(): Promise<void> {
    for (let before = -1; before < this.sentToSubscriptions;) {
      before = this.sentToSubscriptions;
      await pause(50);
    }
  }

  /** Ends all subscriptions, with an error or as if all had been said. Answers how many there were. */
  dropSubscriptions(how: Drop): number {
    const dropped = [...this.#subscriptions];
    for (const drop of dropped) drop(how);
    return dropped.length;
  }

  /** For the double itself: resolves while it is not frozen. */
  answering(): Promise<void> {
    return this.#thawed;
  }

  /** For the double itself: resolves when an append to the stream may proceed. */
  async appending(stream: string): Promise<void> {
    await this.#thawed;
    await this.#held.get(stream);
  }

  /** For the double itself. */
  checkpointSent(): void {
    if (this.dropsAtCheckpoint) this.dropSubscriptions('as if at its end');
    this.dropsAtCheckpoint = false;
  }

  /** For the double itself: lets `dropSubscriptions` end one. Answers how to take it off again. */
  onDrop(drop: (how: Drop) => void): () => void {
    this.#subscriptions.add(drop);
    return () => void this.#subscriptions.delete(drop);
  }
}

export type Drop = 'with an error' | 'as if at its end';
