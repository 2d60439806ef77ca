import type { Command } from 'commander';
import type { ProjectionResponse } from '#contracts/projections.contract.ts';
import type { Config } from '#runtime/config.ts';
import type { RunningShop } from '#runtime/running-shop.ts';
import { addAudit } from './cli/audit/audit-command.ts';
import type { OfflineAudit } from './cli/audit/offline-audit.ts';
import { addReport, type OpenReports } from './cli/report/report-command.ts';
import { addWhy, type OpenWhy } from './cli/why/why-command.ts';

export interface Progress {
  readonly position: number;
  readonly head: number;
  readonly phase: string;
  /** Null until it is known. */
  readonly eventsPerSecond: number | null;
}

/** The projections of engines that no running shop has open. */
export interface OfflineProjections {
  list(config: Config): Promise<readonly Omit<ProjectionResponse, 'rebuild' | 'answeringVersion'>[]>;
  /** `names`: null for all. Cancels when the signal aborts. */
  rebuild(
    config: Config,
    names: readonly string[] | null,
    onProgress: OnProgress,
    signal: AbortSignal,
  ): Promise<Rebuilt>;
  /**
   * Fills what this release has in a version that nothing serves yet, beside whatever runs. `names`: null for all.
   * Leaves nothing when the signal aborts. Errors: `Error` that says which could not be filled, and why.
   */
  build(
    config: Config,
    names: readonly string[] | null,
    onProgress: OnProgress,
    signal: AbortSignal,
  ): Promise<Rebuilt>;
}

type OnProgress = (progress: Progress) => void;

/** The projections that were rebuilt. */
type Rebuilt = readonly string[];

/** The `load…` functions are called only when no shop runs: help and listings load nothing heavy. */
export const addProjectionServiceCommands = (
  program: Command,
  loadProjections: () => Promise<OfflineProjections>,
  loadReports: () => Promise<OpenReports>,
  loadWhy: () => Promise<OpenWhy>,
  loadAudit: () => Promise<OfflineAudit>,
): void => {
  addReport(program, loadReports);
  addWhy(program, loadWhy);
  addAudit(program, loadAudit);
  const projections = program.command('projections').description('Read models, computed from the event log');
  projections
    .command('list')
    .description('How far every projection is; works beside a running shop')
    .action(async () => {
      const { config, shop } = await find();
      const rows = shop ? await statusOf(shop) : await (await loadProjections()).list(config);
      process.stdout.write(rows.map(line).join(''));
    });
  projections
    .command('rebuild')
    .description(
      'Rebuild projections in one pass over the log; the old ones serve until then; Ctrl-C cancels',
    )
    .argument('[names...]', 'as `tillroll projections list` shows them')
    .option('--all', 'every projection')
    .action(async (given: readonly string[], { all = false }: { all?: boolean }, command: Command) => {
      if (all === given.length > 0) command.error('error: name the projections to rebuild, or say --all');
      const names = all ? null : [...new Set(given)];
      const { config, shop } = await find();
      const rebuilt = await withBar(titleOf(names), (onProgress) =>
        untilInterrupted(async (signal) =>
          shop
            ? rebuildInShop(shop, names, onProgress, signal)
            : (await loadProjections()).rebuild(config, names, onProgress, signal),
        ),
      );
      process.stdout.write(rebuilt.map((name) => `${name} is rebuilt.\n`).join(''));
    });
  addBuild(projections, loadProjections);
};

const addBuild = (projections: Command, loadProjections: () => Promise<OfflineProjections>): void => {
  projections
    .command('build')
    .description(
      'Fill what this release has in a new version, beside the running release before it; Ctrl-C leaves nothing',
    )
    .argument('[names...]', 'only these; default: every projection')
    .action(async (given: readonly string[]) => {
      const names = given.length === 0 ? null : [...new Set(given)];
      const { loadConfig } = await import('#runtime/config.ts');
      const config = loadConfig();
      const built = await withBar(titleOf(names), (onProgress) =>
        untilInterrupted(async (signal) =>
          (await loadProjections()).build(config, names, onProgress, signal),
        ),
      );
      const lines = built.map((name) => `${name} is built.\n`);
      process.stdout.write(
        lines.length > 0
          ? lines.join('')
          : 'Nothing is to be built: there is everything that this release reads.\n',
      );
    });
};

const titleOf = (names: readonly string[] | null): string => {
  if (names === null) return 'all projections';
  const [first = '', ...others] = names;
  return others.length === 0 ? first : `${names.length} projections`;
};

const find = async (): Promise<{ readonly config: Config; readonly shop: RunningShop | null }> => {
  const [{ loadConfig }, { findRunningShop }] = await Promise.all([
    import('#runtime/config.ts'),
    import('#runtime/running-shop.ts'),
  ]);
  const config = loadConfig();
  return { config, shop: await findRunningShop(config) };
};

const statusOf = async (shop: RunningShop): Promise<readonly ProjectionResponse[]> =>
  ((await shop.call('GET', '/projections')) as { items: readonly ProjectionResponse[] }).items;

const line = ({
  name,
  version,
  checkpoint,
  lagPositions,
  stopped,
}: Omit<ProjectionResponse, 'rebuild' | 'answeringVersion'>): string => {
  const state = stopped ? `stopped at ${stopped.position}: ${stopped.message}` : `${lagPositions} behind`;
  return `${name} v${version}  at ${checkpoint}  ${state}\n`;
};

const rebuildInShop = async (
  shop: RunningShop,
  wanted: readonly string[] | null,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<Rebuilt> => {
  const names = wanted ?? (await statusOf(shop)).map(({ name }) => name);
  await shop.call('POST', '/projections/rebuild', { names });
  const look = async () => new Map((await statusOf(shop)).map(({ name, rebuild }) => [name, rebuild]));
  const cancel = async (name: string) => void (await shop.call('DELETE', `/projections/${name}/rebuild`));
  return watchRebuilds(names, { look, onProgress, cancel, signal });
};

const lookEveryMilliseconds = 250;

type Rebuild = NonNullable<ProjectionResponse['rebuild']>;

export interface WatchOptions {
  readonly look: () => Promise<ReadonlyMap<string, Rebuild | null>>;
  readonly onProgress: OnProgress;
  readonly cancel: (name: string) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Waits until the rebuilds that were asked for are done, by the one who follows the projections; cancels those that are
 * not when the signal aborts. Errors: `Error` that says which of them failed, and why.
 */
export const watchRebuilds = async (
  names: readonly string[],
  { look, onProgress, cancel, signal }: WatchOptions,
): Promise<Rebuilt> => {
  const { setTimeout: pause } = await import('node:timers/promises');
  for (let isCancelled = false; ;) {
    const seen = await look();
    const rebuilds = names.map((name) => ({ name, rebuild: seen.get(name) ?? null }));
    const open = rebuilds.flatMap(({ name, rebuild }) =>
      rebuild && !rebuild.isDone ? [{ name, rebuild }] : [],
    );
    const failed = rebuilds.flatMap((one) => failureOf(one) ?? []);
    if (open.length === 0 || rebuilds.some(({ rebuild }) => rebuild === null)) {
      if (failed.length === 0) return names;
      const others = names.length - failed.length;
      throw new Error([...failed, ...(others > 0 ? [`The other ${others} are rebuilt.`] : [])].join('\n'));
    }
    if (signal.aborted && !isCancelled) {
      isCancelled = true;
      // One that has just ended is not there to be cancelled.
      for (const { name } of open) await cancel(name).catch(() => undefined);
    }
    onProgress(leastOf(open.map(({ rebuild }) => rebuild)));
    await pause(lookEveryMilliseconds);
  }
};

/** Ctrl-C asks for an end; a second one ends this process at once. */
const untilInterrupted = async <Answer>(work: (signal: AbortSignal) => Promise<Answer>): Promise<Answer> => {
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once('SIGINT', interrupt);
  try {
    return await work(stop.signal);
  } finally {
    process.off('SIGINT', interrupt);
  }
};

const failureOf = ({ name, rebuild }: { name: string; rebuild: Rebuild | null }): string | null => {
  if (!rebuild) return `${name}: the read store was emptied meanwhile; it is being filled again.`;
  return rebuild.failure === null ? null : `The rebuild of ${name} ended: ${rebuild.failure}`;
};

/** Passes may be at different places: the one that is furthest behind. */
const leastOf = (open: readonly Rebuild[]): Progress => {
  const [first] = [...open].sort((one, other) => one.share - other.share);
  return {
    position: first?.position ?? 0,
    head: first?.head ?? 0,
    phase: first?.phase ?? 'waiting',
    eventsPerSecond: first?.eventsPerSecond ?? null,
  };
};

/** Shows a progress bar with an estimate. */
const withBar = async <Answer>(
  title: string,
  work: (onProgress: OnProgress) => Promise<Answer>,
): Promise<Answer> => {
  const { progressBar } = await import('#runtime/progress-bar.ts');
  const bar = progressBar(`${title} {bar} {percentage} %  {phase}  {pace}{eta_formatted}`);
  bar.start(1, 0, { phase: 'waiting', pace: '' });
  try {
    return await work(({ position, head, phase, eventsPerSecond }) => {
      const pace = eventsPerSecond === null ? '' : `${eventsPerSecond.toLocaleString('en')} events/s  `;
      bar.setTotal(Math.max(head, 1));
      bar.update(position, { phase, pace });
    });
  } finally {
    bar.stop();
  }
};
