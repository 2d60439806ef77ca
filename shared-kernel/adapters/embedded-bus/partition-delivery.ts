import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { ConsumeOptions, ReceivedMessage } from '#ports/bus.ts';
import type { GroupPartition, MessageLog, PageLimit } from './message-log.ts';

/** One consumer of a group, as a partition sees it. */
export interface Handler {
  readonly handle: ConsumeOptions['handle'];
  readonly onShared: ConsumeOptions['onShared'];
  readonly isPaused: boolean;
}

/** The first pause after a failure; each further one is twice as long, up to the longest. */
export interface RedeliveryPause {
  readonly firstMilliseconds: number;
  readonly longestMilliseconds: number;
}

const readAhead: PageLimit = { messages: 100, characters: 1_000_000 };

/**
 * Hands the messages of one partition to one group, one after another. It outlives the consumers that it is assigned
 * to: as it takes the next message only when the last one is done with, a change of hands between two messages needs
 * no agreement, loses nothing and repeats nothing.
 *
 * The next message does not wait for the commit of the last one. One commit is under way at a time and includes
 * everything handled meanwhile.
 */
export class PartitionDelivery {
  readonly #place: GroupPartition;
  readonly #log: MessageLog;
  readonly #pause: RedeliveryPause;
  readonly #closed: AbortSignal;
  #handler: Handler | null = null;
  #ahead: readonly ReceivedMessage[] = [];
  #taken = 0;
  #handled: number;
  #committed: number;
  #underWay: { readonly handler: Handler; readonly done: Promise<void> } | null = null;
  #isCommitting = false;
  #failures = 0;
  #goOn: (() => void) | null = null;

  constructor(place: GroupPartition, log: MessageLog, pause: RedeliveryPause, closed: AbortSignal) {
    this.#place = place;
    this.#log = log;
    this.#pause = pause;
    this.#closed = closed;
    this.#handled = this.#committed = log.committed(place);
    closed.addEventListener('abort', () => this.wake());
    void this.#run();
  }

  /** Who gets the next message; null: no consumer. */
  assign(handler: Handler | null): void {
    this.#handler = handler;
    this.wake();
  }

  isAssignedTo(handler: Handler): boolean {
    return this.#handler === handler;
  }

  /** There may be something to do. */
  wake(): void {
    this.#goOn?.();
    this.#goOn = null;
  }

  /** Waits until the handler is done with its message and what was handled is committed. */
  async settled(handler: Handler): Promise<void> {
    if (this.#underWay?.handler === handler) await this.#underWay.done;
    await this.#commit();
  }

  async #run(): Promise<void> {
    while (!this.#closed.aborted) {
      const handler = this.#handler;
      const message = this.#ahead[this.#taken];
      if (handler === null || handler.isPaused) await this.#asleep();
      else if (message === undefined) await this.#readAhead();
      else await this.#deliver(handler, message);
    }
  }

  async #deliver(handler: Handler, message: ReceivedMessage): Promise<void> {
    const { promise: done, resolve: finish } = Promise.withResolvers<void>();
    this.#underWay = { handler, done };
    const isHandled = await succeeds(() => handler.handle(message));
    this.#underWay = null;
    if (isHandled) this.#noteHandled(message);
    finish();
    if (!isHandled) await this.#pauseAfterFailure(++this.#failures);
  }

  #noteHandled({ offset }: ReceivedMessage): void {
    this.#failures = 0;
    this.#taken++;
    this.#handled = offset + 1;
    if (!this.#isCommitting) void this.#commitUntilDone();
  }

  /** Each page costs a turn of the event loop, so that handlers that never wait do not keep others from theirs. */
  async #readAhead(): Promise<void> {
    await nextTurn();
    if (this.#closed.aborted) return;
    const { topic, partition } = this.#place;
    try {
      this.#ahead = this.#log.page(topic, partition, this.#handled, readAhead);
      this.#taken = 0;
      this.#failures = 0;
    } catch {
      await this.#pauseAfterFailure(++this.#failures);
      return;
    }
    if (this.#ahead.length === 0) await this.#asleep();
  }

  async #commitUntilDone(): Promise<void> {
    this.#isCommitting = true;
    let failures = 0;
    while (this.#committed < this.#handled && !this.#closed.aborted) {
      try {
        await this.#commit();
        failures = 0;
      } catch {
        await this.#pauseAfterFailure(++failures);
      }
    }
    this.#isCommitting = false;
  }

  async #commit(): Promise<void> {
    const next = this.#handled;
    if (next <= this.#committed) return;
    await this.#log.commit(this.#place, next);
    this.#committed = Math.max(this.#committed, next);
  }

  /** Nothing can fall between a look that found nothing and the sleep, as nothing else runs between them. */
  #asleep(): Promise<void> {
    return new Promise((resolve) => (this.#goOn = resolve));
  }

  async #pauseAfterFailure(failures: number): Promise<void> {
    const { firstMilliseconds, longestMilliseconds } = this.#pause;
    const milliseconds = Math.min(longestMilliseconds, firstMilliseconds * 2 ** (failures - 1));
    await sleep(milliseconds, undefined, { signal: this.#closed }).catch(() => undefined);
  }
}

const succeeds = async (work: () => Promise<void>): Promise<boolean> => {
  try {
    await work();
    return true;
  } catch {
    return false;
  }
};
