import { setTimeout as sleep } from 'node:timers/promises';
import type { KafkaPartition } from './kafka-partition.ts';

/** Of each partition the offset after the last message that was handled. */
export type Offsets = ReadonlyMap<number, number>;

const FIRST_PAUSE_MILLISECONDS = 100;
const LONGEST_PAUSE_MILLISECONDS = 2000;

/**
 * Commits what was handled. The next message does not wait for the commit of the last one: one commit is under way at
 * a time and includes everything handled meanwhile, in all partitions.
 */
export class KafkaCommitter {
  readonly #partitions: ReadonlyMap<number, KafkaPartition>;
  readonly #commit: (offsets: Offsets) => Promise<void>;
  #working: Promise<void> | null = null;
  #isStopped = false;
  #pause = new AbortController();

  constructor(partitions: ReadonlyMap<number, KafkaPartition>, commit: (offsets: Offsets) => Promise<void>) {
    this.#partitions = partitions;
    this.#commit = commit;
  }

  /** Something was handled. */
  wake(): void {
    if (!this.#isStopped && this.isBehind) this.#working ??= this.#work();
  }

  get isBehind(): boolean {
    return this.#pending().size > 0;
  }

  /** Commits once what is left. Throws when that fails. */
  async finish(): Promise<void> {
    this.#isStopped = true;
    this.#pause.abort();
    await this.#working;
    if (this.isBehind) await this.#commitOnce();
  }

  async #work(): Promise<void> {
    let milliseconds = FIRST_PAUSE_MILLISECONDS;
    while (this.isBehind && !this.#isStopped) {
      try {
        await this.#commitOnce();
        milliseconds = FIRST_PAUSE_MILLISECONDS;
      } catch {
        // While the group changes hands commits are refused, too. Then they go on, or the partition is lost.
        await sleep(milliseconds, undefined, { signal: this.#pause.signal }).catch(() => undefined);
        milliseconds = Math.min(LONGEST_PAUSE_MILLISECONDS, milliseconds * 2);
      }
    }
    this.#working = null;
  }

  async #commitOnce(): Promise<void> {
    const pending = this.#pending();
    await this.#commit(new Map([...pending].map(([partition, { next }]) => [partition, next])));
    for (const { partition, next } of pending.values()) partition.noteCommitted(next);
  }

  #pending(): Map<number, { readonly partition: KafkaPartition; readonly next: number }> {
    const pending = new Map<number, { partition: KafkaPartition; next: number }>();
    for (const [number, partition] of this.#partitions) {
      const next = partition.uncommitted;
      if (next !== null) pending.set(number, { partition, next });
    }
    return pending;
  }
}
