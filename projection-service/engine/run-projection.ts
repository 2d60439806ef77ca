import { LRUCache } from 'lru-cache';
import type { Feed } from '#log/feed.ts';
import type { ReadUpTo } from '#log/share-read.ts';
import { PoisonedEvent, type Following, type StoppedAt } from '#log/feed-follower.ts';
import { pause } from '#runtime/back-off.ts';
import { PositionMark } from '#log/wait-for-position.ts';
import type { Recorded } from '#kernel/event.ts';
import type { AnyProjection } from '#kernel/projection.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { markOf, MAX_PAGE, START, startMark, type LogMark } from '#ports/event-store.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import {
  applyEvents,
  eventTypesOf,
  loadHeld,
  touchedKeys,
  writesOf,
  type Held,
  type HeldDocuments,
} from './apply-batch.ts';
import type { Checkpoints } from './checkpoints.ts';
import type { Generation } from './generations.ts';
import { bringBack, lapsingOf, sweepPage, type Histories } from './lapsing.ts';
import { recountOf, type Recount, type RecountedCounters } from './recount.ts';
import { COUNTERS } from './view-counters.ts';

/** Documents written last that are kept: what was touched a moment ago is likely to be touched again. */
const RECENT_DOCUMENTS = 500;
/** Between two pages of a recount: callers come first. */
const RECOUNT_REST_MILLISECONDS = 5;

/** What becomes of every batch; a histogram by projection in the metrics. */
export interface ProjectionMetrics {
  batchApplied(projection: string, events: number, documents: number, seconds: number): void;
}

/** As one generation is: the engine knows how far a first one is. */
export type RunStatus = Omit<ProjectionStatus, 'filling'>;

export interface ProjectionStatus {
  readonly name: string;
  readonly version: number;
  /** The collection that serves; null while the first one is being filled. */
  readonly collection: string | null;
  readonly generation: number | null;
  /** How far the first one is; null once one serves, and before that is known. */
  readonly filling: ReadUpTo | null;
  /** Position of the last event received in order, applied or irrelevant. */
  readonly checkpoint: number;
  /** How far that is behind the head of the log. */
  readonly lagPositions: number;
  readonly lagSeconds: number;
  /** The event at which it stands still; null while it goes on. */
  readonly stopped: StoppedAt | null;
  readonly isFollowing: boolean;
  /** For how long nothing has kept it up to date although this process is to; 0 where it need not. */
  readonly leftSeconds: number;
}

/** A generation while it is followed; whatever belongs to it goes with it. */
interface Followed {
  readonly collection: string;
  readonly following: Following;
  /** What this process wrote, as the only one that follows. Emptied whenever that is in doubt. */
  readonly recent: LRUCache<string, Held>;
  recount: Recount | null;
}

interface RunOptions {
  readonly feed: Feed;
  readonly readStore: DocumentStore;
  readonly checkpoints: Checkpoints;
  readonly histories: Histories;
  readonly metrics?: ProjectionMetrics | undefined;
}

/** One projection in this process: the generation that serves, kept up to date as long as it follows. */
export class ProjectionRun {
  readonly projection: AnyProjection;
  readonly #options: RunOptions;
  readonly #eventTypes: ReadonlySet<string>;
  #serving: Generation | null = null;
  #mark = new PositionMark(START);
  /** What the collection that serves reflects: the mark may be ahead of one that another process has just filled. */
  #reached: LogMark = startMark;
  #followed: Followed | null = null;
  #leftAt = performance.now();
  /** Batches of events and pages of a recount, one after another. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(projection: AnyProjection, options: RunOptions) {
    this.projection = projection;
    this.#options = options;
    this.#eventTypes = eventTypesOf(projection);
  }

  get collection(): string | null {
    return this.#serving?.collection ?? null;
  }

  get serving(): Generation | null {
    return this.#serving;
  }

  /** How far the serving generation is, and whom to wait with. */
  get mark(): PositionMark {
    return this.#mark;
  }

  get lagSeconds(): number {
    return this.#followed?.following.lagSeconds ?? 0;
  }

  get status(): RunStatus {
    const { name, version } = this.projection;
    const checkpoint = this.#mark.position;
    return {
      name,
      version,
      collection: this.collection,
      generation: this.#serving?.generation ?? null,
      checkpoint,
      lagPositions: Math.max(0, this.#options.feed.position - checkpoint),
      lagSeconds: this.lagSeconds,
      stopped: this.#followed?.following.stopped ?? null,
      isFollowing: this.#followed !== null,
      leftSeconds: this.#followed ? 0 : (performance.now() - this.#leftAt) / 1000,
    };
  }

  /**
   * This generation serves, and has come so far: it reaches as far as the one before it, or further. While another
   * replica follows, this is how its progress is seen here.
   */
  adopt(serving: Generation): void {
    this.#serving = serving;
    this.#reached = serving.checkpoint;
    this.#mark.advance(serving.checkpoint.position);
  }

  /** No generation serves: what this one held comes from events that the log has lost. Not while it follows. */
  withdraw(): void {
    this.#serving = null;
    this.#reached = startMark;
    this.#mark = new PositionMark(START);
  }

  /**
   * Keeps the serving generation up to date from here on; nothing to do while there is none. One follower at a time: of
   * two, each would count what the other has counted.
   */
  async follow(): Promise<void> {
    await this.leave();
    if (!this.#serving) return;
    const { collection } = this.#serving;
    const following = this.#options.feed.follow({
      name: this.followerName,
      after: this.#reached.position,
      eventTypes: this.#eventTypes,
      handle: (events, upTo) => this.#inTurn(() => this.#take(followed, events, upTo)),
    });
    const recent = new LRUCache<string, Held>({ max: RECENT_DOCUMENTS });
    const followed: Followed = { collection, following, recent, recount: null };
    this.#followed = followed;
  }

  /** Under which it stands among the followers of the feed. */
  get followerName(): string {
    return `projection ${this.projection.name}`;
  }

  resume(): void {
    this.#followed?.following.resume();
  }

  /** Finishes the batch in hand and follows no more. Does not fail, whatever is away. */
  async leave(): Promise<void> {
    const followed = this.#followed;
    if (followed) this.#leftAt = performance.now();
    this.#followed = null;
    await followed?.following.leave();
  }

  /** Leaves, and writes the checkpoint. */
  async stop(): Promise<void> {
    await this.leave();
    if (this.#serving) await this.#options.checkpoints.keep([this.#serving.collection]);
  }

  /**
   * Compares the tally with what the documents come to, and sets it right. It goes through them a page at a time,
   * between batches, and counts what these change of pages that it has seen. Null where there is no tally, nothing is
   * followed here, or the count was disturbed. Errors: `EngineUnavailable`.
   */
  async recount(signal: AbortSignal): Promise<RecountedCounters | null> {
    const followed = this.#followed;
    const recount = recountOf(this.projection);
    if (!followed || !recount || followed.recount) return null;
    followed.recount = recount;
    const isDisturbed = (): boolean => this.#followed !== followed || recount.isSpoilt || signal.aborted;
    const step = <Answer>(work: () => Promise<Answer>): Promise<Answer | null> =>
      this.#inTurn(async () => (isDisturbed() ? null : work()));
    const { readStore } = this.#options;
    const source = { readStore, collection: followed.collection };
    try {
      for (let isMore: boolean | null = true; isMore;) {
        isMore = await step(() => recount.nextPage(source));
        await pause(RECOUNT_REST_MILLISECONDS, signal);
      }
      return await step(async () => {
        followed.recent.delete(COUNTERS);
        return recount.settle(source, this.#reached.position);
      });
    } finally {
      followed.recount = null;
    }
  }

  /**
   * Removes what was not changed since an ISO instant from a view whose documents lapse, a page at a time between
   * batches; returns how many went. Errors: `EngineUnavailable`.
   */
  async sweep(before: string, signal: AbortSignal): Promise<number> {
    const lapsing = lapsingOf(this.projection);
    const followed = this.#followed;
    if (!lapsing || !followed) return 0;
    const { readStore } = this.#options;
    const { collection, recent } = followed;
    let removed = 0;
    for (let after: string | null = ''; after !== null && this.#followed === followed && !signal.aborted;) {
      const from: string = after;
      const { swept, last } = await this.#inTurn(() =>
        sweepPage({ readStore, collection, lapsing, before }, from),
      );
      for (const key of swept) recent.delete(key);
      removed += swept.length;
      after = last;
      await pause(RECOUNT_REST_MILLISECONDS, signal);
    }
    return removed;
  }

  #inTurn<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => undefined);
    return mine;
  }

  /**
   * What the store refuses is the fault of one event, and of this view alone: halves show which, and what precedes it
   * is kept.
   */
  async #take(followed: Followed, events: readonly Recorded[], upTo: LogMark): Promise<void> {
    try {
      await this.#handle(followed, events, upTo);
    } catch (error) {
      const [first] = events;
      if (!first || error instanceof EngineUnavailable || error instanceof PoisonedEvent) throw error;
      if (events.length === 1) throw new PoisonedEvent(first.position, error);
      const half = Math.ceil(events.length / 2);
      const last = events[half - 1] ?? first;
      await this.#take(followed, events.slice(0, half), markOf(last));
      await this.#take(followed, events.slice(half), upTo);
    }
  }

  async #handle(followed: Followed, events: readonly Recorded[], upTo: LogMark): Promise<void> {
    const { collection, recent, recount } = followed;
    if (events.length === 0) return this.#pass(collection, upTo);
    const { readStore, checkpoints, metrics } = this.#options;
    const begun = performance.now();
    const documents = await this.#documents(followed, touchedKeys(this.projection, events));
    await bringBack(this.#options.histories, this.projection, events, documents);
    const before = recount && new Map(documents);
    const changed = new Set<string>();
    const poison = applyEvents(this.projection, events, documents, changed);
    const lastTaken = poison && events.findLast(({ position }) => position < poison.position);
    const last = poison ? lastTaken && markOf(lastTaken) : upTo;
    const checkpoint = last && last.position > this.#reached.position ? last : this.#reached;
    const writes = writesOf(collection, documents, changed);
    const besides = writes.length > 0 ? checkpoints.besideDocuments(collection, checkpoint) : [];
    await readStore.write([...writes, ...besides]).catch((error: unknown) => {
      recent.clear();
      recount?.spoil();
      throw error;
    });
    for (const key of changed) recent.set(key, documents.get(key));
    if (recount && before) recount.changed(changed, before, documents);
    this.#reached = checkpoint;
    this.#mark.advance(checkpoint.position);
    checkpoints.note(collection, checkpoint);
    metrics?.batchApplied(
      this.projection.name,
      events.length,
      changed.size,
      (performance.now() - begun) / 1000,
    );
    if (poison) throw poison;
  }

  async #documents({ collection, recent }: Followed, keys: ReadonlySet<string>): Promise<HeldDocuments> {
    const documents: HeldDocuments = new Map();
    const missing: string[] = [];
    for (const key of keys) {
      const known = recent.get(key);
      if (known) documents.set(key, known);
      else missing.push(key);
    }
    for (let from = 0; from < missing.length; from += MAX_PAGE) {
      const some = missing.slice(from, from + MAX_PAGE);
      for (const [key, held] of await loadHeld(this.#options.readStore, collection, some))
        documents.set(key, held);
    }
    return documents;
  }

  /** Nothing in it for us: the mark moves at once, the stored checkpoint before long. */
  #pass(collection: string, upTo: LogMark): void {
    this.#reached = upTo;
    this.#mark.advance(upTo.position);
    this.#options.checkpoints.note(collection, upTo);
  }
}
