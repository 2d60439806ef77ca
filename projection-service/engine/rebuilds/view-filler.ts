import type { EventDecoder } from '#log/decode-page.ts';
import type { PoisonedEvent } from '#log/feed-follower.ts';
import type { AnyProjection } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { EventStore } from '#ports/event-store.ts';
import type { GenerationFill } from '../generation-fill.ts';
import { fillViews, resumeFill, type RebuildProgress } from './fill-views.ts';

/** A generation that was begun, empty or not. */
export interface FillTask {
  readonly view: string;
  readonly generation: number;
}

export interface FillWatch {
  readonly onProgress: (progress: RebuildProgress) => void;
  readonly signal: AbortSignal;
}

/** Where views stand still. */
export type Poisons = ReadonlyMap<string, PoisonedEvent>;

/** A pass under way. */
export interface Filling {
  /**
   * Resolves once the generations are full, with their indexes. Errors: `EngineUnavailable`, `AbortError`; what is kept
   * then stays.
   */
  readonly done: Promise<Poisons>;
  /** Goes on without a view. Resolves once nothing more of it is written. */
  giveUp(view: string): Promise<void>;
}

/** Fills generations in one pass over the log, wherever that is done. */
export interface ViewFiller {
  fill(tasks: readonly FillTask[], watch: FillWatch): Filling;
}

interface FillSources {
  readonly projections: readonly AnyProjection[];
  readonly store: EventStore;
  readonly codec: EventDecoder;
  readonly readStore: DocumentStore;
}

/** For engines that only this thread can reach: a short page at a time, and other callers in between. */
const SHORT_PAGE = 200;

export const poisonsOf = (fills: readonly GenerationFill[]): Poisons =>
  new Map(fills.flatMap(({ projection, poison }) => (poison ? [[projection.name, poison] as const] : [])));

/** The generations that are there; one that another has dropped is left out. */
export const resumeAll = async (
  tasks: readonly FillTask[],
  { projections, readStore }: Pick<FillSources, 'projections' | 'readStore'>,
): Promise<readonly GenerationFill[]> => {
  const fills: GenerationFill[] = [];
  for (const { view, generation } of tasks) {
    const projection = projections.find(({ name }) => name === view);
    const fill = projection && (await resumeFill(projection, generation, readStore));
    if (fill) fills.push(fill);
  }
  return fills;
};

/**
 * Fills apart what is not short. What this process has read of a generation it keeps at hand, so that none other may
 * write that one from then on: it reads one to fill it, and one that was filled apart to have it take the rest.
 */
export const fillApart = (apart: ViewFiller, here: ViewFiller, isShort: () => boolean): ViewFiller => {
  const readHere = new Set<string>();
  const keyOf = ({ view, generation }: FillTask): string => `${view} ${generation}`;
  return {
    fill: (tasks, watch) => {
      const keys = tasks.map(keyOf);
      const keepHere = (): void => {
        for (const key of keys) readHere.add(key);
      };
      if (isShort() || keys.some((key) => readHere.has(key))) {
        keepHere();
        return here.fill(tasks, watch);
      }
      const filling = apart.fill(tasks, watch);
      filling.done.then(keepHere, () => undefined);
      return filling;
    },
  };
};

export const fillHere = (sources: FillSources): ViewFiller => ({
  fill: (tasks, watch) => {
    const givenUp = new Set<string>();
    const resumed = resumeAll(tasks, sources);
    const work = async (): Promise<Poisons> => {
      const fills = (await resumed).filter(({ projection }) => !givenUp.has(projection.name));
      await fillViews(fills, { ...sources, ...watch, pageSize: SHORT_PAGE });
      return poisonsOf(fills);
    };
    return {
      done: work(),
      giveUp: async (view) => {
        givenUp.add(view);
        await (await resumed).find(({ projection }) => projection.name === view)?.giveUp();
      },
    };
  },
});
