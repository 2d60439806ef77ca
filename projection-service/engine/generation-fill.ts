import type { PoisonedEvent } from '#log/feed-follower.ts';
import type { Recorded } from '#kernel/event.ts';
import type { AnyProjection } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { markOf, START, startMark, type LogMark } from '#ports/event-store.ts';
import {
  applyEvents,
  begunIn,
  eventTypesOf,
  loadHeld,
  touchedBy,
  touchedKeys,
  writesOf,
  type HeldDocuments,
  type Touched,
} from './apply-batch.ts';
import { checkpointWrite, clearGeneration, dropGeneration, type NewGeneration } from './generations.ts';

/** Changed documents that wait in memory for one large write. */
const MAX_CHANGED = 500;
/** Documents kept in memory between pages, so that the hot ones are neither loaded nor written often. */
const MAX_HELD = 500;

/** Why the store does not take something. */
interface Refusal {
  readonly cause: unknown;
}

/** A generation while it is filled from the log. */
export class GenerationFill {
  readonly projection: AnyProjection;
  readonly eventTypes: ReadonlySet<string>;
  readonly #generation: NewGeneration;
  readonly #readStore: DocumentStore;
  readonly #documents: HeldDocuments = new Map();
  #changed = new Set<string>();
  #writing: Promise<void> = Promise.resolve();
  #beingWritten = 0;
  /** While every document that was ever written is still in memory, there is nothing to load. */
  #holdsAll: boolean;
  #reached: LogMark;
  /** Up to here everything is in the store. */
  #written: LogMark;
  #poison: PoisonedEvent | null = null;
  /** What the store said to something that was applied after `#written`; nothing more is taken meanwhile. */
  #refusal: Refusal | null = null;
  #isGivenUp = false;

  constructor(projection: AnyProjection, generation: NewGeneration, readStore: DocumentStore) {
    this.projection = projection;
    this.eventTypes = eventTypesOf(projection);
    this.#generation = generation;
    this.#readStore = readStore;
    this.#reached = generation.checkpoint;
    this.#written = generation.checkpoint;
    this.#holdsAll = generation.checkpoint.position === START;
  }

  /** With what it has reached so far as its checkpoint. */
  get generation(): NewGeneration {
    return { ...this.#generation, checkpoint: this.#reached };
  }

  /** The event at which the fill stands still. */
  get poison(): PoisonedEvent | null {
    return this.#poison;
  }

  /** Whether it still takes events. */
  get isGoingOn(): boolean {
    return this.#poison === null && this.#refusal === null && !this.#isGivenUp;
  }

  /** How many documents have changed since the last write was begun. */
  get changed(): number {
    return this.#changed.size;
  }

  /** How many documents the store has been given and has not taken yet. */
  get beingWritten(): number {
    return this.#beingWritten;
  }

  /** It is wanted no longer. Resolves once nothing more of it is written. */
  async giveUp(): Promise<void> {
    this.#isGivenUp = true;
    await this.settled();
  }

  /** None of the events up to there is of its types. */
  pass(upTo: LogMark): void {
    if (this.isGoingOn && upTo.position > this.#reached.position) this.#reached = upTo;
  }

  /** `events`: of its own types. */
  async apply(events: readonly Recorded[], upTo: LogMark): Promise<void> {
    const after = this.#reached.position;
    if (!this.isGoingOn || upTo.position <= after) return;
    const [first] = events;
    const mine = first && first.position > after ? events : events.filter(({ position }) => position > after);
    const touched = touchedBy(this.projection, mine);
    if (!this.#holdsAll) await this.#asked(this.#load(mine, touched));
    if (this.#refusal) return;
    const poison = applyEvents(this.projection, mine, this.#documents, this.#changed, touched);
    if (poison) this.stopAt(poison, mine);
    else this.#reached = upTo;
    if (this.#changed.size >= MAX_CHANGED) await this.#startWriting();
  }

  /** The checkpoint stays at the last event before the poisoned one. */
  stopAt(poison: PoisonedEvent, before: readonly Recorded[] = []): void {
    this.#poison = poison;
    const last = before.findLast(({ position }) => position < poison.position);
    if (last && last.position > this.#reached.position) this.#reached = markOf(last);
  }

  /** Writes what has been applied. Returns why the store refuses it, or null. */
  async flush(): Promise<Refusal | null> {
    await this.#startWriting();
    await this.#writing;
    return this.#refusal;
  }

  /** Back to what the store holds. */
  rewind(): void {
    this.#documents.clear();
    this.#changed = new Set();
    this.#holdsAll = this.#written.position === START;
    this.#reached = this.#written;
    this.#poison = null;
    this.#refusal = null;
  }

  /** From the beginning, with the indexes in place: an engine may refuse for their sake what it took without. */
  async startOver(): Promise<void> {
    await this.flush();
    if (this.#isGivenUp) return;
    await clearGeneration(this.#readStore, this.projection, this.#generation.collection);
    this.#written = startMark;
    this.rewind();
  }

  /** Makes the indexes. Returns why the store refuses, or null. */
  async index(): Promise<Refusal | null> {
    if (this.#isGivenUp) return null;
    const { collection } = this.#generation;
    this.#writing = this.#asked(
      this.#readStore.declare(collection, this.projection.indexes, { filling: 'ends' }),
    );
    await this.#writing;
    return this.#refusal;
  }

  /** Has what has been applied written, which goes on while more is applied. */
  async keep(): Promise<void> {
    if (this.#reached.position > this.#written.position) await this.#startWriting();
  }

  /** Resolves once no write is under way. */
  async settled(): Promise<void> {
    await this.#writing.catch(() => undefined);
  }

  /** Ends it in any state: no write is on its way to the store any more. */
  async abandon(): Promise<void> {
    await this.settled();
    await dropGeneration(this.#readStore, this.#generation.collection);
  }

  /** An engine that is away concerns every view; any other failure only this one. */
  async #asked(answer: Promise<void>): Promise<void> {
    try {
      await answer;
    } catch (error) {
      if (error instanceof EngineUnavailable) throw error;
      this.#refusal = { cause: error };
    }
  }

  async #load(events: readonly Recorded[], touched: Touched): Promise<void> {
    const begun = begunIn(this.projection, events);
    const isMissing = (key: string): boolean => !this.#documents.has(key) && !begun.has(key);
    const missing = [...touchedKeys(this.projection, touched)].filter(isMissing);
    if (missing.length === 0) return;
    const stored = await loadHeld(this.#readStore, this.#generation.collection, missing);
    for (const [key, held] of stored) this.#documents.set(key, held);
  }

  /** One write under way while the next pages are applied. What it holds stays in memory until it is done. */
  async #startWriting(): Promise<void> {
    await this.#writing;
    if (this.#refusal || this.#isGivenUp) return;
    if (this.#documents.size > MAX_HELD) this.#evict();
    if (this.#reached.position === this.#written.position) return;
    const { collection } = this.#generation;
    const writes = writesOf(collection, this.#documents, this.#changed);
    this.#changed = new Set();
    // With the checkpoint that vouches for it: after a kill it goes on from there.
    const written = this.#readStore.write([...writes, checkpointWrite(collection, this.#reached)]);
    this.#writing = this.#whenWritten(written, writes.length, this.#reached);
    // Awaited above or in flush; until then a failure must not count as unhandled.
    this.#writing.catch(() => undefined);
  }

  /** It keeps nothing of what is written: the store has that in texts, and the copies are garbage. */
  async #whenWritten(written: Promise<void>, count: number, upTo: LogMark): Promise<void> {
    this.#beingWritten = count;
    try {
      await this.#asked(written);
    } finally {
      this.#beingWritten = 0;
    }
    if (!this.#refusal) this.#written = upTo;
  }

  #evict(): void {
    this.#holdsAll = false;
    for (const key of this.#documents.keys()) if (!this.#changed.has(key)) this.#documents.delete(key);
  }
}
