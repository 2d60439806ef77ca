import { pause } from '#runtime/back-off.ts';
import type { Document } from '#kernel/projection.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { START } from '#ports/event-store.ts';
import type { RebuildProgress } from './rebuild.ts';

/** The progress of a requested rebuild, in positions of the log. */
export interface RebuildState {
  readonly position: number;
  readonly head: number;
  readonly isDone: boolean;
  /** Why the old generation goes on serving; null while it is under way and when it has been done. */
  readonly failure: string | null;
}

/** Fills a new generation of a projection, which then serves. */
type Rebuild = (name: string, onProgress: (progress: RebuildProgress) => void) => Promise<void>;

/**
 * Rebuilds that were asked for. Any replica takes an order, whichever follows the projections carries it out, and all
 * of them see how far it is. An order outlives its process: the next follower starts it again.
 */
export interface RebuildOrders {
  /** One at a time for each projection: an order that is open already stays as it is. Errors: `EngineUnavailable`. */
  ask(name: string): Promise<void>;
  /** The last order for each projection that was ever asked for, by name. Errors: `EngineUnavailable`. */
  states(): Promise<ReadonlyMap<string, RebuildState>>;
  /** Carries out what is asked for, one after another, until the signal aborts. For one replica at a time. */
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
  const note = async (name: string, set: Partial<RebuildState>): Promise<void> => {
    await readStore.updateIf(collection, { _id: name, isDone: false }, { set });
  };
  const carryOutOne = async (name: string, rebuild: Rebuild, signal: AbortSignal): Promise<void> => {
    let last = {};
    let notedAt = -Infinity;
    let noting = Promise.resolve();
    const onProgress = ({ position, head }: RebuildProgress): void => {
      last = { position, head };
      if (performance.now() - notedAt < NOTE_MILLISECONDS) return;
      notedAt = performance.now();
      noting = noting.then(() => note(name, { position, head })).catch(() => undefined);
    };
    const failure = await rebuild(name, onProgress).then(() => null, reasonOf);
    await noting;
    const isCalledOff = failure !== null && signal.aborted;
    if (!isCalledOff) await note(name, { ...last, isDone: true, failure });
  };
  return {
    ask: async (name) => {
      const isFirst = await readStore.insertIfAbsent(collection, { _id: name, ...open });
      if (!isFirst) await readStore.updateIf(collection, { _id: name, isDone: true }, { set: open });
      rest.abort();
    },
    states: async () => new Map((await orders()).map(({ _id, ...state }) => [_id, state])),
    carryOut: async (rebuild, signal) => {
      while (!signal.aborted) {
        rest = new AbortController();
        try {
          const asked = (await orders()).filter(({ isDone }) => !isDone);
          for (const { _id } of signal.aborted ? [] : asked) await carryOutOne(_id, rebuild, signal);
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
