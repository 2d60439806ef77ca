import type { Logger } from 'pino';
import type { ModuleDeps } from '#command/engine/module.ts';
import type { IsHeld } from '#command/engine/run-alone.ts';
import { notFound } from '#kernel/entity.ts';
import { Rejection } from '#kernel/rejection.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { CsvProcessEnded } from './csv-process.ts';
import { exportProducts } from './export-products.ts';
import { importProducts, type ImportDeps } from './import-products.ts';
import type { PageOf } from './product-sync-issues.ts';
import type { SyncRun, SyncRuns } from './product-sync-runs.ts';
import { RunGoesOn, workOnRun } from './work-on-run.ts';

/** A run that fails this many times is given up. */
const MAX_ATTEMPTS = 5;

export interface SyncDeps extends ImportDeps, Pick<ModuleDeps, 'runAlone' | 'reach'> {
  readonly runs: SyncRuns;
  readonly log: Pick<Logger, 'warn' | 'error'>;
}

type Asked = Pick<SyncRun, 'profile' | 'startedBy'>;

/** Works on what is under way until it is over. Errors: `EngineUnavailable`, `RunGoesOn`. */
const workOff = async (deps: SyncDeps, isHeld: IsHeld): Promise<boolean> => {
  const { runs, log } = deps;
  const found = await runs.underWay();
  const run = found && (await runs.takeOn(found));
  if (!run) return false;
  if (run.attempt > MAX_ATTEMPTS) {
    await runs.finish(
      run,
      'Failed',
      `Given up: it was interrupted ${MAX_ATTEMPTS} times. Rows done: ${run.done}.`,
    );
    return true;
  }
  const workOn = (one: SyncRun, isFresh = false) => workOnRun(runs, one, isHeld, isFresh);
  try {
    await deps.reach();
    const work = workOn(run, !run.isChecked);
    if (run.kind === 'export') await exportProducts(deps, work);
    else await importProducts(deps, work, workOn);
  } catch (error) {
    if (error instanceof EngineUnavailable || error instanceof RunGoesOn) throw error;
    log.error({ run: run._id, err: error }, 'an import or export of products failed');
    const message =
      error instanceof CsvProcessEnded
        ? `Given up: the file cannot be read, ${error.message}. Send it in several files.`
        : 'Something went wrong on our side: see the log of the shop.';
    await runs.finish(run, 'Failed', message);
  }
  return true;
};

const loading =
  (runs: SyncRuns) =>
  async (id: string): Promise<SyncRun> => {
    const run = await runs.load(id);
    if (!run) throw notFound('run');
    return run;
  };

const callOff = async (runs: SyncRuns, { _id, done }: SyncRun): Promise<SyncRun> => {
  const ended = await runs.callOff(_id, `Called off. Rows done: ${done}.`);
  if (!ended) throw new Rejection('run-over', 'This run is over already.');
  return ended;
};

/**
 * Imports and exports of product files: one at a time in the whole shop, worked on by whichever process holds the
 * lease. Errors: `run-under-way`, `run-over`, `entity-not-found`.
 */
export const createProductSyncActions = (deps: SyncDeps) => {
  const { runs, runAlone, log } = deps;
  let isStopping = false;
  let working: Promise<boolean> | null = null;

  const attempt = async (): Promise<boolean> => {
    try {
      const done = await runAlone('product-sync', (isHeld) => workOff(deps, () => !isStopping && isHeld()));
      return done ?? false;
    } catch (error) {
      if (error instanceof RunGoesOn) return false;
      if (!(error instanceof EngineUnavailable)) throw error;
      log.warn({ err: error }, 'an import or export of products waits for its engines');
      return false;
    }
  };

  /** Works on the current run unless another worker does. One piece of work at a time in this process. */
  const goOn = (): Promise<boolean> =>
    (working ??= attempt().finally(() => {
      working = null;
    }));

  const begin = async (
    kind: SyncRun['kind'],
    asked: Asked,
    isDryRun: boolean,
    text: string,
  ): Promise<SyncRun> => {
    const run = await runs.begin({ kind, ...asked, isDryRun }, text);
    // What is being ended lets the next one begin.
    const before = working ?? Promise.resolve();
    before
      .catch(() => undefined)
      .then(goOn)
      .catch((err: unknown) => log.error({ err }, 'an import or export of products failed'));
    return run;
  };

  const load = loading(runs);

  return {
    startImport: (asked: Asked, isDryRun: boolean, text: string) => begin('import', asked, isDryRun, text),
    startExport: (asked: Asked) => begin('export', asked, false, ''),
    goOn,
    load,
    /** Calls a run off that is under way: what it has begun, it ends. Errors: `run-over`. */
    callOff: async (id: string): Promise<SyncRun> => callOff(runs, await load(id)),
    list: (asked: PageOf) => runs.list(asked),
    issuesOf: async (id: string, asked: PageOf) => {
      await load(id);
      return runs.issues.page(id, asked);
    },
    /** The file of a run: what was sent, or what was made. Errors: `entity-not-found`, also when it is gone. */
    fileOf: async (id: string): Promise<AsyncIterable<string>> => {
      const run = await load(id);
      if (run.parts === 0 || (run.kind === 'export' && run.status !== 'Completed')) throw notFound('file');
      return runs.files.partsIn(id, run.parts);
    },
    stop: async (): Promise<void> => {
      isStopping = true;
      await working?.catch(() => undefined);
    },
  };
};

export type ProductSyncActions = ReturnType<typeof createProductSyncActions>;
