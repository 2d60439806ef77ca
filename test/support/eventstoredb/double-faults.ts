/** What can go wrong with the double, at a test's wish. */
export class DoubleFaults {
  #thawed: Promise<void> = Promise.resolve();
  #thaw: () => void = () => undefined;
  readonly #held = new Map<string, Promise<void>>();
  readonly #subscriptions = new Set<(how: Drop) => void>();

  /** Appends are taken and kept, but their writers are not told. */
  isSilentAboutAppends = false;
  /** The next checkpoint is the last thing that its subscription hears. */
  dropsAtCheckpoint = false;

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

  /** For the double itself: lets `dropSubscriptions` end one. Answers how to take it off again. */
  onDrop(drop: (how: Drop) => void): () => void {
    this.#subscriptions.add(drop);
    return () => void this.#subscriptions.delete(drop);
  }
}

export type Drop = 'with an error' | 'as if at its end';
