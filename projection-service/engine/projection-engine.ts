import type { Logger } from 'pino';
import type { EventDecoder } from '#log/decode-page.ts';
import type { Feed } from '#log/feed.ts';
import { workWheneverHeld, type Leases } from '#runtime/leases.ts';
import { waitForPosition, type Waited } from '#log/wait-for-position.ts';
import type { Clock } from '#kernel/clock.ts';
import type { AnyProjection, Document } from '#kernel/projection.ts';
import type { ForgettingWatch } from '#log/forgetting-watch.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { EventStore } from '#ports/event-store.ts';
import { FillProgress, type Filling } from './fill-progress.ts';
import { FormerVersions } from './former-versions.ts';
import { adoptUnversioned, dropFormerVersions, servingGenerations, versionName } from './generations.ts';
import type { CheckedCounters } from './recount.ts';
import type { RebuildState } from './rebuilds/rebuild-order.document.ts';
import { createRebuildOrders, type RebuildOrders } from './rebuilds/rebuild-orders.ts';
import type { ViewFiller } from './rebuilds/view-filler.ts';
import { ViewReplacing } from './rebuilds/view-replacing.ts';
import type { ProjectionMetrics } from './followed-view.ts';
import { ProjectionRun, type ProjectionStatus } from './run-projection.ts';
import { NOTE_USE_MILLISECONDS, noteVersionsInUse } from './versions-in-use.ts';
import { withdrawLost } from './withdraw-lost.ts';
import { WriteBehind } from './write-behind.ts';

export interface ProjectionEngineOptions {
  readonly projections: readonly AnyProjection[];
  readonly feed: Feed;
  readonly store: EventStore;
  readonly codec: EventDecoder;
  readonly readStore: DocumentStore;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly forgetting: Pick<ForgettingWatch, 'last'>;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  readonly metrics?: ProjectionMetrics;
  /** Where new generations are filled. Default: in this thread. */
  readonly filler?: ViewFiller;
}

/** The projections of this process: followed under one lease, watched by name. */
export interface ProjectionEngine {
  /**
   * The collection that serves a view: of a former version while the present one is being filled, if its queries can
   * read that, else null. Throws for an unknown name.
   */
  collectionOf(name: string): string | null;
  /** How old what a former version of a view answers is, in seconds; null where the present one answers, or none. */
  formerLagSeconds(name: string): number | null;
  /** Waits until a view reflects a position that a caller brought along, `timeoutMs` at most. */
  waitFor(name: string, position: number, timeoutMs?: number): Promise<Waited>;
  /** What a view has under a key: null where there is nothing, undefined where the store has to be asked. */
  shown(name: string, key: string): Document | null | undefined;
  /** The same as long as nothing in a view's collection has changed; null where that is not known here. */
  stateOf(name: string, collection: string): object | null;
  /**
   * Resolves once the store has everything of a view that is shown; at once where it is known to be away, and answers
   * with what it has. Errors: `EngineUnavailable`.
   */
  write(name: string): Promise<void>;
  status(): readonly ProjectionStatus[];
  /** How far the first filling of a view is; null where nothing is known of it. */
  fillingOf(name: string): Filling | null;
  /** Lets stopped projections try the event again at which they stopped. */
  resume(name?: string): void;
  /**
   * Has new generations filled in one pass over the log while the old ones serve and follow; each then takes over in
   * one step. Whichever replica follows does so; where one is under way already, it stays as it is. Throws for an
   * unknown name. Errors: `EngineUnavailable`.
   */
  askRebuild(names: readonly string[], askedBy: string): Promise<void>;
  /**
   * Ends a rebuild, of which nothing stays; false where none is under way. Throws for an unknown name. Errors:
   * `EngineUnavailable`.
   */
  cancelRebuild(name: string, cancelledBy: string): Promise<boolean>;
  /** How far the rebuilds are that were asked for, here or elsewhere, by name. Errors: `EngineUnavailable`. */
  rebuilds(): Promise<ReadonlyMap<string, RebuildState>>;
  /** True while this process holds the lease under which views are followed. */
  readonly isFollowing: boolean;
  /**
   * Compares the counters of the views that this process follows with their documents, and corrects those that differ.
   * Errors: `EngineUnavailable`.
   */
  checkCounters(): Promise<CheckedCounters>;
  /**
   * Removes what has not changed since an ISO instant from the views that this process follows, and versions that no
   * release uses any more; how many documents of views went.
   */
  sweep(before: string): Promise<number>;
  /** How many counters were set right since the start. */
  readonly correctedCounters: number;
  /** How many followers each view has: at most one. */
  followers(): ReadonlyMap<string, number>;
  /** Finishes the batches in hand. */
  stop(): Promise<void>;
}

const LEASE = 'projections';
const LEASE_MILLISECONDS = 5000;
const READ_YOUR_WRITES_MILLISECONDS = 2000;
/** How long what is to be written may wait; where other replicas wait for a checkpoint, not long. */
const HOLD_MILLISECONDS = 1000;
const SHOW_AFTER_MILLISECONDS = 100;

/**
 * Starts the projections and answers once it is known what serves. The first holder of the lease fills what has no
 * generation yet, in one pass, then follows; the other replicas only look how far that one is.
 */
export const runProjections = async (options: ProjectionEngineOptions): Promise<ProjectionEngine> => {
  const engine = new RunningProjections(options);
  await engine.start();
  return engine;
};

class RunningProjections implements ProjectionEngine {
  readonly #options: ProjectionEngineOptions;
  readonly #runs: ReadonlyMap<string, ProjectionRun>;
  readonly #stopping = new AbortController();
  readonly #writeBehind: WriteBehind;
  readonly #orders: RebuildOrders;
  readonly #fills: FillProgress;
  readonly #former: FormerVersions;
  readonly #replacing: ViewReplacing;
  #noting: NodeJS.Timeout | null = null;
  #working: Promise<void> = Promise.resolve();
  /** In `performance.now()`; null while another process follows. */
  #heldSince: number | null = null;
  #correctedCounters = 0;

  constructor(options: ProjectionEngineOptions) {
    this.#options = options;
    const { projections, store, readStore, log } = options;
    const isHeld = readStore.isOnlyWriter;
    const afterMilliseconds = isHeld || store.isOnlyWriter ? HOLD_MILLISECONDS : SHOW_AFTER_MILLISECONDS;
    this.#writeBehind = new WriteBehind({ readStore, log, isHeld, afterMilliseconds });
    const runOptions = { ...options, writeBehind: this.#writeBehind, histories: options };
    this.#runs = new Map(
      projections.map((projection) => [projection.name, new ProjectionRun(projection, runOptions)]),
    );
    if (this.#runs.size < options.projections.length)
      throw new TypeError('two projections have the same name');
    this.#fills = new FillProgress({ readStore, isShared: !store.isOnlyWriter, log });
    this.#former = new FormerVersions(options);
    this.#orders = createRebuildOrders({ readStore, names: [...this.#runs.keys()] });
    this.#replacing = new ViewReplacing(options, this.#fills);
  }

  async start(): Promise<void> {
    const { readStore, projections } = this.#options;
    await this.#noteUse();
    if (!readStore.isOnlyWriter)
      this.#noting = setInterval(
        () => void this.#noteUse().catch(() => undefined),
        NOTE_USE_MILLISECONDS,
      ).unref();
    await adoptUnversioned(readStore, projections);
    await this.#refresh();
    await withdrawLost([...this.#runs.values()], this.#options);
    this.#working = workWheneverHeld({
      leases: this.#options.leases,
      name: LEASE,
      ownerId: LEASE,
      ttlMs: LEASE_MILLISECONDS,
      log: this.#options.log,
      signal: this.#stopping.signal,
      work: (signal) => this.#work(signal),
      whileWaiting: () => this.#refresh(),
    });
  }

  collectionOf(name: string): string | null {
    return this.#run(name).collection ?? this.#former.of(name)?.collection ?? null;
  }

  formerLagSeconds(name: string): number | null {
    return this.#formerOf(name)?.lagSeconds ?? null;
  }

  async waitFor(
    name: string,
    position: number,
    timeoutMs: number = READ_YOUR_WRITES_MILLISECONDS,
  ): Promise<Waited> {
    const run = this.#run(name);
    const patience = run.status.stopped ? 0 : timeoutMs;
    const until = performance.now() + patience;
    const isReached =
      (await waitForPosition(run.mark, this.#options.feed, position, patience)) &&
      (run.isStored || (await this.#writeBehind.waitForStore(Math.max(0, until - performance.now()))));
    return { isReached, lagSeconds: isReached ? null : Math.max(run.lagSeconds, patience / 1000) };
  }

  shown(name: string, key: string): Document | null | undefined {
    return this.#run(name).shown(key);
  }

  stateOf(name: string, collection: string): object | null {
    return this.#run(name).stateOf(collection);
  }

  async write(name: string): Promise<void> {
    const run = this.#run(name);
    if (!run.isStored && !this.#writeBehind.isStoreAway) await run.write();
  }

  status(): readonly ProjectionStatus[] {
    const heldFor = this.#heldSince === null ? 0 : (performance.now() - this.#heldSince) / 1000;
    return [...this.#runs.values()].map(({ status }) => ({
      ...status,
      filling: this.fillingOf(status.name),
      former: this.#formerOf(status.name),
      leftSeconds: Math.min(status.leftSeconds, heldFor),
    }));
  }

  fillingOf(name: string): Filling | null {
    return this.#run(name).collection === null ? this.#fills.of(name) : null;
  }

  resume(name?: string): void {
    for (const run of name === undefined ? this.#runs.values() : [this.#run(name)]) run.resume();
  }

  async askRebuild(names: readonly string[], askedBy: string): Promise<void> {
    const runs = this.#runsOf([...new Set(names)]);
    await this.#orders.ask(
      runs.map(({ projection }) => projection.name),
      askedBy,
    );
  }

  cancelRebuild(name: string, cancelledBy: string): Promise<boolean> {
    return this.#orders.cancel(this.#run(name).projection.name, cancelledBy);
  }

  rebuilds(): Promise<ReadonlyMap<string, RebuildState>> {
    return this.#orders.states();
  }

  get isFollowing(): boolean {
    return this.#heldSince !== null;
  }

  get correctedCounters(): number {
    return this.#correctedCounters;
  }

  async checkCounters(): Promise<CheckedCounters> {
    let checked = 0;
    const corrected: CheckedCounters['corrected'][number][] = [];
    for (const [view, run] of this.#runs) {
      const counted = await run.recount(this.#stopping.signal);
      if (!counted) continue;
      checked++;
      if (!counted.isCorrected) continue;
      corrected.push({ view, ...counted });
      this.#correctedCounters++;
      const { was, is } = counted;
      this.#options.log.warn(
        { view, was, is },
        'counters did not agree with their documents and were corrected',
      );
    }
    return { checked, corrected };
  }

  async sweep(before: string): Promise<number> {
    let removed = 0;
    for (const run of this.#runs.values()) removed += await run.sweep(before, this.#stopping.signal);
    if (this.isFollowing) await this.#dropFormer();
    return removed;
  }

  followers(): ReadonlyMap<string, number> {
    const names = this.#options.feed.followers.map(({ name }) => name);
    const count = (own: string): number => names.filter((name) => name === own).length;
    return new Map([...this.#runs].map(([view, { followerName }]) => [view, count(followerName)]));
  }

  async stop(): Promise<void> {
    if (this.#noting) clearInterval(this.#noting);
    this.#stopping.abort();
    await this.#working;
  }

  #run(name: string): ProjectionRun {
    const run = this.#runs.get(name);
    if (!run) throw new TypeError(`there is no projection "${name}"`);
    return run;
  }

  #formerOf(name: string): ProjectionStatus['former'] {
    return this.#runs.get(name)?.collection === null ? this.#former.of(name) : null;
  }

  #runsOf(names: readonly string[]): readonly ProjectionRun[] {
    return names.map((name) => this.#run(name));
  }

  get #empty(): readonly ProjectionRun[] {
    return [...this.#runs.values()].filter(({ collection }) => collection === null);
  }

  async #refresh(): Promise<void> {
    const serving = await servingGenerations(this.#options.readStore, this.#options.projections);
    for (const [name, run] of this.#runs) {
      const generation = serving.get(name);
      if (generation) run.adopt(generation);
      else if (run.collection !== null) run.withdraw();
    }
    const empty = this.#empty.map(({ projection }) => projection);
    await this.#former.look(empty);
    if (!this.isFollowing) await this.#fills.look(empty.map(({ name }) => name));
  }

  /** One process alone has nothing to tell others. */
  async #noteUse(): Promise<void> {
    const { readStore, projections } = this.#options;
    if (!readStore.isOnlyWriter) await noteVersionsInUse(readStore, projections.map(versionName));
  }

  /** What cannot be dropped now goes with the next sweep. */
  async #dropFormer(): Promise<void> {
    const serving = [...this.#runs.values()].flatMap((run) => (run.serving ? [run.projection] : []));
    await dropFormerVersions(this.#options.readStore, serving).catch((error: unknown) =>
      this.#options.log.warn({ err: error }, 'former versions of views could not be dropped'),
    );
  }

  /** Follows until the signal aborts: at the end of the process, or when the lease is lost. */
  async #work(signal: AbortSignal): Promise<void> {
    const runs = [...this.#runs.values()];
    this.#heldSince = performance.now();
    try {
      await this.#refresh();
      await withdrawLost([...this.#runs.values()], this.#options);
      await Promise.all(runs.map((run) => run.follow()));
      const emptyViews = { empty: () => this.#empty, refresh: () => this.#refresh() };
      await this.#replacing.fillEmpty(emptyViews, signal);
      await this.#dropFormer();
      await this.#orders.carryOut(
        {
          rebuild: ({ names, ...pass }) => this.#replacing.rebuild(this.#runsOf(names), pass),
          drop: (name, generation) => this.#replacing.drop(this.#run(name), generation),
        },
        signal,
      );
    } finally {
      this.#heldSince = null;
      // All of them, whatever is away: the next holder of the lease follows, here or elsewhere.
      await Promise.all(runs.map((run) => run.leave()));
    }
  }
}
