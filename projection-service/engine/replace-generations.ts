import type { Logger } from 'pino';
import { pause } from '#runtime/back-off.ts';
import type { GenerationFill } from './generation-fill.ts';
import { dropOlder, type Generation } from './generations.ts';
import { dropUnused, finishFill, type RebuildOptions } from './rebuild.ts';
import { fillViews, startFills, takeRest } from './rebuilds/fill-views.ts';
import type { ProjectionRun } from './run-projection.ts';

export interface ReplaceOptions extends RebuildOptions {
  readonly signal: AbortSignal;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/** Other replicas read the old generations until they have seen the switch. */
const SWITCH_SEEN_MILLISECONDS = 2000;

/**
 * Fills new generations of projections that are followed here, in one pass over the log; each then takes over in one
 * step. Resolves with why some of them did not, by name. Errors: `EngineUnavailable`, `AbortError`; the old ones then
 * go on serving.
 */
export const replaceGenerations = async (
  runs: readonly ProjectionRun[],
  options: ReplaceOptions,
): Promise<ReadonlyMap<string, unknown>> => {
  const { readStore, log } = options;
  const projections = runs.map(({ projection }) => projection);
  const names = projections.map(({ name }) => name);
  log.info({ projections: names }, 'filling new generations');
  const fills = await startFills(projections, readStore);
  try {
    await fillViews(fills, options);
    const failures = await switchAll(runs, fills, options);
    const served = names.filter((name) => !failures.has(name));
    log.info({ projections: served }, 'new generations serve');
    return failures;
  } finally {
    await dropUnused(fills, readStore).catch((error: unknown) =>
      log.warn({ projections: names, err: error }, 'a new generation could not be dropped'),
    );
  }
};

const switchAll = async (
  runs: readonly ProjectionRun[],
  fills: readonly GenerationFill[],
  options: ReplaceOptions,
): Promise<ReadonlyMap<string, unknown>> => {
  const { store, readStore, signal } = options;
  const serving: (readonly [GenerationFill, Generation])[] = [];
  const failures = new Map<string, unknown>();
  for (const [index, run] of runs.entries()) {
    const fill = fills[index];
    if (!fill) continue;
    try {
      serving.push([fill, await switchOver(run, fill, options)]);
    } catch (error) {
      failures.set(run.projection.name, error);
    }
  }
  if (!store.isOnlyWriter) await pause(SWITCH_SEEN_MILLISECONDS, signal);
  for (const [{ projection }, generation] of signal.aborted ? [] : serving)
    await dropOlder(readStore, projection, generation);
  return failures;
};

/** With its old generation standing still, the new one takes what has come since, and then its place. */
const switchOver = async (
  run: ProjectionRun,
  fill: GenerationFill,
  options: RebuildOptions,
): Promise<Generation> => {
  try {
    await run.leave();
    await takeRest([fill], options);
    const serving = await finishFill(fill, options.readStore);
    run.adopt(serving);
    return serving;
  } finally {
    await run.follow();
  }
};
