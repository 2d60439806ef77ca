import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodePage, type EventDecoder } from '#log/decode-page.ts';
import { PoisonedEvent } from '#log/feed-follower.ts';
import type { Recorded } from '#kernel/event.ts';
import type { AnyProjection } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { MAX_PAGE, type EventStore, type StoredEvent } from '#ports/event-store.ts';
import { GenerationFill } from './generation-fill.ts';
import { createGeneration, dropOlder, serve, servingGeneration, type Generation } from './generations.ts';

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

/** Fills the generations in one pass over the log, from where the furthest behind is up to the head. */
export const fillToHead = async (
  fills: readonly GenerationFill[],
  options: RebuildOptions,
): Promise<void> => {
  const { store, codec, onProgress, signal } = options;
  const going = fills.filter(({ isGoingOn }) => isGoingOn);
  const takers = takersIn(going);
  let position = Math.min(...going.map(({ generation }) => generation.checkpoint.position));
  let head = await store.head();
  let events = 0;
  while (position < head && going.some(({ isGoingOn }) => isGoingOn)) {
    signal?.throwIfAborted();
    const page = await store.readAll(position, MAX_PAGE);
    const last = page.at(-1);
    if (!last) break;
    await takePage(page, going, takers, codec);
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

/** Who takes the events of a type. */
type Takers = ReadonlyMap<string, readonly GenerationFill[]>;

const takersIn = (fills: readonly GenerationFill[]): Takers => {
  const takers = new Map<string, GenerationFill[]>();
  for (const fill of fills) {
    for (const type of fill.eventTypes) {
      const known = takers.get(type);
      if (known) known.push(fill);
      else takers.set(type, [fill]);
    }
  }
  return takers;
};

const sharedOut = (
  events: readonly Recorded[],
  takers: Takers,
): ReadonlyMap<GenerationFill, readonly Recorded[]> => {
  const shares = new Map<GenerationFill, Recorded[]>();
  for (const event of events) {
    for (const fill of takers.get(event.type) ?? []) {
      const share = shares.get(fill);
      if (share) share.push(event);
      else shares.set(fill, [event]);
    }
  }
  return shares;
};

const takePage = async (
  page: readonly StoredEvent[],
  fills: readonly GenerationFill[],
  takers: Takers,
  codec: EventDecoder,
): Promise<void> => {
  const wanted = { wants: (type: string) => takers.has(type), isTimed: false };
  for (const { events, upTo, undecodable } of await decodePage(codec, page, wanted)) {
    const shares = sharedOut(events, takers);
    for (const fill of fills) {
      if (undecodable && fill.eventTypes.has(undecodable.type) && fill.isGoingOn) {
        fill.stopAt(new PoisonedEvent(upTo.position, `${undecodable.type}: ${undecodable.message}`));
      } else {
        await fill.apply(shares.get(fill) ?? [], upTo);
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
  const takers = takersIn([fill]);
  let step = MAX_PAGE;
  while (!fill.poison) {
    signal?.throwIfAborted();
    fill.rewind();
    const page = await store.readAll(fill.generation.checkpoint.position, step);
    const last = page.at(-1);
    if (!last) return;
    await takePage(page, [fill], takers, codec);
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
