import type { AnyProjection } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { EventStore } from '#ports/event-store.ts';
import type { GenerationFill } from './generation-fill.ts';
import { dropOlder, serve, servingGeneration, type Generation } from './generations.ts';
import { fillViews, startFills, type FillOptions } from './rebuilds/fill-views.ts';

export interface RebuildOptions extends FillOptions {
  readonly store: EventStore;
  readonly readStore: DocumentStore;
}

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
    await fillViews(fills, options);
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
