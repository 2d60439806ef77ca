import type { DocumentStore } from '#ports/document-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { LogMark } from '#ports/event-store.ts';
import { asStored, writesOf, type Held, type HeldDocuments, type PositionedDocument } from './apply-batch.ts';
import { checkpointWrite } from './generations.ts';

export interface ViewBufferOptions {
  readonly collection: string;
  /** What the store reflects, and its checkpoint says. */
  readonly mark: LogMark;
  readonly readStore: Pick<DocumentStore, 'write'>;
  /** The checkpoint is part of each batch that it vouches for; otherwise it is written apart. */
  readonly isCheckpointInBatch: boolean;
  /** Until the store reflects this position, nothing is held for longer than it takes to write it. */
  readonly writeThroughUpTo: number;
}

/**
 * Documents of one view on their way to the store: what has changed, each in its last version, and what was written
 * last, which is likely to change again.
 */
export class ViewBuffer {
  readonly #options: ViewBufferOptions;
  #changed: HeldDocuments = new Map();
  #written: HeldDocuments = new Map();
  readonly #shown = new WeakMap<Held, PositionedDocument>();
  #reached: LogMark;
  /** What the store reflects, while something is held. */
  #stored: LogMark;
  #saved: LogMark;
  #writing: Promise<void> | null = null;
  /** In `performance.now()`. */
  #heldSince: number | null = null;
  /** Grow with each batch that changes something; equal while the store has everything. */
  #batches = 0;
  #storedBatches = 0;
  #state: object = {};

  constructor(options: ViewBufferOptions) {
    this.#options = options;
    this.#reached = this.#stored = this.#saved = options.mark;
  }

  get collection(): string {
    return this.#options.collection;
  }

  /** The last event that the documents reflect, as they are read here. */
  get reached(): LogMark {
    return this.#reached;
  }

  /** The last event that the documents reflect, as they are in the store. */
  get stored(): LogMark {
    return this.isStored ? this.#reached : this.#stored;
  }

  get isStored(): boolean {
    return this.#batches === this.#storedBatches;
  }

  /** Another one whenever a document has changed; null while the store may lack something. */
  get state(): object | null {
    return this.isStored ? this.#state : null;
  }

  get isWrittenThrough(): boolean {
    return this.stored.position < this.#options.writeThroughUpTo;
  }

  /** A checkpoint that the store can be given. Null where it has it already. */
  get unsaved(): LogMark | null {
    const { stored } = this;
    return stored.position > this.#saved.position ? stored : null;
  }

  /** How many documents are held that the store may not have. */
  get size(): number {
    return this.#changed.size + (this.#writing ? this.#written.size : 0);
  }

  /** For how long the store has lacked something. */
  get heldSeconds(): number {
    return this.#heldSince === null ? 0 : (performance.now() - this.#heldSince) / 1000;
  }

  get(key: string): Held | undefined {
    return this.#changed.get(key) ?? this.#written.get(key);
  }

  /** What is read under a key: null where there is no document, undefined where only the store knows. */
  shown(key: string): PositionedDocument | null | undefined {
    const held = this.get(key);
    if (!held) return undefined;
    const shown = held.document && (this.#shown.get(held) ?? readBack(key, held));
    if (shown) this.#shown.set(held, shown);
    return shown;
  }

  /** Takes what a batch of events up to a mark has changed. */
  hold(documents: HeldDocuments, changed: ReadonlySet<string>, mark: LogMark): void {
    if (changed.size > 0) {
      this.#stored = this.stored;
      this.#batches++;
      this.#state = {};
      this.#heldSince ??= performance.now();
    }
    for (const key of changed) {
      const held = documents.get(key);
      if (held) this.#changed.set(key, held);
    }
    this.#reached = mark;
  }

  /**
   * Resolves once the store has everything that is held now. While it is away that stays held; what it refuses is
   * discarded, with all that was held beside it. Errors: those of the store.
   */
  async write(): Promise<void> {
    const wanted = this.#batches;
    while (this.#storedBatches < wanted) {
      this.#writing ??= this.#writeChanged().finally(() => (this.#writing = null));
      await this.#writing;
    }
  }

  /** The store's checkpoint says so. */
  saved(mark: LogMark): void {
    if (mark.position > this.#saved.position) this.#saved = mark;
  }

  /** The store has it otherwise than it was written. */
  forget(key: string): void {
    this.#written.delete(key);
    this.#state = {};
  }

  /** Back to what the store has. */
  discard(): void {
    this.#reached = this.stored;
    this.#state = {};
    this.#changed = new Map();
    this.#written = new Map();
    this.#storedBatches = this.#batches;
    this.#heldSince = null;
  }

  async #writeChanged(): Promise<void> {
    const { collection, readStore, isCheckpointInBatch } = this.#options;
    const [batches, mark, since] = [this.#batches, this.#reached, this.#heldSince];
    this.#written = this.#changed;
    this.#changed = new Map();
    this.#heldSince = null;
    try {
      const writes = writesOf(collection, this.#written, this.#written.keys());
      if (isCheckpointInBatch) writes.push(checkpointWrite(collection, mark));
      await readStore.write(writes);
      this.#stored = mark;
      this.#storedBatches = batches;
      if (isCheckpointInBatch) this.saved(mark);
    } catch (error) {
      this.#changed = new Map([...this.#written, ...this.#changed]);
      this.#written = new Map();
      this.#heldSince = since;
      if (!(error instanceof EngineUnavailable)) this.discard();
      throw error;
    }
  }
}

/** As the store would return it. */
const readBack = (key: string, { document, position }: Held): PositionedDocument | null =>
  document && (JSON.parse(JSON.stringify(asStored(key, document, position))) as PositionedDocument);
