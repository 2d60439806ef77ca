import { withoutView } from '#http/shown-as-it-was.ts';
import type { AnyProjection } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { servingGenerations, type Generation } from './generations.ts';
import type { ProjectionEngine } from './projection-engine.ts';
import { beingFilled } from './reader.ts';
import type { ProjectionStatus } from './run-projection.ts';

/** Views that nothing follows: they stay as they were filled. */
export interface ViewsAtRest {
  readonly engine: ProjectionEngine;
  /** Shows what serves of them now. Errors: `EngineUnavailable`. */
  show(): Promise<void>;
  /** Until the next `show` queries are told that they are being filled. */
  hide(): void;
}

const nothing = (): Promise<void> => Promise.resolve();

/** `held`: the names of those that were filled; queries of others are refused with `not-in-replay`. */
export const viewsAtRest = async (
  readStore: DocumentStore,
  projections: readonly AnyProjection[],
  held: ReadonlySet<string>,
): Promise<ViewsAtRest> => {
  let serving: ReadonlyMap<string, Generation> | null = null;
  const generationOf = (name: string): Generation => {
    if (!projections.some((one) => one.name === name))
      throw new TypeError(`there is no projection "${name}"`);
    if (!held.has(name)) throw withoutView(name);
    const generation = serving?.get(name);
    if (!generation) throw beingFilled(name, null);
    return generation;
  };
  const statusOf = ({ name, version }: AnyProjection): ProjectionStatus => {
    const generation = serving?.get(name);
    return {
      name,
      version,
      collection: generation?.collection ?? null,
      generation: generation?.generation ?? null,
      filling: null,
      former: null,
      checkpoint: generation?.checkpoint.position ?? 0,
      lagPositions: 0,
      lagSeconds: 0,
      stopped: null,
      isFollowing: false,
      leftSeconds: 0,
    };
  };
  const views: ViewsAtRest = {
    show: async () => {
      serving = await servingGenerations(readStore, projections);
    },
    hide: () => (serving = null),
    engine: {
      collectionOf: (name) => generationOf(name).collection,
      formerLagSeconds: () => null,
      waitFor: () => Promise.resolve({ isReached: true, lagSeconds: null }),
      shown: () => undefined,
      stateOf: () => null,
      write: nothing,
      status: () => projections.filter(({ name }) => held.has(name)).map(statusOf),
      fillingOf: () => null,
      resume: () => undefined,
      askRebuild: () => Promise.reject(new TypeError('views at rest are not rebuilt')),
      cancelRebuild: () => Promise.resolve(false),
      rebuilds: () => Promise.resolve(new Map()),
      isFollowing: false,
      correctedCounters: 0,
      checkCounters: () => Promise.resolve({ checked: 0, corrected: [] }),
      sweep: () => Promise.resolve(0),
      followers: () => new Map(),
      stop: nothing,
    },
  };
  await views.show();
  return views;
};
