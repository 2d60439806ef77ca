import type { Logger } from 'pino';
import type { Document } from '#kernel/projection.ts';
import type { ReadUpTo } from '#log/share-read.ts';
import type { DocumentStore, Write } from '#ports/document-store.ts';
import type { RebuildPhase, RebuildProgress } from './rebuilds/fill-views.ts';
import { createPace } from './rebuilds/pace.ts';

/** How far the first filling of a view is. */
export interface Filling extends ReadUpTo {
  readonly phase: RebuildPhase;
  /** At the pace so far; null until it is known. */
  readonly secondsLeft: number | null;
}

interface Filled extends Document, Filling {}

export interface FillProgressOptions {
  readonly readStore: DocumentStore;
  /** Other replicas show what this one fills. */
  readonly isShared: boolean;
  readonly log: Pick<Logger, 'warn'>;
  /** In milliseconds. Default: real time. */
  readonly now?: () => number;
}

const collection = 'fills';
const NOTE_MILLISECONDS = 500;

/** How far the views are that are filled for the first time, by the one replica that fills them, for all of them. */
export class FillProgress {
  readonly #options: FillProgressOptions;
  #known: ReadonlyMap<string, Filling> = new Map();
  #paceOf: ReturnType<typeof createPace> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: FillProgressOptions) {
    this.#options = options;
  }

  /** Null where nothing has been heard of it. */
  of(view: string): Filling | null {
    return this.#known.get(view) ?? null;
  }

  /** One pass over the log fills all of these. */
  note(views: readonly string[], progress: RebuildProgress): void {
    this.#paceOf ??= createPace(0, this.#options.now ?? (() => performance.now()));
    const { phase, position, head, secondsLeft } = this.#paceOf(progress);
    this.#known = new Map(views.map((view) => [view, { phase, position, head, secondsLeft }]));
    if (!this.#options.isShared) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#write(
        [...this.#known].map(([_id, filling]) => ({ collection, put: { _id, ...filling } as Filled })),
      );
    }, NOTE_MILLISECONDS).unref();
  }

  /** The pass is over: what it has filled serves. */
  async end(views: readonly string[]): Promise<void> {
    this.#known = new Map();
    this.#paceOf = null;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#options.isShared) this.#write(views.map((remove) => ({ collection, remove })));
    await this.#writing;
  }

  /** Sees how far another replica is. Errors: `EngineUnavailable`. */
  async look(views: readonly string[]): Promise<void> {
    if (!this.#options.isShared) return;
    const found = views.length === 0 ? [] : await this.#options.readStore.getMany<Filled>(collection, views);
    this.#known = new Map(found.map(({ _id, ...filling }) => [_id, filling]));
  }

  #write(writes: readonly Write[]): void {
    const { readStore, log } = this.#options;
    this.#writing = this.#writing
      .then(() => readStore.write(writes))
      .catch((error: unknown) => log.warn({ err: error }, 'how far views are filled was not noted'));
  }
}
