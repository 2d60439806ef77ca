import { pause } from '#runtime/back-off.ts';
import type { Document } from '#kernel/projection.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { START } from '#ports/event-store.ts';
import type { RebuildProgress } from './rebuilds/fill-views.ts';

/** The progress of a requested rebuild, in positions of the log. */
export interface RebuildState {
  readonly position: number;
  readonly head: number;
  readonly isDone: boolean;
  /** Why the old generation goes on serving; null while it is under way and when it has been done. */
  readonly failure: string | null;
}

/**
 * Fills new generations of projections in one pass over the log, which then serve. Resolves with why some of them do
 * not, by name; rejects where none does.
 */
type Rebuild = (
  names: readonly string[],
  onProgress: (progress: RebuildProgress) => void,
) => Promise<ReadonlyMap<string, unknown>>;

/**
 * Rebuilds that were asked for. Any replica takes an order, whichever follows the projections carries it out, and all
 * of them see how far it is. An order outlives its process: the next follower starts it again.
 */
export interface RebuildOrders {
  /** One at a time for each projection: an order that is open already stays as it is. Errors: `EngineUnavailable`. */
  ask(names: readonly string[]): Promise<void>;
  /** The last order for each projection that was ever asked for, by name. Errors: `EngineUnavailable`. */
  states(): Promise<ReadonlyMap<string, RebuildState>>;
  /**
   * Carries out what is asked for, together, until the signal aborts; what is asked for meanwhile comes next. For one
   * replica at a time.
   */
  carryOut(rebuild: Rebuild, signal: AbortSignal): Promise<void>;
}

interface Order extends RebuildState, Document {}

const collection = 'rebuilds';
/** How soon an order is seen that another replica took; one's own is seen at once. */
const LOOK_MILLISECONDS = 500;
const NOTE_MILLISECONDS = 100;

const open = { position: START, head: START, isDone: false, failure: null };

/** Orders as documents of the read store, for the projections of these names. */
export const createRebuildOrders = (readStore: DocumentStore, names: readonly string[]): RebuildOrders => {
  let rest = new AbortController();
  const orders = () => readStore.getMany<Order>(collection, names);
  const askForOne = async (name: string): Promise<void> => {
    const isFirst = await readStore.insertIfAbsent(collection, { _id: name, ...open });
    if (!isFirst) await readStore.updateIf(collection, { _id: name, isDone: true }, { set: open });
  };
  const note = async (name: string, set: Partial<RebuildState>): Promise<void> => {
    await readStore.updateIf(collection, { _id: name, isDone: false }, { set });
  };
  const noteAll = async (names: readonly string[], set: Partial<RebuildState>): Promise<void> => {
    await Promise.all(names.map((name) => note(name, set)));
  };
  const carryOutTogether = async (
    names: readonly string[],
    rebuild: Rebuild,
    signal: AbortSignal,
  ): Promise<void> => {
    let last = {};
    let notedAt = -Infinity;
    let noting = Promise.resolve();
    const onProgress = ({ position, head }: RebuildProgress): void => {
      last = { position, head };
      if (performance.now() - notedAt < NOTE_MILLISECONDS) return;
      notedAt = performance.now();
      noting = noting.then(() => noteAll(names, { position, head })).catch(() => undefined);
    };
    const failures = await rebuild(names, onProgress).catch(
      (error: unknown) => new Map(names.map((name) => [name, error] as const)),
    );
    await noting;
    for (const name of names) {
      const failure = failures.has(name) ? reasonOf(failures.get(name)) : null;
      const isCalledOff = failure !== null && signal.aborted;
      if (!isCalledOff) await note(name, { ...last, isDone: true, failure });
    }
  };
  return {
    ask: async (names) => {
      await Promise.all(names.map(askForOne));
      rest.abort();
    },
    states: async () => new Map((await orders()).map(({ _id, ...state }) => [_id, state])),
    carryOut: async (rebuild, signal) => {
      while (!signal.aborted) {
        rest = new AbortController();
        try {
          const asked = (await orders()).flatMap(({ _id, isDone }) => (isDone ? [] : [_id]));
          if (asked.length > 0 && !signal.aborted) await carryOutTogether(asked, rebuild, signal);
        } catch (error) {
          // The followers say that it is away; the order waits.
          if (!(error instanceof EngineUnavailable)) throw error;
        }
        await pause(LOOK_MILLISECONDS, AbortSignal.any([signal, rest.signal]));
      }
    },
  };
};

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
