import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import { pause } from '#runtime/back-off.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { LogMark } from '#ports/event-store.ts';
import { checkpointWrite } from './generations.ts';
import { ViewBuffer } from './view-buffer.ts';

export interface WriteBehindOptions {
  readonly readStore: DocumentStore;
  readonly log: Pick<Logger, 'error'>;
  /** False where other processes read the store: each batch is written as it comes, and checkpoints apart. */
  readonly isHeld: boolean;
  /** How long anything waits to be written. */
  readonly afterMilliseconds: number;
  /** How long a store that was away is left alone; default 1 s. */
  readonly againMilliseconds?: number;
}

export interface BufferedView {
  readonly collection: string;
  /** Its checkpoint. */
  readonly mark: LogMark;
  /** Up to here the store refuses something: until it is past that, every batch is written as it comes. */
  readonly refusedUpTo: number;
  /** The store has refused what was held, and nothing more of it is written: its events have to be taken again. */
  readonly onRefused: () => void;
}

/** Documents of all views together. */
const MAX_HELD = 2000;
/** Documents that are made into JSON in one turn of the event loop. */
const MAX_IN_ONE_TURN = 100;
const AGAIN_MILLISECONDS = 1000;

/**
 * Writes what views have changed a little later, all of them together: a document that changes ten times in a
 * second is written once. Documents and the checkpoint that vouches for them are one batch, so whenever the process is
 * killed, what the store has is what the log makes up to that checkpoint, and the next one goes on from there.
 *
 * On a server a batch is written in pieces, and other replicas read it: there documents are written at once, and
 * checkpoints, which cost as much, later in one write for all views. A process that is killed meanwhile takes the last
 * events once more, which changes nothing.
 */
export class WriteBehind {
  readonly #options: WriteBehindOptions;
  /** With what to call when the store refuses something. */
  readonly #buffers = new Map<ViewBuffer, () => void>();
  #timer: NodeJS.Timeout | null = null;
  #flushing: Promise<Error | null> = Promise.resolve(null);
  #next: Promise<Error | null> | null = null;
  /** Resolves when the store takes something again; null while nothing says that it is away. */
  #back: PromiseWithResolvers<true> | null = null;

  constructor(options: WriteBehindOptions) {
    this.#options = options;
  }

  /** Documents and their checkpoint are written together. */
  get isHeld(): boolean {
    return this.#options.isHeld;
  }

  /** The store did not take what it was last given. */
  get isStoreAway(): boolean {
    return this.#back !== null;
  }

  open({ collection, mark, refusedUpTo, onRefused }: BufferedView): ViewBuffer {
    const { readStore, isHeld } = this.#options;
    const writeThroughUpTo = isHeld ? refusedUpTo : Infinity;
    const buffer = new ViewBuffer({
      collection,
      mark,
      readStore,
      isCheckpointInBatch: isHeld,
      writeThroughUpTo,
    });
    this.#buffers.set(buffer, onRefused);
    return buffer;
  }

  /** Nothing of it is written any more. */
  close(buffer: ViewBuffer): void {
    this.#buffers.delete(buffer);
  }

  /** Something that a buffer has is to be written before long. */
  schedule(milliseconds: number = this.#options.afterMilliseconds): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.flush();
    }, milliseconds).unref();
  }

  /** False where the store is away for so long. */
  async waitForStore(milliseconds: number): Promise<boolean> {
    if (!this.#back) return true;
    const settled = new AbortController();
    const isBack = await Promise.race([
      this.#back.promise,
      pause(milliseconds, settled.signal).then(() => false),
    ]);
    settled.abort();
    return isBack;
  }

  /** Waits until another batch can be held. Errors: `EngineUnavailable`. */
  async makeRoom(): Promise<void> {
    let held = 0;
    for (const buffer of this.#buffers.keys()) held += buffer.size;
    const away = held < MAX_HELD ? null : await this.flush();
    if (away) throw away;
  }

  /** Resolves once the store has what is held, or has refused it. Errors: `EngineUnavailable`. */
  async write(buffer: ViewBuffer): Promise<void> {
    const away = await this.#write(buffer);
    if (away) throw away;
  }

  /** Writes everything that is held now; why that is not possible, or null. What is not written stays held. */
  flush(): Promise<Error | null> {
    this.#next ??= this.#flushing.then(() => {
      this.#next = null;
      this.#flushing = this.#writeAll();
      return this.#flushing;
    });
    return this.#next;
  }

  /** A batch for each view, so that none is refused for the sake of another. They may share a transaction. */
  async #writeAll(): Promise<Error | null> {
    const writing: Promise<Error | null>[] = [];
    let inThisTurn = 0;
    for (const buffer of this.#buffers.keys()) {
      if (buffer.isStored) continue;
      if (inThisTurn > MAX_IN_ONE_TURN) {
        await nextTurn();
        inThisTurn = 0;
      }
      inThisTurn += buffer.size;
      writing.push(this.#write(buffer));
    }
    writing.push(this.#save());
    return (await Promise.all(writing)).find((away) => away !== null) ?? null;
  }

  async #write(buffer: ViewBuffer): Promise<Error | null> {
    try {
      await buffer.write();
      return this.#reached();
    } catch (error) {
      if (error instanceof EngineUnavailable) return this.#away(error);
      // A batch that is written through is refused to its own caller.
      if (!buffer.isWrittenThrough) this.#refused(buffer);
      return null;
    }
  }

  /** The checkpoints of what has not changed, or has been written, in one write. */
  async #save(): Promise<Error | null> {
    const marks = [...this.#buffers.keys()].flatMap((buffer) => {
      const mark = buffer.unsaved;
      return mark ? [{ buffer, mark }] : [];
    });
    if (marks.length === 0) return null;
    try {
      const writes = marks.map(({ buffer: { collection }, mark }) => checkpointWrite(collection, mark));
      await this.#options.readStore.write(writes);
      for (const { buffer, mark } of marks) buffer.saved(mark);
      return this.#reached();
    } catch (error) {
      return this.#away(error);
    }
  }

  #reached(): null {
    this.#back?.resolve(true);
    this.#back = null;
    return null;
  }

  #away(error: unknown): Error {
    const { log, againMilliseconds = AGAIN_MILLISECONDS } = this.#options;
    if (!this.#back) log.error({ err: error }, 'read models cannot be written, tried again');
    this.#back ??= Promise.withResolvers();
    this.schedule(againMilliseconds);
    return error instanceof Error ? error : new Error(String(error));
  }

  #refused(buffer: ViewBuffer): void {
    const tell = this.#buffers.get(buffer);
    this.#buffers.delete(buffer);
    tell?.();
  }
}
