import type { Logger } from 'pino';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { LogMark } from '#ports/event-store.ts';
import { pause } from '#runtime/back-off.ts';
import { GenerationFill } from './generation-fill.ts';
import { createGeneration, dropOlder, keptGeneration, type NewGeneration } from './generations.ts';
import { finishFill, type RebuildOptions } from './rebuild.ts';
import { takeRest, type RebuildProgress } from './rebuilds/fill-views.ts';
import type { OrderedPass } from './rebuilds/rebuild-orders.ts';
import type { Poisons, ViewFiller } from './rebuilds/view-filler.ts';
import type { ProjectionRun } from './run-projection.ts';

export interface ReplaceOptions extends Omit<RebuildOptions, 'onProgress'> {
  readonly filler: ViewFiller;
  readonly confirm: (mark: LogMark) => Promise<LogMark | null>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

/** What of a pass is not told by the projections that it is about. */
export type ReplacedPass = Pick<OrderedPass, 'onProgress' | 'signal'> &
  Partial<Pick<OrderedPass, 'begun' | 'used' | 'cancels' | 'onBegun'>>;

/** Other replicas read the old generations until they have seen the switch. */
const SWITCH_SEEN_MILLISECONDS = 2000;

type Failures = Map<string, unknown>;

interface Begun {
  readonly run: ProjectionRun;
  readonly generation: NewGeneration;
}

/**
 * Fills new generations of projections that are followed here, in one pass over the log; each then takes over in one
 * step. Resolves with why some of them did not, by name. Errors: `EngineUnavailable`, `AbortError`; the old ones then
 * go on serving, and what is filled stays to be gone on with.
 */
export const replaceGenerations = async (
  runs: readonly ProjectionRun[],
  pass: ReplacedPass,
  options: ReplaceOptions,
): Promise<ReadonlyMap<string, unknown>> => {
  const { log } = options;
  const { onProgress, signal } = pass;
  const isServing = ({ projection, serving }: ProjectionRun): boolean =>
    serving !== null && serving.generation === pass.begun?.get(projection.name);
  // A kill came between the switch and its being noted.
  const wanted = runs.filter((run) => !isServing(run));
  const failures: Failures = new Map();
  const begun = await Promise.all(wanted.map((run) => begin(run, pass, options)));
  const names = begun.map(({ run }) => run.projection.name);
  await pass.onBegun?.(
    new Map(begun.map(({ run, generation }) => [run.projection.name, generation.generation])),
  );
  log.info({ projections: names }, 'filling new generations');
  const poisons = await fillWanted(begun, pass, options, failures);
  signal.throwIfAborted();
  const left = begun.filter(({ run }) => !failures.has(run.projection.name));
  const serving = await switchAll(left, poisons, failures, { ...options, onProgress, signal });
  if (!options.store.isOnlyWriter) await pause(SWITCH_SEEN_MILLISECONDS, signal);
  for (const { projection, serving: now } of signal.aborted ? [] : [...serving, ...runs.filter(isServing)])
    if (now) await dropOlder(options.readStore, projection, now);
  log.info({ projections: names.filter((name) => !failures.has(name)) }, 'new generations serve');
  return failures;
};

/** Without those that are cancelled meanwhile. */
const fillWanted = async (
  begun: readonly Begun[],
  { onProgress, signal, cancels }: ReplacedPass,
  { filler }: ReplaceOptions,
  failures: Failures,
): Promise<Poisons> => {
  if (begun.length === 0) return new Map();
  const unwanted = new AbortController();
  const tasks = begun.map(({ run, generation }) => ({
    view: run.projection.name,
    generation: generation.generation,
  }));
  const filling = filler.fill(tasks, { onProgress, signal: AbortSignal.any([signal, unwanted.signal]) });
  const givenUp: Promise<void>[] = [];
  const listening = new AbortController();
  for (const { view } of tasks) {
    const cancel = cancels?.get(view);
    const giveUp = (): void => {
      failures.set(view, new Error('cancelled'));
      if (failures.size === tasks.length) unwanted.abort();
      else givenUp.push(filling.giveUp(view));
    };
    if (cancel?.aborted) giveUp();
    else cancel?.addEventListener('abort', giveUp, { signal: listening.signal });
  }
  try {
    const poisons = await filling.done;
    await Promise.all(givenUp);
    return poisons;
  } catch (error) {
    if (unwanted.signal.aborted && !signal.aborted) return new Map();
    throw error;
  } finally {
    listening.abort();
  }
};

/** The generation that was begun before, as far as the log still holds what it has; else a new one. */
const begin = async (
  run: ProjectionRun,
  { begun, used }: ReplacedPass,
  { readStore, confirm }: ReplaceOptions,
): Promise<Begun> => {
  const { projection } = run;
  const before = begun?.get(projection.name);
  const kept = before === undefined ? null : await keptGeneration(readStore, projection, before);
  if (kept && (await confirm(kept.checkpoint))) return { run, generation: kept };
  const generation = await createGeneration(readStore, projection, used?.get(projection.name));
  return { run, generation };
};

interface SwitchOptions extends ReplaceOptions {
  readonly onProgress: (progress: RebuildProgress) => void;
  readonly signal: AbortSignal;
}

const switchAll = async (
  begun: readonly Begun[],
  poisons: Poisons,
  failures: Failures,
  options: SwitchOptions,
): Promise<readonly ProjectionRun[]> => {
  const { readStore, signal } = options;
  const switched: ProjectionRun[] = [];
  for (const { run, generation } of begun) {
    try {
      signal.throwIfAborted();
      const { name } = run.projection;
      const kept = await keptGeneration(readStore, run.projection, generation.generation);
      if (!kept) throw new Error(`what was filled of ${name} was dropped meanwhile`);
      const fill = new GenerationFill(run.projection, { ...kept, replaces: generation.replaces }, readStore);
      const poison = poisons.get(name);
      if (poison) fill.stopAt(poison);
      await switchOver(run, fill, options);
      switched.push(run);
    } catch (error) {
      if (signal.aborted || error instanceof EngineUnavailable) throw error;
      failures.set(run.projection.name, error);
    }
  }
  return switched;
};

/** With its old generation standing still, the new one takes what has come since, and then its place. */
const switchOver = async (
  run: ProjectionRun,
  fill: GenerationFill,
  options: SwitchOptions,
): Promise<void> => {
  try {
    await run.leave();
    await takeRest([fill], options);
    run.adopt(await finishFill(fill, options.readStore));
  } finally {
    await run.follow();
  }
};
