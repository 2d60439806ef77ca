import type { Command } from 'commander';
import type { ProjectionResponse } from '#contracts/projections.contract.ts';
import type { Config } from '#runtime/config.ts';
import type { RunningShop } from '#runtime/running-shop.ts';

export interface Progress {
  readonly position: number;
  readonly head: number;
}

/** The projections of engines that no running shop has open. */
export interface OfflineProjections {
  list(config: Config): Promise<readonly Omit<ProjectionResponse, 'rebuild'>[]>;
  rebuild(config: Config, name: string, onProgress: (progress: Progress) => void): Promise<void>;
}

/** `loadProjections` is asked for only when no shop runs: help and listings load nothing heavy. */
export const addProjectionServiceCommands = (
  program: Command,
  loadProjections: () => Promise<OfflineProjections>,
): void => {
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
    .description('Rebuild a projection from the log; the old one serves until then')
    .argument('<name>')
    .action(async (name: string) => {
      const { config, shop } = await find();
      await withBar(name, async (onProgress) => {
        if (shop) await rebuildInShop(shop, name, onProgress);
        else await (await loadProjections()).rebuild(config, name, onProgress);
      });
    });
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
}: Omit<ProjectionResponse, 'rebuild'>): string => {
  const state = stopped ? `stopped at ${stopped.position}: ${stopped.message}` : `${lagPositions} behind`;
  return `${name} v${version}  at ${checkpoint}  ${state}\n`;
};

const rebuildInShop = async (
  shop: RunningShop,
  name: string,
  onProgress: (progress: Progress) => void,
): Promise<void> => {
  await shop.call('POST', `/projections/${encodeURIComponent(name)}/rebuild`);
  const look = async () => (await statusOf(shop)).find((one) => one.name === name)?.rebuild ?? null;
  await watchRebuild(look, onProgress);
};

const lookEveryMilliseconds = 250;

/**
 * Waits until a rebuild that was asked for is done, by the one who follows them. Errors: `Error` when it failed.
 */
export const watchRebuild = async (
  look: () => Promise<ProjectionResponse['rebuild']>,
  onProgress: (progress: Progress) => void,
): Promise<void> => {
  const { setTimeout: pause } = await import('node:timers/promises');
  for (;;) {
    const rebuild = await look();
    if (!rebuild) throw new Error('The read store was emptied meanwhile; it is being filled again.');
    onProgress(rebuild);
    if (rebuild.failure !== null) throw new Error(`The rebuild failed: ${rebuild.failure}`);
    if (rebuild.isDone) return;
    await pause(lookEveryMilliseconds);
  }
};

/** Shows a progress bar with an estimate. */
const withBar = async (
  name: string,
  work: (onProgress: (progress: Progress) => void) => Promise<void>,
): Promise<void> => {
  const { progressBar } = await import('#runtime/progress-bar.ts');
  const bar = progressBar(`${name} {bar} {percentage} %  {eta_formatted} left`);
  bar.start(1, 0);
  try {
    await work(({ position, head }) => {
      bar.setTotal(Math.max(head, 1));
      bar.update(position);
    });
  } finally {
    bar.stop();
  }
  process.stdout.write(`${name} is rebuilt.\n`);
};
