import type { Feed } from '#log/feed.ts';
import { PoisonedEvent, type Following } from '#log/feed-follower.ts';
import type { PositionMark } from '#log/wait-for-position.ts';
import { pause } from '#runtime/back-off.ts';
import type { Recorded } from '#kernel/event.ts';
import type { AnyProjection } from '#kernel/projection.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { markOf, MAX_PAGE, type LogMark } from '#ports/event-store.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import {
  applyEvents,
  begunIn,
  eventTypesOf,
  loadHeld,
  touchedBy,
  touchedKeys,
  type HeldDocuments,
} from './apply-batch.ts';
import type { Generation } from './generations.ts';
import { bringBack, lapsingOf, sweepPage, type Histories } from './lapsing.ts';
import { recountOf, type Recount, type RecountedCounters } from './recount.ts';
import type { ViewBuffer } from './view-buffer.ts';
import { COUNTERS } from './view-counters.ts';
import type { WriteBehind } from './write-behind.ts';

/** What becomes of every batch; a histogram by projection in the metrics. */
export interface ProjectionMetrics {
  batchApplied(projection: string, events: number, documents: number, seconds: number): void;
}

export interface FollowOptions {
  readonly feed: Feed;
  readonly readStore: DocumentStore;
  readonly writeBehind: WriteBehind;
  readonly histories: Histories;
  readonly metrics?: ProjectionMetrics | undefined;
}

interface FollowedViewOptions extends FollowOptions {
  readonly projection: AnyProjection;
  /** Under which it stands among the followers of the feed. */
  readonly followerName: string;
  readonly generation: Pick<Generation, 'collection' | 'checkpoint'>;
  readonly mark: PositionMark;
  /** Up to here the store refuses something: each batch is written before the next. */
  readonly refusedUpTo: number;
  /** The store has refused something that was held: the view has to be followed again from what is stored. */
  readonly onRefused: () => void;
}

/** Between two pages of a recount: callers come first. */
const RECOUNT_REST_MILLISECONDS = 5;

const none: ReadonlySet<string> = new Set();
const nothingHeld: HeldDocuments = new Map();

/** A followed generation with everything that belongs to it. */
export class FollowedView {
  readonly buffer: ViewBuffer;
  readonly following: Following;
  readonly #options: FollowedViewOptions;
  #recount: Recount | null = null;
  #isLeft = false;
  #isRefused = false;
  /** Batches of events and pages of a recount, one after another. */
  #turn: Promise<unknown> = Promise.resolve();
  #inHand = 0;

  constructor(options: FollowedViewOptions) {
    this.#options = options;
    const { projection, feed, writeBehind, followerName, refusedUpTo } = options;
    const { collection, checkpoint } = options.generation;
    const onRefused = (): void => {
      this.#isRefused = true;
      options.onRefused();
    };
    this.buffer = writeBehind.open({ collection, mark: checkpoint, refusedUpTo, onRefused });
    this.following = feed.follow({
      name: followerName,
      after: checkpoint.position,
      eventTypes: eventTypesOf(projection),
      handle: (events, upTo) => this.#inTurn(() => this.#take(events, upTo)),
      pass: (upTo) => this.#pass(upTo),
    });
  }

  /** Age of what the store is asked about, in seconds. */
  get lagSeconds(): number {
    const { isStoreAway } = this.#options.writeBehind;
    return Math.max(this.following.lagSeconds, isStoreAway ? this.buffer.heldSeconds : 0);
  }

  /**
   * Finishes the batch in hand, follows no more, and writes what is held. Does not fail, whatever is away: what cannot
   * be written has to be taken again after the buffer's `stored` mark.
   */
  async leave(): Promise<void> {
    this.#isLeft = true;
    await this.following.leave();
    const { writeBehind } = this.#options;
    await writeBehind.flush();
    writeBehind.close(this.buffer);
  }

  /**
   * Compares the counters with what the documents come to, and sets them right. It goes through them a page at a time,
   * between batches, and counts what these change of pages that it has seen. Null where there are none, or the count
   * was disturbed. Errors: `EngineUnavailable`.
   */
  async recount(signal: AbortSignal): Promise<RecountedCounters | null> {
    const recount = recountOf(this.#options.projection);
    if (!recount || this.#recount) return null;
    this.#recount = recount;
    const isDisturbed = (): boolean => this.#isGone || recount.isSpoilt || signal.aborted;
    const step = <Answer>(work: () => Promise<Answer>): Promise<Answer | null> =>
      this.#inTurnOnStore(async () => (isDisturbed() ? null : work()));
    const source = { readStore: this.#options.readStore, collection: this.buffer.collection };
    try {
      for (let isMore: boolean | null = true; isMore;) {
        isMore = await step(() => recount.nextPage(source));
        await pause(RECOUNT_REST_MILLISECONDS, signal);
      }
      return await step(async () => {
        this.buffer.forget(COUNTERS);
        return recount.settle(source, this.buffer.reached.position);
      });
    } finally {
      this.#recount = null;
    }
  }

  /**
   * Removes what was not changed since an ISO instant from a view whose documents lapse, a page at a time between
   * batches; returns how many went. Errors: `EngineUnavailable`.
   */
  async sweep(before: string, signal: AbortSignal): Promise<number> {
    const lapsing = lapsingOf(this.#options.projection);
    if (!lapsing) return 0;
    const sweeping = {
      readStore: this.#options.readStore,
      collection: this.buffer.collection,
      lapsing,
      before,
      forget: (key: string) => this.buffer.forget(key),
    };
    let removed = 0;
    for (let after: string | null = ''; after !== null && !this.#isGone && !signal.aborted;) {
      const from: string = after;
      after = await this.#inTurnOnStore(async () => {
        const page = await sweepPage(sweeping, from);
        removed += page.removed;
        return page.last;
      });
      await pause(RECOUNT_REST_MILLISECONDS, signal);
    }
    return removed;
  }

  get #isGone(): boolean {
    return this.#isLeft || this.#isRefused;
  }

  #inTurn<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    this.#inHand++;
    const mine = this.#turn.then(work);
    const done = (): void => void this.#inHand--;
    this.#turn = mine.then(done, done);
    return mine;
  }

  /** Notes that nothing is to be done up to a mark; false where it is not its turn. */
  #pass(upTo: LogMark): boolean {
    if (this.#inHand > 0 || this.#isRefused || this.buffer.isWrittenThrough) return false;
    this.buffer.hold(nothingHeld, none, upTo);
    this.#reached(upTo);
    return true;
  }

  #reached({ position }: LogMark): void {
    this.#options.mark.advance(position);
    this.#options.writeBehind.schedule();
  }

  /** Work on the store's own documents, which are then all there are. */
  #inTurnOnStore<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    return this.#inTurn(async () => {
      await this.#options.writeBehind.write(this.buffer);
      return work();
    });
  }

  /**
   * What the store refuses is the fault of one event, and of this view alone: halves show which, and what precedes it
   * is kept.
   */
  async #take(events: readonly Recorded[], upTo: LogMark): Promise<void> {
    try {
      await this.#handle(events, upTo);
    } catch (error) {
      const [first] = events;
      if (!first || error instanceof EngineUnavailable || error instanceof PoisonedEvent) throw error;
      if (events.length === 1) throw new PoisonedEvent(first.position, error);
      const half = Math.ceil(events.length / 2);
      const last = events[half - 1] ?? first;
      await this.#take(events.slice(0, half), markOf(last));
      await this.#take(events.slice(half), upTo);
    }
  }

  async #handle(events: readonly Recorded[], upTo: LogMark): Promise<void> {
    const { buffer } = this;
    const { projection, histories, metrics } = this.#options;
    if (events.length === 0) return this.#hold(new Map(), new Set(), upTo);
    const begun = performance.now();
    await this.#options.writeBehind.makeRoom();
    const begunHere = this.#options.writeBehind.isHeld ? begunIn(projection, events) : none;
    const touched = touchedBy(projection, events);
    const documents = await this.#documents(touchedKeys(projection, touched), begunHere);
    await bringBack(histories, projection, events, documents);
    const recount = this.#recount;
    const before = recount && new Map(documents);
    const changed = new Set<string>();
    const poison = applyEvents(projection, events, documents, changed, touched);
    const lastTaken = poison && events.findLast(({ position }) => position < poison.position);
    const last = poison ? lastTaken && markOf(lastTaken) : upTo;
    await this.#hold(
      documents,
      changed,
      last && last.position > buffer.reached.position ? last : buffer.reached,
    );
    if (before) recount.changed(changed, before, documents);
    metrics?.batchApplied(projection.name, events.length, changed.size, (performance.now() - begun) / 1000);
    if (poison) throw poison;
  }

  async #hold(documents: HeldDocuments, changed: ReadonlySet<string>, upTo: LogMark): Promise<void> {
    if (this.#isRefused) return;
    this.buffer.hold(documents, changed, upTo);
    if (this.buffer.isWrittenThrough) await this.#writeNow();
    this.#reached(upTo);
  }

  /** What the store does not take comes again. */
  async #writeNow(): Promise<void> {
    try {
      await this.buffer.write();
    } catch (error) {
      this.buffer.discard();
      this.#recount?.spoil();
      throw error;
    }
  }

  async #documents(keys: ReadonlySet<string>, begunHere: ReadonlySet<string>): Promise<HeldDocuments> {
    const documents: HeldDocuments = new Map();
    const missing: string[] = [];
    for (const key of keys) {
      const known = this.buffer.get(key);
      if (known) documents.set(key, known);
      else if (!begunHere.has(key)) missing.push(key);
    }
    for (let from = 0; from < missing.length; from += MAX_PAGE) {
      const some = missing.slice(from, from + MAX_PAGE);
      for (const [key, held] of await loadHeld(this.#options.readStore, this.buffer.collection, some))
        documents.set(key, held);
    }
    return documents;
  }
}
