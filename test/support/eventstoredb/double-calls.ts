/** The calls that a client makes, by kind. An append that travels in a batch counts as one `batchAppend`. */
export type CallKind = 'append' | 'batchAppend' | 'readStream' | 'readAll' | 'subscribe' | 'gossip';

export type CallCounts = Readonly<Record<CallKind, number>>;

/** How many calls of each kind a double has received since it was made. */
export class DoubleCalls {
  readonly #counts: Record<CallKind, number> = {
    append: 0,
    batchAppend: 0,
    readStream: 0,
    readAll: 0,
    subscribe: 0,
    gossip: 0,
  };

  count(kind: CallKind): void {
    this.#counts[kind]++;
  }

  get counts(): CallCounts {
    return { ...this.#counts };
  }

  /** What `work` comes to, without the kinds that it does not use. */
  async during(work: () => Promise<unknown>): Promise<Partial<CallCounts>> {
    const before = this.counts;
    await work();
    const after = Object.entries(this.counts) as [CallKind, number][];
    return Object.fromEntries(
      after.map(([kind, count]) => [kind, count - before[kind]]).filter(([, count]) => count !== 0),
    );
  }
}
