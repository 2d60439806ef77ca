import type { Logger } from 'pino';
import type { Document } from '#kernel/projection.ts';
import type { ReadUpTo } from '#log/share-read.ts';
import type { DocumentStore, Write } from '#ports/document-store.ts';

interface Filled extends Document, ReadUpTo {}

export interface FillProgressOptions {
  readonly readStore: DocumentStore;
  /** Other replicas show what this one fills. */
  readonly isShared: boolean;
  readonly log: Pick<Logger, 'warn'>;
}

const collection = 'fills';
const NOTE_MILLISECONDS = 500;

/** How far the views are that are filled for the first time, by the one replica that fills them, for all of them. */
export class FillProgress {
  readonly #options: FillProgressOptions;
  #known: ReadonlyMap<string, ReadUpTo> = new Map();
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: FillProgressOptions) {
    this.#options = options;
  }

  /** Null where nothing has been heard of it. */
  of(view: string): ReadUpTo | null {
    return this.#known.get(view) ?? null;
  }

  /** One pass over the log fills all of these. */
  note(views: readonly string[], { position, head }: ReadUpTo): void {
    this.#known = new Map(views.map((view) => [view, { position, head }]));
    if (!this.#options.isShared) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#write([...this.#known].map(([_id, upTo]) => ({ collection, put: { _id, ...upTo } as Filled })));
    }, NOTE_MILLISECONDS).unref();
  }

  /** The pass is over: what it has filled serves. */
  async end(views: readonly string[]): Promise<void> {
    this.#known = new Map();
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#options.isShared) this.#write(views.map((remove) => ({ collection, remove })));
    await this.#writing;
  }

  /** Sees how far another replica is. Errors: `EngineUnavailable`. */
  async look(views: readonly string[]): Promise<void> {
    if (!this.#options.isShared) return;
    const found = views.length === 0 ? [] : await this.#options.readStore.getMany<Filled>(collection, views);
    this.#known = new Map(found.map(({ _id, position, head }) => [_id, { position, head }]));
  }

  #write(writes: readonly Write[]): void {
    const { readStore, log } = this.#options;
    this.#writing = this.#writing
      .then(() => readStore.write(writes))
      .catch((error: unknown) => log.warn({ err: error }, 'how far views are filled was not noted'));
  }
}
