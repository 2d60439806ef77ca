import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodePage, type EventDecoder } from '#log/decode-page.ts';
import { PoisonedEvent } from '#log/feed-follower.ts';
import type { Recorded } from '#kernel/event.ts';
import type { AnyProjection } from '#kernel/projection.ts';
import type { DocumentStore, Write } from '#ports/document-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { MAX_PAGE, START, type EventStore, type StoredEvent } from '#ports/event-store.ts';
import {
  applyEvents,
  eventTypesOf,
  heldFrom,
  touchedKeys,
  writesOf,
  type HeldDocuments,
  type PositionedDocument,
} from './apply-batch.ts';
import {
  checkpointWrite,
  clearGeneration,
  createGeneration,
  dropGeneration,
  dropOlder,
  serve,
  servingGeneration,
  type Generation,
  type NewGeneration,
} from './generations.ts';

/** Changed documents that wait in memory for one large write. */
const MAX_CHANGED = 5000;
/** Documents kept in memory between pages, so that the hot ones are neither loaded nor written often. */
const MAX_HELD = 10_000;

/** How far a replay is: positions of the log, and events read so far. */
export interface RebuildProgress {
  readonly position: number;
  readonly head: number;
  readonly events: number;
}

export interface RebuildOptions {
  readonly store: EventStore;
  readonly codec: EventDecoder;
  readonly readStore: DocumentStore;
  readonly onProgress?: (progress: RebuildProgress) => void;
  readonly signal?: AbortSignal;
}

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
  /** While every document that was ever written is still in memory, there is nothing to load. */
  #holdsAll: boolean;
  #position: number;
  /** Up to here everything is in the store. */
  #written: number;
  #poison: PoisonedEvent | null = null;
  /** What the store said to something that was applied after `#written`; nothing more is taken meanwhile. */
  #refusal: Refusal | null = null;

  constructor(projection: AnyProjection, generation: NewGeneration, readStore: DocumentStore) {
    this.projection = projection;
    this.eventTypes = eventTypesOf(projection);
    this.#generation = generation;
    this.#readStore = readStore;
    this.#position = generation.checkpoint;
    this.#written = generation.checkpoint;
    this.#holdsAll = generation.checkpoint === START;
  }

  /** With the position reached so far as its checkpoint. */
  get generation(): NewGeneration {
    return { ...this.#generation, checkpoint: this.#position };
  }

  /** The event at which the fill stands still. */
  get poison(): PoisonedEvent | null {
    return this.#poison;
  }

  /** Whether it still takes events. */
  get isGoingOn(): boolean {
    return this.#poison === null && this.#refusal === null;
  }

  async apply(events: readonly Recorded[], upTo: number): Promise<void> {
    if (!this.isGoingOn || upTo <= this.#position) return;
    const mine = events.filter(
      ({ type, position }) => position > this.#position && this.eventTypes.has(type),
    );
    if (!this.#holdsAll) await this.#asked(this.#load(mine));
    if (this.#refusal) return;
    const poison = applyEvents(this.projection, mine, this.#documents, this.#changed);
    if (poison) this.stopAt(poison, mine);
    else this.#position = upTo;
    if (this.#changed.size >= MAX_CHANGED) await this.#startWriting();
  }

  /** The checkpoint stays at the last event before the poisoned one. */
  stopAt(poison: PoisonedEvent, before: readonly Recorded[] = []): void {
    this.#poison = poison;
    const last = before.findLast(({ position }) => position < poison.position);
    this.#position = Math.max(this.#position, last?.position ?? START);
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
    this.#holdsAll = this.#written === START;
    this.#position = this.#written;
    this.#poison = null;
    this.#refusal = null;
  }

  /** From the beginning, with the indexes in place: an engine may refuse for their sake what it took without. */
  async startOver(): Promise<void> {
    await this.flush();
    await clearGeneration(this.#readStore, this.projection, this.#generation.collection);
    this.#written = START;
    this.rewind();
  }

  /** Makes the indexes. Returns why the store refuses, or null. */
  async index(): Promise<Refusal | null> {
    await this.#asked(this.#readStore.declare(this.#generation.collection, this.projection.indexes));
    return this.#refusal;
  }

  async keepCheckpoint(): Promise<void> {
    await this.#readStore.write([checkpointWrite(this.#generation.collection, this.#position)]);
  }

  /** Ends it, whatever has become of it: nothing is on its way to the store any more. */
  async abandon(): Promise<void> {
    await this.#writing.catch(() => undefined);
    await dropGeneration(this.#readStore, this.#generation.collection);
  }

  /** An engine that is away is everybody's trouble; anything else is this view's. */
  async #asked(answer: Promise<void>): Promise<void> {
    try {
      await answer;
    } catch (error) {
      if (error instanceof EngineUnavailable) throw error;
      this.#refusal = { cause: error };
    }
  }

  async #load(events: readonly Recorded[]): Promise<void> {
    const missing = [...touchedKeys(this.projection, events)].filter((key) => !this.#documents.has(key));
    if (missing.length === 0) return;
    const stored = await this.#readStore.getMany<PositionedDocument>(this.#generation.collection, missing);
    for (const [key, held] of heldFrom(stored)) this.#documents.set(key, held);
  }

  /** One write under way while the next pages are applied. What it holds stays in memory until it is done. */
  async #startWriting(): Promise<void> {
    await this.#writing;
    if (this.#refusal) return;
    if (this.#documents.size > MAX_HELD) this.#evict();
    const writes = writesOf(this.#generation.collection, this.#documents, this.#changed);
    this.#changed = new Set();
    this.#writing = this.#write(writes, this.#position);
    // Awaited above or in flush; until then a failure must not count as unhandled.
    this.#writing.catch(() => undefined);
  }

  async #write(writes: readonly Write[], upTo: number): Promise<void> {
    if (writes.length > 0) await this.#asked(this.#readStore.write(writes));
    if (!this.#refusal) this.#written = upTo;
  }

  #evict(): void {
    this.#holdsAll = false;
    for (const key of this.#documents.keys()) if (!this.#changed.has(key)) this.#documents.delete(key);
  }
}

/** Fills the generations in one pass over the log, from where the furthest behind is up to the head. */
export const fillToHead = async (
  fills: readonly GenerationFill[],
  options: RebuildOptions,
): Promise<void> => {
  const { store, codec, onProgress, signal } = options;
  const wanted = new Set(fills.flatMap(({ eventTypes }) => [...eventTypes]));
  let position = Math.min(...fills.map(({ generation }) => generation.checkpoint));
  let head = await store.head();
  let events = 0;
  while (position < head && fills.some(({ isGoingOn }) => isGoingOn)) {
    signal?.throwIfAborted();
    const page = await store.readAll(position, MAX_PAGE);
    const last = page.at(-1);
    if (!last) break;
    await takePage(page, fills, codec, wanted);
    position = last.position;
    events += page.length;
    if (position >= head) head = await store.head();
    onProgress?.({ position, head, events });
    await nextTurn();
  }
  for (const fill of fills) {
    if (await fill.flush()) await narrowDown(fill, options);
    await fill.keepCheckpoint();
  }
};

const takePage = async (
  page: readonly StoredEvent[],
  fills: readonly GenerationFill[],
  codec: EventDecoder,
  wanted: ReadonlySet<string>,
): Promise<void> => {
  for (const { events, upTo, undecodable } of await decodePage(codec, page, (type) => wanted.has(type))) {
    for (const fill of fills) {
      if (undecodable && fill.eventTypes.has(undecodable.type) && fill.isGoingOn) {
        fill.stopAt(new PoisonedEvent(upTo, `${undecodable.type}: ${undecodable.message}`));
      } else {
        await fill.apply(events, upTo);
      }
    }
  }
};

/**
 * Goes on from what is written, in steps that each refusal halves, until the store refuses what a single event leads
 * to: there the fill stands still. What it refuses concerns this view alone.
 */
const narrowDown = async (
  fill: GenerationFill,
  { store, codec, signal }: Pick<RebuildOptions, 'store' | 'codec' | 'signal'>,
): Promise<void> => {
  let step = MAX_PAGE;
  while (!fill.poison) {
    signal?.throwIfAborted();
    fill.rewind();
    const page = await store.readAll(fill.generation.checkpoint, step);
    const last = page.at(-1);
    if (!last) return;
    await takePage(page, [fill], codec, fill.eventTypes);
    const refusal = await fill.flush();
    if (!refusal) step = Math.min(2 * step, MAX_PAGE);
    else if (step > 1) step = Math.ceil(step / 2);
    else {
      fill.rewind();
      fill.stopAt(new PoisonedEvent(last.position, refusal.cause));
    }
    await nextTurn();
  }
};

/** Gives full generations their indexes. One that cannot have them stops at the event that is to blame. */
export const indexFills = async (
  fills: readonly GenerationFill[],
  options: RebuildOptions,
): Promise<void> => {
  for (const fill of fills) {
    if (!(await fill.index())) continue;
    await fill.startOver();
    await narrowDown(fill, options);
    await fill.keepCheckpoint();
  }
};

/** New, empty generations of these projections. */
export const startFills = (
  projections: readonly AnyProjection[],
  readStore: DocumentStore,
): Promise<readonly GenerationFill[]> =>
  Promise.all(
    projections.map(
      async (projection) =>
        new GenerationFill(projection, await createGeneration(readStore, projection), readStore),
    ),
  );

/**
 * Ends a fill: it serves from now on, and the one before it is still there. One that met a poisoned event does so only
 * if no other generation serves; its follower then stops at the event and says so. Where another process has come
 * first, what that one filled goes on serving, and is the answer. Errors: `PoisonedEvent`.
 */
export const finishFill = async (fill: GenerationFill, readStore: DocumentStore): Promise<Generation> => {
  const { projection, generation, poison } = fill;
  if (poison && (await servingGeneration(readStore, projection))) throw poison;
  if (await serve(readStore, projection, generation)) return generation;
  const other = await servingGeneration(readStore, projection);
  if (!other) throw new Error(`what served of ${projection.name} has changed while it was filled`);
  return other;
};

/** Drops what a rebuild that failed or was called off has filled. */
export const dropUnused = async (
  fills: readonly GenerationFill[],
  readStore: DocumentStore,
): Promise<void> => {
  for (const fill of fills) {
    const serving = await servingGeneration(readStore, fill.projection);
    if (serving?.collection !== fill.generation.collection) await fill.abandon();
  }
};

/**
 * Cold replay of a log that no engine follows into these stores: new generations from position 0, in one pass over the
 * log, each of which then takes over in one step. Beside a running engine ask that one: `ProjectionEngine.rebuild`.
 * Errors: `PoisonedEvent`, `EngineUnavailable`; the old generation of that view then goes on serving.
 */
export const rebuildAll = async (
  projections: readonly AnyProjection[],
  options: RebuildOptions,
): Promise<readonly Generation[]> => {
  const fills = await startFills(projections, options.readStore);
  try {
    await fillToHead(fills, options);
    await indexFills(fills, options);
    const finished: Generation[] = [];
    const failures: unknown[] = [];
    for (const fill of fills) {
      try {
        const serving = await finishFill(fill, options.readStore);
        finished.push(serving);
        await dropOlder(options.readStore, fill.projection, serving);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
    return finished;
  } finally {
    await dropUnused(fills, options.readStore);
  }
};
