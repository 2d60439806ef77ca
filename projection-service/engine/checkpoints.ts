import type { Logger } from 'pino';
import type { DocumentStore, Write } from '#ports/document-store.ts';
import type { LogMark } from '#ports/event-store.ts';
import { checkpointWrite } from './generations.ts';

export interface CheckpointsOptions {
  readonly readStore: DocumentStore;
  /** They are also part of the batches that they vouch for, so that none is ever behind its documents. */
  readonly isInBatch: boolean;
  readonly log: Pick<Logger, 'error'>;
  readonly afterMilliseconds: number;
  /** How long a store that was away is left alone; default 1 s. */
  readonly againMilliseconds?: number;
}

const AGAIN_MILLISECONDS = 1000;

/**
 * How far generations have come, kept a little later and in one write for all of them: on a server it costs as much as
 * a write of documents. A process that is killed meanwhile takes the last events once more, which changes nothing.
 *
 * Where the log can lose its end without the read store, on one disk, that is too late: documents of events that are
 * gone would stay, as the checkpoint knows of none of them. There it goes with the documents.
 */
export class Checkpoints {
  readonly #options: CheckpointsOptions;
  readonly #noted = new Map<string, LogMark>();
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: CheckpointsOptions) {
    this.#options = options;
  }

  /** A collection reflects the log up to an event: what it holds has been written. */
  note(collection: string, mark: LogMark): void {
    const noted = this.#noted.get(collection);
    if (!noted || noted.position < mark.position) this.#noted.set(collection, mark);
    this.#schedule(this.#options.afterMilliseconds);
  }

  /** What a batch of documents has to hold besides, if anything. */
  besideDocuments(collection: string, mark: LogMark): readonly Write[] {
    return this.#options.isInBatch ? [checkpointWrite(collection, mark)] : [];
  }

  /**
   * Writes those of the collections now, as they are not followed any more. What a store that is away does not take is
   * given up: the next follower takes the last events once more.
   */
  async keep(collections: readonly string[]): Promise<void> {
    await this.#writing;
    const { readStore, log } = this.#options;
    const writes = collections.flatMap((collection) => {
      const mark = this.#noted.get(collection);
      this.#noted.delete(collection);
      return mark === undefined ? [] : [checkpointWrite(collection, mark)];
    });
    if (writes.length === 0) return;
    await readStore
      .write(writes)
      .catch((error: unknown) => log.error({ err: error, collections }, 'checkpoints not written'));
  }

  #schedule(milliseconds: number): void {
    this.#timer ??= setTimeout(() => {
      this.#writing = this.#write();
    }, milliseconds).unref();
  }

  async #write(): Promise<void> {
    const { readStore, log, afterMilliseconds, againMilliseconds = AGAIN_MILLISECONDS } = this.#options;
    const noted = [...this.#noted];
    this.#noted.clear();
    let pauseMilliseconds = afterMilliseconds;
    try {
      await readStore.write(noted.map(([collection, mark]) => checkpointWrite(collection, mark)));
    } catch (error) {
      log.error({ err: error }, 'checkpoints not written, tried again');
      pauseMilliseconds = againMilliseconds;
      for (const [collection, mark] of noted) this.note(collection, mark);
    }
    this.#timer = null;
    if (this.#noted.size > 0) this.#schedule(pauseMilliseconds);
  }
}
