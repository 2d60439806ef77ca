import { InvalidArgumentError, type Command } from 'commander';
import type { Config } from '#runtime/config.ts';
import type { Resumed } from './engine/resume-dispatch.ts';

/** On engines that no running process has open, or that are servers. */
export type ResumeOffline = (config: Config, from: number | 'now') => Promise<Resumed>;

const wish = (text: string): number | 'now' => {
  if (text === 'now') return 'now';
  if (/^\d+$/.test(text) && Number.isSafeInteger(Number(text))) return Number(text);
  throw new InvalidArgumentError('Must be now, 0 or the position of an event.');
};

/** `loadResume` is asked for only when no shop runs: help loads nothing heavy. */
export const addDispatcherServiceCommands = (
  program: Command,
  loadResume: () => Promise<ResumeOffline>,
): void => {
  program
    .command('dispatch')
    .description('What goes out as the log says: webhooks, and the handlers of the hooks file')
    .command('resume')
    .description('Go on after the log was restored; /health/ready says when that is waited for')
    .requiredOption(
      '--from <position|now>',
      'now: what has been appended since the restore is never told; ' +
        'a position: what comes after it is told, also what was told before; 0: everything',
      wish,
    )
    .action(async ({ from }: { from: number | 'now' }) => {
      process.stdout.write(text(await resume(from, loadResume)));
    });
};

const resume = async (from: number | 'now', loadResume: () => Promise<ResumeOffline>): Promise<Resumed> => {
  const [{ loadConfig }, { areShared }, { findRunningShop }] = await Promise.all([
    import('#runtime/config.ts'),
    import('#runtime/config-engines.ts'),
    import('#runtime/running-shop.ts'),
  ]);
  const config = loadConfig();
  // What runs here may be another service: the dispatcher looks at the state store.
  const shop = areShared(config.engines) ? null : await findRunningShop(config);
  if (shop) return (await shop.call('POST', '/dispatch/resume', { from })) as Resumed;
  return (await loadResume())(config, from);
};

const text = ({ after, resumed }: Resumed): string =>
  resumed.length === 0
    ? 'Nothing waits to be resumed: the log holds everything up to which it has been told.\n'
    : `${resumed.join(', ')}: goes on after position ${after}.\n`;
