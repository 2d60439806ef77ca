import type { Command } from 'commander';
import type { ProjectionResponse } from '#contracts/projections.contract.ts';
import type { Config } from '#runtime/config.ts';
import type { RunningShop } from '#runtime/running-shop.ts';
import { addReport, type OpenReports } from './cli/report/report-command.ts';
import { addWhy, type OpenWhy } from './cli/why/why-command.ts';

export interface Progress {
  readonly position: number;
  readonly head: number;
}

/** The projections of engines that no running shop has open. */
export interface OfflineProjections {
  list(config: Config): Promise<readonly Omit<ProjectionResponse, 'rebuild' | 'answeringVersion'>[]>;
  /** `names`: null for all. */
  rebuild(config: Config, names: readonly string[] | null, onProgress: OnProgress): Promise<Rebuilt>;
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
): void => {
  addReport(program, loadReports);
  addWhy(program, loadWhy);
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
    .description('Rebuild projections in one pass over the log; the old ones serve until then')
    .argument('[names...]', 'as `tillroll projections list` shows them')
    .option('--all', 'every projection')
    .action(async (given: readonly string[], { all = false }: { all?: boolean }, command: Command) => {
      if (all === given.length > 0) command.error('error: name the projections to rebuild, or say --all');
      const names = all ? null : [...new Set(given)];
      const { config, shop } = await find();
      const rebuilt = await withBar(titleOf(names), async (onProgress) =>
        shop
          ? rebuildInShop(shop, names, onProgress)
          : (await loadProjections()).rebuild(config, names, onProgress),
      );
      process.stdout.write(rebuilt.map((name) => `${name} is rebuilt.\n`).join(''));
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
): Promise<Rebuilt> => {
  const names = wanted ?? (await statusOf(shop)).map(({ name }) => name);
  await shop.call('POST', '/projections/rebuild', { names });
  const look = async () => new Map((await statusOf(shop)).map(({ name, rebuild }) => [name, rebuild]));
  return watchRebuilds(names, look, onProgress);
};

const lookEveryMilliseconds = 250;

type Rebuild = NonNullable<ProjectionResponse['rebuild']>;

/**
 * Waits until the rebuilds that were asked for are done, by the one who follows the projections. Errors: `Error` that
 * says which of them failed, and why.
 */
export const watchRebuilds = async (
  names: readonly string[],
  look: () => Promise<ReadonlyMap<string, Rebuild | null>>,
  onProgress: OnProgress,
): Promise<Rebuilt> => {
  const { setTimeout: pause } = await import('node:timers/promises');
  for (;;) {
    const seen = await look();
    const rebuilds = names.map((name) => ({ name, rebuild: seen.get(name) ?? null }));
    const open = rebuilds.flatMap(({ rebuild }) => (rebuild && !rebuild.isDone ? [rebuild] : []));
    const failed = rebuilds.flatMap((one) => failureOf(one) ?? []);
    if (open.length === 0 || rebuilds.some(({ rebuild }) => rebuild === null)) {
      if (failed.length === 0) return names;
      const others = names.length - failed.length;
      throw new Error([...failed, ...(others > 0 ? [`The other ${others} are rebuilt.`] : [])].join('\n'));
    }
    onProgress(leastOf(open));
    await pause(lookEveryMilliseconds);
  }
};

const failureOf = ({ name, rebuild }: { name: string; rebuild: Rebuild | null }): string | null => {
  if (!rebuild) return `${name}: the read store was emptied meanwhile; it is being filled again.`;
  return rebuild.failure === null ? null : `The rebuild of ${name} failed: ${rebuild.failure}`;
};

/** One pass fills them all; those that came later into it are where the others were. */
const leastOf = (open: readonly Rebuild[]): Progress => ({
  position: Math.min(...open.map(({ position }) => position)),
  head: Math.max(...open.map(({ head }) => head)),
});

/** Shows a progress bar with an estimate. */
const withBar = async <Answer>(
  title: string,
  work: (onProgress: OnProgress) => Promise<Answer>,
): Promise<Answer> => {
  const { progressBar } = await import('#runtime/progress-bar.ts');
  const bar = progressBar(`${title} {bar} {percentage} %  {eta_formatted} left`);
  bar.start(1, 0);
  try {
    return await work(({ position, head }) => {
      bar.setTotal(Math.max(head, 1));
      bar.update(position);
    });
  } finally {
    bar.stop();
  }
};
