import type { Logger } from 'pino';
import type { DocumentStore } from '#ports/document-store.ts';
import { checkpointWrite } from './generations.ts';

export interface CheckpointsOptions {
  readonly readStore: DocumentStore;
  readonly log: Pick<Logger, 'error'>;
  readonly afterMilliseconds: number;
  /** How long a store that was away is left alone; default 1 s. */
  readonly againMilliseconds?: number;
}

const AGAIN_MILLISECONDS = 1000;

/**
 * How far generations have come, kept a little later and in one write for all of them: on a server it costs as much as
 * a write of documents. A process that is killed meanwhile takes the last events once more, which changes nothing.
 */
export class Checkpoints {
  readonly #options: CheckpointsOptions;
  readonly #noted = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: CheckpointsOptions) {
    this.#options = options;
  }

  /** A collection reflects the log up to a position: what it holds has been written. */
  note(collection: string, position: number): void {
    this.#noted.set(collection, Math.max(position, this.#noted.get(collection) ?? position));
    this.#schedule(this.#options.afterMilliseconds);
  }

  /**
   * Writes those of the collections now, as they are not followed any more. What a store that is away does not take is
   * given up: the next follower takes the last events once more.
   */
  async keep(collections: readonly string[]): Promise<void> {
    await this.#writing;
    const { readStore, log } = this.#options;
    const writes = collections.flatMap((collection) => {
      const position = this.#noted.get(collection);
      this.#noted.delete(collection);
      return position === undefined ? [] : [checkpointWrite(collection, position)];
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
      await readStore.write(noted.map(([collection, position]) => checkpointWrite(collection, position)));
    } catch (error) {
      log.error({ err: error }, 'checkpoints not written, tried again');
      pauseMilliseconds = againMilliseconds;
      for (const [collection, position] of noted) this.note(collection, position);
    }
    this.#timer = null;
    if (this.#noted.size > 0) this.#schedule(pauseMilliseconds);
  }
}
