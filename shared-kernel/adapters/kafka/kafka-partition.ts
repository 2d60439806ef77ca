import { setTimeout as sleep } from 'node:timers/promises';
import type { ReceivedMessage } from '#ports/bus.ts';

export interface PartitionOptions {
  readonly handle: (message: ReceivedMessage) => Promise<void>;
  /** After a failure: true where the message has been put aside, so that the next one is delivered. */
  readonly putAside: (message: ReceivedMessage, failures: number, error: unknown) => Promise<boolean>;
  readonly isPaused: () => boolean;
  /** Something was handled: it can be committed, and there may be room for more. */
  readonly onProgress: () => void;
}

/** What is fetched ahead of the handler; more comes once there is less than half of it. */
const AHEAD_MESSAGES = 1000;
const AHEAD_CHARACTERS = 2_000_000;
const FIRST_PAUSE_MILLISECONDS = 100;
const LONGEST_PAUSE_MILLISECONDS = 5000;

/**
 * Hands the messages of one partition to the handler, one after another, while the partition is ours. It outlives the
 * connection: a message that is being handled when that breaks is finished before the next one begins.
 */
export class KafkaPartition {
  readonly #options: PartitionOptions;
  #ahead: ReceivedMessage[] = [];
  #characters = 0;
  /** The offset that is fetched next; null before the first message. */
  #expected: number | null = null;
  #handled: number | null = null;
  #committed: number | null = null;
  #failures = 0;
  #isStopped = false;
  #working: Promise<void> | null = null;
  #pause = new AbortController();
  /** Changes when the partition is lost, so that the end of a handler that began before says nothing any more. */
  #tenure = {};

  constructor(options: PartitionOptions) {
    this.#options = options;
  }

  /**
   * Takes what was fetched. After each change in the group that begins again at the commit: what is known is left out.
   */
  accept(messages: readonly ReceivedMessage[]): void {
    for (const message of messages) {
      if (this.#expected !== null && message.offset < this.#expected) continue;
      this.#ahead.push(message);
      this.#characters += message.value.length;
      this.#expected = message.offset + 1;
    }
    this.wake();
  }

  get isFull(): boolean {
    return this.#ahead.length >= AHEAD_MESSAGES || this.#characters >= AHEAD_CHARACTERS;
  }

  get hasRoom(): boolean {
    return this.#ahead.length < AHEAD_MESSAGES / 2 && this.#characters < AHEAD_CHARACTERS / 2;
  }

  /** The offset to commit; null: nothing was handled since the last commit. */
  get uncommitted(): number | null {
    return this.#handled === this.#committed ? null : this.#handled;
  }

  /** Everything before this offset is committed. */
  noteCommitted(next: number): void {
    if (this.#handled !== null) this.#committed = next;
  }

  /** The partition is lost, or may have been meanwhile: what was not committed comes again, to its new owner. */
  release(): void {
    this.#tenure = {};
    this.#ahead = [];
    this.#characters = this.#failures = 0;
    this.#expected = this.#handled = this.#committed = null;
    this.#endPause();
  }

  /** Delivers nothing more, and waits for what is being handled. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endPause();
    await this.#working;
  }

  /** There may be something to do. */
  wake(): void {
    if (this.#next() !== undefined) this.#working ??= this.#work();
  }

  #next(): ReceivedMessage | undefined {
    return this.#isStopped || this.#options.isPaused() ? undefined : this.#ahead[0];
  }

  async #work(): Promise<void> {
    let message: ReceivedMessage | undefined;
    while ((message = this.#next()) !== undefined) await this.#deliver(message);
    this.#working = null;
  }

  async #deliver(message: ReceivedMessage): Promise<void> {
    const tenure = this.#tenure;
    const { handle, putAside } = this.#options;
    let isDone = true;
    try {
      await handle(message);
    } catch (error) {
      isDone = tenure === this.#tenure && (await putAside(message, ++this.#failures, error));
    }
    if (tenure !== this.#tenure) return;
    if (isDone) this.#noteHandled(message);
    else await this.#pauseAfterFailure();
  }

  #noteHandled({ offset, value }: ReceivedMessage): void {
    this.#ahead.shift();
    this.#characters -= value.length;
    this.#failures = 0;
    this.#handled = offset + 1;
    this.#options.onProgress();
  }

  async #pauseAfterFailure(): Promise<void> {
    if (this.#isStopped) return;
    const milliseconds = Math.min(
      LONGEST_PAUSE_MILLISECONDS,
      FIRST_PAUSE_MILLISECONDS * 2 ** (this.#failures - 1),
    );
    await sleep(milliseconds, undefined, { signal: this.#pause.signal }).catch(() => undefined);
  }

  #endPause(): void {
    this.#pause.abort();
    this.#pause = new AbortController();
  }
}
