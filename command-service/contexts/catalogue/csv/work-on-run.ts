import { setImmediate } from 'node:timers/promises';
import type { IsHeld } from '#command/engine/run-alone.ts';
import type { CsvIssue } from './product-csv.ts';
import type { SyncRun, SyncRuns } from './product-sync-runs.ts';

/** The work goes on elsewhere, or after the next start. */
export class RunGoesOn extends Error {
  override readonly name = 'RunGoesOn';
}

type Figure =
  | 'done'
  | 'created'
  | 'changed'
  | 'unchanged'
  | 'variantsRemoved'
  | 'errorCount'
  | 'warningCount';

/** Progress is written so often at most. */
const NOTED_EVERY_MS = 500;

/** A run on its way: its figures, its issues, and whether it is still ours. */
export interface RunWork {
  readonly run: SyncRun;
  figure(name: Figure): number;
  count(name: Figure, by?: number): void;
  reached(position: number): void;
  report(issues: readonly CsvIssue[]): Promise<void>;
  /** Between slices: writes down how far it is, lets callers in, and ends what is not ours any more. */
  step(more?: Partial<SyncRun>): Promise<void>;
  /** All figures as they are now. */
  figures(): Partial<SyncRun>;
}

export const workOnRun = (runs: SyncRuns, run: SyncRun, mayGoOn: IsHeld, isFresh: boolean): RunWork => {
  const from = isFresh ? { ...run, done: 0, errorCount: 0, warningCount: 0 } : run;
  const { done, created, changed, unchanged, variantsRemoved, errorCount, warningCount } = from;
  const all = { done, created, changed, unchanged, variantsRemoved, errorCount, warningCount };
  let { position } = run;
  let notedAt = performance.now();
  const figures = () => ({ ...all, position });
  return {
    run,
    figures,
    figure: (name) => all[name],
    count: (name, by = 1) => void (all[name] += by),
    reached: (at) => void (position = Math.max(position, at)),
    report: async (issues) => {
      if (issues.length === 0) return;
      await runs.issues.keep(run._id, issues, all.errorCount + all.warningCount);
      for (const { severity } of issues) all[severity === 'error' ? 'errorCount' : 'warningCount']++;
    },
    step: async (more) => {
      await setImmediate();
      if (!mayGoOn()) throw new RunGoesOn();
      if (!more && performance.now() - notedAt < NOTED_EVERY_MS) return;
      notedAt = performance.now();
      if (!(await runs.note(run, { ...figures(), ...more }))) throw new RunGoesOn();
    },
  };
};
