import { newId } from '#kernel/ids.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { pause } from '#runtime/back-off.ts';
import type { RebuildProgress } from './fill-views.ts';
import { createPace } from './pace.ts';
import {
  notBegun,
  ofOlderRelease,
  shownOf,
  type NewOrder,
  type RebuildOrder,
  type RebuildState,
} from './rebuild-order.document.ts';

/** One pass of a rebuild, as its orders have it. */
export interface OrderedPass {
  readonly names: readonly string[];
  /** The generation that was begun before, by name: it is gone on with. */
  readonly begun: ReadonlyMap<string, number>;
  /** Generations up to this one, by name, were filled before: their numbers are not used again. */
  readonly used: ReadonlyMap<string, number>;
  /** Aborts when that view is not to be rebuilt after all. */
  readonly cancels: ReadonlyMap<string, AbortSignal>;
  readonly onBegun: (generations: ReadonlyMap<string, number>) => Promise<void>;
  readonly onProgress: (progress: RebuildProgress) => void;
  readonly signal: AbortSignal;
}

export interface Rebuilder {
  /**
   * Fills new generations of projections in one pass over the log, which then serve. Resolves with why some of them do
   * not, by name. Errors: `EngineUnavailable`, `AbortError`; what is filled then stays.
   */
  rebuild(pass: OrderedPass): Promise<ReadonlyMap<string, unknown>>;
  /** Drops a generation of a projection, unless it serves. Errors: `EngineUnavailable`. */
  drop(name: string, generation: number): Promise<void>;
}

/**
 * Rebuilds that were asked for. Any replica takes an order, whichever follows the projections carries it out, and all
 * of them see how far it is. An order outlives its process: the next follower goes on with it.
 */
export interface RebuildOrders {
  /**
   * One at a time for each projection: an order that is open already stays as it is, one that is being ended is
   * followed by this one. Errors: `EngineUnavailable`.
   */
  ask(names: readonly string[], askedBy: string): Promise<void>;
  /** False where none is open. It ends soon after, and nothing of it stays. Errors: `EngineUnavailable`. */
  cancel(name: string, cancelledBy: string): Promise<boolean>;
  /** The last order for each projection that was ever asked for, by name. Errors: `EngineUnavailable`. */
  states(): Promise<ReadonlyMap<string, RebuildState>>;
  /**
   * Carries out what is asked for until the signal aborts: those that were asked for together in one pass, two passes
   * at a time. For one replica at a time.
   */
  carryOut(rebuilder: Rebuilder, signal: AbortSignal): Promise<void>;
}

const collection = 'rebuilds';
/** How soon an order is seen that another replica took; one's own is seen at once. */
const LOOK_MILLISECONDS = 500;
const NOTE_MILLISECONDS = 250;
const PASSES_AT_A_TIME = 2;
/** How long a pass waits whose engine is away. */
const AGAIN_MILLISECONDS = 500;

export interface RebuildOrdersOptions {
  readonly readStore: DocumentStore;
  /** Of the projections that may be asked for. */
  readonly names: readonly string[];
  /** Real time in milliseconds. */
  readonly now?: () => number;
}

/** Orders as documents of the read store. */
export const createRebuildOrders = (options: RebuildOrdersOptions): RebuildOrders =>
  new StoredOrders(options);

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

interface RunningPass {
  readonly cancels: ReadonlyMap<string, AbortController>;
  readonly ended: Promise<void>;
}

class StoredOrders implements RebuildOrders {
  readonly #options: RebuildOrdersOptions;
  readonly #now: () => number;
  #rest = new AbortController();

  constructor(options: RebuildOrdersOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  async ask(names: readonly string[], askedBy: string): Promise<void> {
    const { readStore } = this.#options;
    const order: NewOrder = {
      ...notBegun,
      pass: newId(),
      askedBy,
      askedAt: new Date(this.#now()).toISOString(),
    };
    const reopen = (_id: string) => readStore.updateIf(collection, { _id, isDone: true }, { set: order });
    const follow = (_id: string) => {
      const isEnding = { _id, isDone: false, ends: { exists: true } };
      return readStore.updateIf(collection, isEnding, { set: { next: order } });
    };
    for (const _id of names) {
      if (await readStore.insertIfAbsent(collection, { _id, ...order, generation: null } as RebuildOrder))
        continue;
      const isTaken = (await reopen(_id)) ?? (await follow(_id));
      // It may have ended between the two.
      if (!isTaken) await reopen(_id);
    }
    this.#rest.abort();
  }

  async cancel(name: string, cancelledBy: string): Promise<boolean> {
    const set = { ends: `cancelled by ${cancelledBy}`, next: null };
    const isOpen = { _id: name, isDone: false };
    const cancelled = await this.#options.readStore.updateIf(collection, isOpen, { set });
    this.#rest.abort();
    return cancelled !== null;
  }

  async states(): Promise<ReadonlyMap<string, RebuildState>> {
    return new Map((await this.#orders()).map((order) => [order._id, shownOf(order)]));
  }

  async carryOut(rebuilder: Rebuilder, signal: AbortSignal): Promise<void> {
    const running = new Map<string | null, RunningPass>();
    while (!signal.aborted) {
      this.#rest = new AbortController();
      try {
        await this.#look(rebuilder, running, signal);
      } catch (error) {
        // The followers say that it is away; the order waits.
        if (!(error instanceof EngineUnavailable)) throw error;
      }
      await pause(LOOK_MILLISECONDS, AbortSignal.any([signal, this.#rest.signal]));
    }
    await Promise.all([...running.values()].map(({ ended }) => ended));
  }

  async #look(
    rebuilder: Rebuilder,
    running: Map<string | null, RunningPass>,
    signal: AbortSignal,
  ): Promise<void> {
    const orders = (await this.#orders())
      .filter(({ isDone }) => !isDone)
      .sort((one, other) => one.askedAt.localeCompare(other.askedAt));
    for (const order of orders) {
      if (order.ends === null || signal.aborted) continue;
      const pass = running.get(order.pass);
      if (pass) pass.cancels.get(order._id)?.abort();
      else await this.#end(order, order.ends, rebuilder);
    }
    const standing = Map.groupBy(
      orders.filter(({ ends }) => ends === null),
      ({ pass }) => pass,
    );
    for (const [pass, those] of standing) {
      if (running.has(pass) || running.size >= PASSES_AT_A_TIME || signal.aborted) continue;
      const cancels = new Map(those.map(({ _id }) => [_id, new AbortController()]));
      const ended = this.#carryOutTogether(those, cancels, rebuilder, signal).finally(() => {
        running.delete(pass);
        this.#rest.abort();
      });
      running.set(pass, { cancels, ended });
    }
  }

  /** What is away, or lost its lease, leaves the orders open: the next follower goes on with them. */
  async #carryOutTogether(
    orders: readonly RebuildOrder[],
    cancels: ReadonlyMap<string, AbortController>,
    rebuilder: Rebuilder,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const failures = await this.#rebuild(orders, cancels, rebuilder, signal);
      for (const order of orders) {
        const failure = failures.get(order._id);
        if (failure === undefined) await this.#finish(order, null);
        else if (!signal.aborted) await this.#endFor(order, failure, rebuilder);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof EngineUnavailable) await pause(AGAIN_MILLISECONDS, signal);
      else for (const order of orders) await this.#endFor(order, error, rebuilder).catch(() => undefined);
    }
  }

  async #rebuild(
    orders: readonly RebuildOrder[],
    cancels: ReadonlyMap<string, AbortController>,
    rebuilder: Rebuilder,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, unknown>> {
    const pace = createPace(Math.max(...orders.map(({ eventsRead }) => eventsRead)), this.#now);
    let notedAt = -Infinity;
    let noting: Promise<unknown> = Promise.resolve();
    const noteAll = async (set: Partial<RebuildOrder>): Promise<void> => {
      const going = orders.filter(({ _id }) => !cancels.get(_id)?.signal.aborted);
      await Promise.all(going.map((order) => this.#note(order, set)));
    };
    const onProgress = (progress: RebuildProgress): void => {
      const figures = pace(progress);
      if (this.#now() - notedAt < NOTE_MILLISECONDS && progress.phase === 'filling') return;
      notedAt = this.#now();
      noting = noting.then(() => noteAll(figures)).catch(() => undefined);
    };
    const generations = (wanted: (order: RebuildOrder) => boolean): ReadonlyMap<string, number> =>
      new Map(orders.filter(wanted).map(({ _id, generation }) => [_id, generation ?? 0]));
    const startedAt = new Date(this.#now()).toISOString();
    for (const order of orders) if (order.startedAt === null) await this.#note(order, { startedAt });
    try {
      return await rebuilder.rebuild({
        names: orders.map(({ _id }) => _id),
        begun: generations(({ isBegun }) => isBegun),
        used: generations(() => true),
        cancels: new Map([...cancels].map(([name, cancel]) => [name, cancel.signal])),
        onBegun: async (begun) => {
          for (const order of orders) {
            const generation = begun.get(order._id);
            if (generation !== undefined) await this.#note(order, { generation, isBegun: true });
          }
        },
        onProgress,
        signal,
      });
    } finally {
      await noting;
    }
  }

  async #endFor(order: RebuildOrder, failure: unknown, rebuilder: Rebuilder): Promise<void> {
    const [now] = await this.#options.readStore.getMany<RebuildOrder>(collection, [order._id]);
    // Cancelled meanwhile, it says so.
    await this.#end(now ?? order, now?.ends ?? reasonOf(failure), rebuilder);
  }

  /** Said first, so that the next follower drops what this one was kept from dropping. */
  async #end(order: RebuildOrder, ends: string, rebuilder: Rebuilder): Promise<void> {
    await this.#note(order, { ends });
    if (order.isBegun && order.generation !== null) await rebuilder.drop(order._id, order.generation);
    await this.#finish(order, ends);
  }

  /** Makes way for the one that was asked for meanwhile. */
  async #finish({ _id, pass }: RebuildOrder, failure: string | null): Promise<void> {
    const { readStore } = this.#options;
    const isOpen = { _id, pass, isDone: false };
    const done = { phase: null, isDone: true, secondsLeft: null, failure };
    for (;;) {
      if (await readStore.updateIf(collection, { ...isOpen, next: { exists: false } }, { set: done })) return;
      const [now] = await readStore.getMany<RebuildOrder>(collection, [_id]);
      if (now?.pass !== pass || now.isDone) return;
      const isNext = { ...isOpen, next: { exists: true } };
      if (now.next && (await readStore.updateIf(collection, isNext, { set: { ...now.next } }))) return;
    }
  }

  async #note({ _id, pass }: RebuildOrder, set: Partial<RebuildOrder>): Promise<void> {
    await this.#options.readStore.updateIf(collection, { _id, pass, isDone: false }, { set });
  }

  async #orders(): Promise<readonly RebuildOrder[]> {
    const found = await this.#options.readStore.getMany<RebuildOrder>(collection, this.#options.names);
    return found.map((order) => ({ ...ofOlderRelease, ...order }));
  }
}
