import { setTimeout as pause } from 'node:timers/promises';

/** What can go wrong with the double, at a test's wish, and what a test may know of it. */
export class DoubleFaults {
  #thawed: Promise<void> = Promise.resolve();
  #thaw: () => void = () => undefined;
  readonly #held = new Map<string, Promise<void>>();
  readonly #subscriptions = new Set<(how: Drop) => void>();

  /** True between `freeze` and `thaw`. */
  isFrozen = false;
  /** Every call waits so long before it is served. */
  delayMilliseconds = 0;
  /** What the node says instead of serving. */
  refusal: 'not ready' | 'too busy' | 'no leader' | null = null;
  /** False: its user may read streams, not the log as a whole. */
  mayReadAll = true;
  /** True: it says that a position inside a record is invalid, as servers after 23.10 do. */
  namesInvalidPositions = false;
  /** Appends are taken and kept, but their writers are not told. */
  isSilentAboutAppends = false;
  /** Appends are neither kept nor answered: the others of a cluster do not take them. */
  isDeafToAppends = false;
  /** The next event is preceded by a checkpoint beyond it, and that is the last thing that subscriptions hear. */
  dropsAtCheckpoint = false;
  /** How many events subscriptions have been sent, as far as the connection took them. */
  sentToSubscriptions = 0;
  /** How many live subscriptions were ended because more waited for them than their buffer holds. */
  droppedAsTooSlow = 0;

  /** Connections and calls are accepted, and nothing is answered, until `thaw`. */
  freeze(): void {
    if (this.isFrozen) return;
    this.isFrozen = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#thawed = promise;
    this.#thaw = resolve;
  }

  thaw(): void {
    this.isFrozen = false;
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

  /**
   * Ends all subscriptions, with an error, as if all had been said, or only on this side: their clients go on waiting.
   * Returns how many there were.
   */
  dropSubscriptions(how: Drop): number {
    const dropped = [...this.#subscriptions];
    for (const drop of dropped) drop(how);
    return dropped.length;
  }

  /** For the double itself: resolves while it is not frozen. */
  async answering(): Promise<void> {
    await this.#thawed;
    if (this.delayMilliseconds > 0) await pause(this.delayMilliseconds);
  }

  /** For the double itself: resolves while it is not frozen, without the delay of a call. */
  thawed(): Promise<void> {
    return this.#thawed;
  }

  /** For the double itself: resolves when an append to the stream may proceed. */
  async appending(stream: string): Promise<void> {
    await this.answering();
    await this.#held.get(stream);
  }

  /** For the double itself. */
  checkpointSent(): void {
    if (this.dropsAtCheckpoint) this.dropSubscriptions('as if at its end');
    this.dropsAtCheckpoint = false;
  }

  /** For the double itself: lets `dropSubscriptions` end one. Returns how to take it off again. */
  onDrop(drop: (how: Drop) => void): () => void {
    this.#subscriptions.add(drop);
    return () => void this.#subscriptions.delete(drop);
  }
}

export type Drop = 'with an error' | 'as if at its end' | 'without a word';
