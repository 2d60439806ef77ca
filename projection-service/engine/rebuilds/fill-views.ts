import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodePage, type Chunk, type EventDecoder } from '#log/decode-page.ts';
import { PoisonedEvent } from '#log/feed-follower.ts';
import type { Recorded } from '#kernel/event.ts';
import type { AnyProjection } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { MAX_PAGE, type EventStore, type StoredEvent } from '#ports/event-store.ts';
import { GenerationFill } from '../generation-fill.ts';
import { createGeneration, keptGeneration } from '../generations.ts';

/** What a rebuild is at; each phase follows the one before. */
export type RebuildPhase = 'filling' | 'indexes' | 'catching up' | 'switching';

/** How far a pass over the log is: positions of the log, and events read so far. */
export interface RebuildProgress {
  readonly phase: RebuildPhase;
  readonly position: number;
  readonly head: number;
  readonly events: number;
}

export interface FillOptions {
  readonly store: Pick<EventStore, 'readAll' | 'eventAt' | 'head'>;
  readonly codec: EventDecoder;
  /** The last position that counts. Default: the head of the log, however far that moves meanwhile. */
  readonly upTo?: number;
  readonly onProgress?: (progress: RebuildProgress) => void;
  readonly signal?: AbortSignal;
  /** How many events are taken before other callers have their turn. Default: 250. */
  readonly pageSize?: number;
  /** In milliseconds. Default: real time. */
  readonly now?: () => number;
}

/** What these are decoded to is garbage soon enough to be collected young, which costs a third less. */
const PAGE = 250;

/** Whatever is done twice after a kill has been done since then, or since the latest where the store is slow. */
const KEEP_MILLISECONDS = 2000;
const KEEP_AT_THE_LATEST_MILLISECONDS = 3500;
/** Documents of all views whose texts wait for the store at the same time: more only add to memory. */
const MAX_WAITING = 1000;

/** New, empty generations of these projections. */
export const startFills = (
  projections: readonly AnyProjection[],
  readStore: DocumentStore,
): Promise<readonly GenerationFill[]> =>
  Promise.all(
    projections.map(async (projection) => {
      const generation = await createGeneration(readStore, projection);
      return new GenerationFill(projection, generation, readStore);
    }),
  );

/** Goes on with a generation that was begun before; null where nothing is left of it. Errors: `EngineUnavailable`. */
export const resumeFill = async (
  projection: AnyProjection,
  generation: number,
  readStore: DocumentStore,
): Promise<GenerationFill | null> => {
  const kept = await keptGeneration(readStore, projection, generation);
  if (!kept) return null;
  // It may have been begun by another connection.
  await readStore.declare(kept.collection, projection.indexes, { filling: 'begins' });
  return new GenerationFill(projection, kept, readStore);
};

/**
 * Fills generations in one pass over the log, from where the furthest behind is, gives them their indexes and has them
 * catch up with what came meanwhile. Documents are kept with the checkpoint that vouches for them every few seconds, so
 * that `resumeFill` goes on from there after a kill. What one view cannot take ends that fill alone (`poison`).
 * Errors: `EngineUnavailable`, `AbortError`; what is kept then stays.
 */
export const fillViews = async (fills: readonly GenerationFill[], options: FillOptions): Promise<void> => {
  try {
    const pass = new Pass(options);
    await pass.fill('filling', fills);
    await pass.index(fills);
    await pass.fill('catching up', fills);
  } finally {
    await Promise.all(fills.map((fill) => fill.settled()));
  }
};

/** Takes what the log holds beyond generations that are full, indexes and all. */
export const takeRest = (fills: readonly GenerationFill[], options: FillOptions): Promise<void> =>
  new Pass(options).fill('switching', fills);

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

const isGoingOn = (fills: readonly GenerationFill[]): boolean => fills.some((fill) => fill.isGoingOn);

class Pass {
  readonly #options: FillOptions;
  readonly #now: () => number;
  readonly #begunAt: number;
  readonly #keptAt = new Map<GenerationFill, number>();
  #events = 0;

  constructor(options: FillOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#begunAt = this.#now();
  }

  async fill(phase: RebuildPhase, fills: readonly GenerationFill[]): Promise<void> {
    const going = fills.filter((fill) => fill.isGoingOn);
    const takers = takersIn(going);
    const types = new Set(takers.keys());
    let position = Math.min(...going.map(({ generation }) => generation.checkpoint.position));
    let head = await this.#end();
    while (position < head && isGoingOn(going)) {
      this.#options.signal?.throwIfAborted();
      const page = await this.#page(position, this.#options.pageSize ?? PAGE, types);
      const last = page.at(-1);
      if (!last) break;
      await this.#take(page, going, takers);
      position = last.position;
      this.#events += page.length;
      if (position >= head) head = await this.#end();
      this.#tell(phase, position, head);
      await this.#keep(going);
      await nextTurn();
    }
    for (const fill of fills) {
      if (await fill.flush()) await this.#narrowDown(fill);
    }
  }

  /** One that cannot have its indexes stops at the event that is to blame. */
  async index(fills: readonly GenerationFill[]): Promise<void> {
    const head = await this.#end();
    for (const fill of fills) {
      this.#options.signal?.throwIfAborted();
      this.#tell('indexes', fill.generation.checkpoint.position, head);
      if (!(await fill.index())) continue;
      await fill.startOver();
      await this.#narrowDown(fill);
    }
  }

  async #end(): Promise<number> {
    const { store, upTo = Infinity } = this.#options;
    return Math.min(upTo, await store.head());
  }

  /** Ends with the event at the position up to which it is to be read, if there is one. */
  async #page(after: number, limit: number, types: ReadonlySet<string>): Promise<readonly StoredEvent[]> {
    const { store, upTo = Infinity } = this.#options;
    if (after >= upTo) return [];
    const page = await store.readAll(after, limit, types);
    if ((page.at(-1)?.position ?? 0) <= upTo) return page;
    const wanted = page.filter(({ position }) => position <= upTo);
    const last = wanted.at(-1)?.position === upTo ? null : await store.eventAt(upTo);
    return last ? [...wanted, last] : wanted;
  }

  async #take(page: readonly StoredEvent[], fills: readonly GenerationFill[], takers: Takers): Promise<void> {
    const wanted = { wants: (type: string) => takers.has(type), isTimed: false };
    for (const chunk of await decodePage(this.#options.codec, page, wanted))
      await this.#apply(chunk, fills, takers);
  }

  async #apply(
    { events, upTo, undecodable }: Chunk,
    fills: readonly GenerationFill[],
    takers: Takers,
  ): Promise<void> {
    const shares = sharedOut(events, takers);
    for (const fill of fills) {
      const share = shares.get(fill);
      if (undecodable && fill.eventTypes.has(undecodable.type) && fill.isGoingOn) {
        fill.stopAt(new PoisonedEvent(upTo.position, `${undecodable.type}: ${undecodable.message}`));
      } else if (share) await fill.apply(share, upTo);
      else fill.pass(upTo);
    }
  }

  /** One after another, as what they write is taken by the store. */
  async #keep(fills: readonly GenerationFill[]): Promise<void> {
    const now = this.#now();
    for (const fill of fills) {
      const since = now - (this.#keptAt.get(fill) ?? this.#begunAt);
      if (since < KEEP_MILLISECONDS) continue;
      const waiting = fills.reduce((sum, { beingWritten }) => sum + beingWritten, 0);
      const isTooMuch = waiting > 0 && waiting + fill.changed > MAX_WAITING;
      if (isTooMuch && since < KEEP_AT_THE_LATEST_MILLISECONDS) continue;
      await fill.keep();
      this.#keptAt.set(fill, now);
    }
  }

  /**
   * Goes on from what is written, in steps that each refusal halves, until the store refuses what a single event leads
   * to: there the fill stands still. What it refuses concerns this view alone.
   */
  async #narrowDown(fill: GenerationFill): Promise<void> {
    const takers = takersIn([fill]);
    let step = MAX_PAGE;
    do {
      this.#options.signal?.throwIfAborted();
      fill.rewind();
      if (!fill.isGoingOn) return;
      const page = await this.#page(fill.generation.checkpoint.position, step, fill.eventTypes);
      const last = page.at(-1);
      if (!last) return;
      await this.#take(page, [fill], takers);
      const refusal = await fill.flush();
      if (!refusal) step = Math.min(2 * step, MAX_PAGE);
      else if (step > 1) step = Math.ceil(step / 2);
      else {
        fill.rewind();
        fill.stopAt(new PoisonedEvent(last.position, refusal.cause));
      }
      await nextTurn();
    } while (!fill.poison);
  }

  #tell(phase: RebuildPhase, position: number, head: number): void {
    this.#options.onProgress?.({ phase, position, head, events: this.#events });
  }
}
