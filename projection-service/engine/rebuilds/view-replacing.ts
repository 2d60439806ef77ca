import type { Logger } from 'pino';
import type { Feed } from '#log/feed.ts';
import { BackOff, pause } from '#runtime/back-off.ts';
import { buildsUnderWay } from '../builds-under-way.ts';
import type { FillProgress } from '../fill-progress.ts';
import { collectionName, dropGeneration, lastBegun } from '../generations.ts';
import { replaceGenerations, type ReplacedPass } from '../replace-generations.ts';
import type { RebuildOptions } from '../rebuild.ts';
import type { ProjectionRun } from '../run-projection.ts';
import { fillHere, type ViewFiller } from './view-filler.ts';

export interface ViewReplacingOptions extends Pick<RebuildOptions, 'store' | 'codec' | 'readStore'> {
  readonly projections: Parameters<typeof fillHere>[0]['projections'];
  readonly feed: Pick<Feed, 'confirm'>;
  readonly log: Pick<Logger, 'info' | 'warn'>;
  /** Default: in this thread. */
  readonly filler?: ViewFiller;
}

export interface EmptyViews {
  /** The views that nothing serves. */
  readonly empty: () => readonly ProjectionRun[];
  readonly refresh: () => Promise<void>;
}

const LOOK_MILLISECONDS = 500;

/** Puts new generations in the place of those that are followed, under the lease for that. */
export class ViewReplacing {
  readonly #options: ViewReplacingOptions;
  readonly #filler: ViewFiller;
  readonly #fills: FillProgress;

  constructor(options: ViewReplacingOptions, fills: FillProgress) {
    this.#options = options;
    this.#filler = options.filler ?? fillHere(options);
    this.#fills = fills;
  }

  /** See `replaceGenerations`. */
  replace(runs: readonly ProjectionRun[], pass: ReplacedPass): Promise<ReadonlyMap<string, unknown>> {
    const confirm = this.#options.feed.confirm.bind(this.#options.feed);
    return replaceGenerations(runs, pass, { ...this.#options, filler: this.#filler, confirm });
  }

  /** The same for what was asked for: where it is cut short, the log says why, and it is gone on with. */
  async rebuild(runs: readonly ProjectionRun[], pass: ReplacedPass): Promise<ReadonlyMap<string, unknown>> {
    try {
      return await this.replace(runs, pass);
    } catch (error) {
      const projections = runs.map(({ projection }) => projection.name);
      if (!pass.signal.aborted)
        this.#options.log.warn({ projections, err: error }, 'a rebuild was cut short');
      throw error;
    }
  }

  /** Unless it serves. Errors: `EngineUnavailable`. */
  async drop({ projection, serving }: ProjectionRun, generation: number): Promise<void> {
    if (serving?.generation === generation) return;
    await dropGeneration(this.#options.readStore, collectionName(projection, generation));
  }

  /**
   * Fills what nothing serves yet. A fill that fails is gone on with after a growing pause, and holds up no other view.
   * What another process is building is left to it; `refresh` shows what serves by now.
   */
  async fillEmpty({ empty: emptyOnes, refresh }: EmptyViews, signal: AbortSignal): Promise<void> {
    const backOff = new BackOff();
    while (!signal.aborted) {
      const empty = emptyOnes();
      if (empty.length === 0) return;
      try {
        // In this order: what is built from now on is not among what was begun before.
        const begun = await this.#begunOf(empty);
        const built = await buildsUnderWay(
          this.#options.readStore,
          empty.map(({ projection }) => projection),
        );
        const own = empty.filter(({ projection }) => !built.has(projection.name));
        if (own.length > 0) await this.#fill(own, begun, signal);
        else await this.#lookForBuilt(empty, refresh, signal);
        backOff.reset();
      } catch (error) {
        if (signal.aborted) return;
        const names = empty.map(({ projection }) => projection.name);
        this.#options.log.warn({ projections: names, err: error }, 'views could not be filled, trying again');
        await backOff.wait(signal);
      }
    }
  }

  async #fill(
    runs: readonly ProjectionRun[],
    begun: ReadonlyMap<string, number>,
    signal: AbortSignal,
  ): Promise<void> {
    const names = runs.map(({ projection }) => projection.name);
    try {
      const onProgress: ReplacedPass['onProgress'] = (progress) => this.#fills.note(names, progress);
      const failures = await this.replace(runs, { begun, signal, onProgress });
      for (const error of failures.values()) throw error;
    } finally {
      await this.#fills.end(names);
    }
  }

  async #lookForBuilt(
    runs: readonly ProjectionRun[],
    refresh: EmptyViews['refresh'],
    signal: AbortSignal,
  ): Promise<void> {
    await pause(LOOK_MILLISECONDS, signal);
    await refresh();
    await Promise.all(runs.filter(({ collection }) => collection !== null).map((run) => run.follow()));
  }

  /** What an earlier process has begun and not ended, by name. */
  async #begunOf(runs: readonly ProjectionRun[]): Promise<ReadonlyMap<string, number>> {
    const begun = new Map<string, number>();
    for (const { projection } of runs) {
      const last = await lastBegun(this.#options.readStore, projection);
      if (last !== null) begun.set(projection.name, last);
    }
    return begun;
  }
}
