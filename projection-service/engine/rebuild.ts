import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodePage, type EventDecoder } from '#engine/decode-page.ts';
import { PoisonedEvent } from '#engine/feed-follower.ts';
import type { Recorded } from '#kernel/event.ts';
import type { AnyProjection } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { MAX_PAGE, START, type EventStore } from '#ports/event-store.ts';
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
  createGeneration,
  dropGeneration,
  dropOthers,
  serve,
  servingGeneration,
  type Generation,
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

/** A generation while it is filled from the log. */
export class GenerationFill {
  readonly projection: AnyProjection;
  readonly eventTypes: ReadonlySet<string>;
  readonly #generation: Generation;
  readonly #readStore: DocumentStore;
  readonly #documents: HeldDocuments = new Map();
  #changed = new Set<string>();
  #writing: Promise<void> = Promise.resolve();
  /** While every document that was ever written is still in memory, there is nothing to load. */
  #holdsAll: boolean;
  #position: number;
  #poison: PoisonedEvent | null = null;

  constructor(projection: AnyProjection, generation: Generation, readStore: DocumentStore) {
    this.projection = projection;
    this.eventTypes = eventTypesOf(projection);
    this.#generation = generation;
    this.#readStore = readStore;
    this.#position = generation.checkpoint;
    this.#holdsAll = generation.checkpoint === START;
  }

  /** With the position reached so far as its checkpoint. */
  get generation(): Generation {
    return { ...this.#generation, checkpoint: this.#position };
  }

  /** The event at which the fill stands still. */
  get poison(): PoisonedEvent | null {
    return this.#poison;
  }

  async apply(events: readonly Recorded[], upTo: number): Promise<void> {
    if (this.#poison || upTo <= this.#position) return;
    const mine = events.filter(
      ({ type, position }) => position > this.#position && this.eventTypes.has(type),
    );
    if (!this.#holdsAll) await this.#load(mine);
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

  /** Writes the rest and the checkpoint. */
  async finish(): Promise<void> {
    await this.#startWriting();
    await this.#writing;
    await this.#readStore.write([checkpointWrite(this.#generation.collection, this.#position)]);
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
    if (this.#documents.size > MAX_HELD) this.#evict();
    const writes = writesOf(this.#generation.collection, this.#documents, this.#changed);
    this.#changed = new Set();
    this.#writing = writes.length === 0 ? Promise.resolve() : this.#readStore.write(writes);
    // Awaited above or in finish; until then a failure must not count as unhandled.
    this.#writing.catch(() => undefined);
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
  while (position < head && fills.some(({ poison }) => poison === null)) {
    signal?.throwIfAborted();
    const page = await store.readAll(position, MAX_PAGE);
    const last = page.at(-1);
    if (!last) break;
    for (const chunk of await decodePage(codec, page, (type) => wanted.has(type))) {
      for (const fill of fills) {
        const { undecodable, upTo } = chunk;
        if (undecodable && fill.eventTypes.has(undecodable.type) && !fill.poison) {
          fill.stopAt(new PoisonedEvent(upTo, `${undecodable.type}: ${undecodable.message}`));
        } else {
          await fill.apply(chunk.events, upTo);
        }
      }
    }
    position = last.position;
    events += page.length;
    if (position >= head) head = await store.head();
    onProgress?.({ position, head, events });
    await nextTurn();
  }
  for (const fill of fills) await fill.finish();
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
 * if no other generation serves; its follower then stops at the event and says so. Errors: `PoisonedEvent`.
 */
export const finishFill = async (fill: GenerationFill, readStore: DocumentStore): Promise<Generation> => {
  const { projection, generation, poison } = fill;
  if (poison && (await servingGeneration(readStore, projection))) throw poison;
  await serve(readStore, projection, generation);
  return generation;
};

/** Drops what a rebuild that failed or was called off has filled. */
export const dropUnused = async (
  fills: readonly GenerationFill[],
  readStore: DocumentStore,
): Promise<void> => {
  for (const { projection, generation } of fills) {
    const serving = await servingGeneration(readStore, projection);
    if (serving?.collection !== generation.collection) await dropGeneration(readStore, generation.collection);
  }
};

/**
 * Cold replay of a log that no engine follows into these stores: new generations from position 0, in one pass over the
 * log, each of which then takes over in one step. Beside a running engine ask that one: `ProjectionEngine.rebuild`.
 * Errors: `PoisonedEvent`, `EngineUnavailable`; the old generations then go on serving.
 */
export const rebuildAll = async (
  projections: readonly AnyProjection[],
  options: RebuildOptions,
): Promise<readonly Generation[]> => {
  const fills = await startFills(projections, options.readStore);
  try {
    await fillToHead(fills, options);
    const finished: Generation[] = [];
    for (const fill of fills) {
      finished.push(await finishFill(fill, options.readStore));
      await dropOthers(options.readStore, fill.projection, fill.generation);
    }
    return finished;
  } finally {
    await dropUnused(fills, options.readStore);
  }
};
