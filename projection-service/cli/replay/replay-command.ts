import { InvalidArgumentError, type Command } from 'commander';
import { asOf, type AsOf } from '#contracts/as-of.contract.ts';
import type { Route } from '#http/route.ts';
import type { Config } from '#runtime/config.ts';
import type { Watched } from './make-replay.ts';
import type { ServeOptions } from './serve-replay.ts';

export interface ReplayContext {
  readonly version: string;
  /** Every route of a running shop. */
  allRoutes(config: Config): Promise<readonly Route[]>;
  /** See `ServeOptions.further`. */
  loadFurther(): Promise<ServeOptions['further']>;
}

interface ReplayOptions {
  readonly until?: AsOf;
  readonly to: string;
  readonly views?: readonly string[];
  readonly serve?: number;
  readonly data?: string;
}

const moment = (text: string): AsOf => {
  const parsed = asOf.safeParse(text);
  if (parsed.success && parsed.data) return parsed.data;
  throw new InvalidArgumentError(
    'Must be a day, of which its end is meant, or an instant such as 2026-03-31T18:00Z.',
  );
};

const portOf = (text: string): number => {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError('Must be a port from 0 to 65535; 0 takes a free one.');
};

const listed = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  ...text.split(',').filter((name) => name !== ''),
];

export const addReplay = (program: Command, context: ReplayContext): void => {
  program
    .command('replay')
    .description('The shop as it was at a moment, beside the running one, which is only read')
    .option('--until <when>', 'the end of a day, or an instant such as 2026-03-31T18:00Z', moment)
    .requiredOption('--to <folder>', 'where its read models are: an empty folder, or a replay to serve')
    .option('--views <names>', 'only these, with commas between: see tillroll projections list', listed)
    .option('--serve <port>', 'answer queries as of that moment; changes are refused', portOf)
    .option('--data <folder>', 'where the data is kept; over DATA_DIR')
    .action(async (options: ReplayOptions, command: Command) => {
      if (options.until === undefined && options.serve === undefined)
        command.error('error: say --until to make a replay, or --serve to serve one');
      if (options.until === undefined && options.views !== undefined)
        command.error('error: --views belongs to --until: a replay that was made has its views');
      await replay(options, context);
    });
};

const replay = async (options: ReplayOptions, context: ReplayContext): Promise<void> => {
  const [{ resolve }, { loadConfig }, { refuseTakenPort }] = await Promise.all([
    import('node:path'),
    import('#runtime/config.ts'),
    import('#runtime/free-port.ts'),
  ]);
  const { data, until, views = null, serve } = options;
  const config = loadConfig(data === undefined ? {} : { overrides: { DATA_DIR: data } });
  const folder = resolve(options.to);
  // Views may take an hour to fill.
  if (serve !== undefined) await refuseTakenPort(serve, '--serve');
  const { signal, whenCalled } = calledOff();
  try {
    if (until !== undefined) await make(config, { until, folder, views }, signal);
    if (serve === undefined) return;
    const close = await open(config, folder, serve, context, signal);
    await whenCalled;
    await close();
  } catch (error) {
    if (!signal.aborted) throw error;
    process.stderr.write(`Called off: ${folder} is as it was before.\n`);
    process.exitCode = INTERRUPTED;
  }
};

/** As shells have it. */
const INTERRUPTED = 130;

/** By Ctrl-C, or a signal to stop. A second one ends the process at once. */
const calledOff = (): { readonly signal: AbortSignal; readonly whenCalled: Promise<void> } => {
  const stopping = new AbortController();
  const { promise: whenCalled, resolve } = Promise.withResolvers<void>();
  const stop = (): void => {
    if (stopping.signal.aborted) process.exit(INTERRUPTED);
    stopping.abort();
    resolve();
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return { signal: stopping.signal, whenCalled };
};

const make = async (
  config: Config,
  wanted: { readonly until: AsOf; readonly folder: string; readonly views: readonly string[] | null },
  signal: AbortSignal,
): Promise<void> => {
  const [{ makeReplay }, { lowerPriority }] = await Promise.all([
    import('./make-replay.ts'),
    import('#runtime/low-priority.ts'),
  ]);
  lowerPriority();
  const { until, views } = await withBar(signal, (watched) => makeReplay(config, wanted, watched));
  process.stdout.write(`${wanted.folder} holds the shop as of ${until}: ${views.length} views.\n`);
};

const open = async (
  config: Config,
  folder: string,
  port: number,
  { version, ...context }: ReplayContext,
  signal: AbortSignal,
): Promise<() => Promise<void>> => {
  const { serveReplay } = await import('./serve-replay.ts');
  const [allRoutes, further] = await Promise.all([context.allRoutes(config), context.loadFurther()]);
  const served = await withBar(signal, (watched) =>
    serveReplay({ config, folder, port, version, allRoutes, further }, watched),
  );
  const { record, ownKey } = served;
  if (ownKey !== null)
    process.stdout.write(`Backoffice API key of this replay, while it is served: ${ownKey}\n`);
  process.stdout.write(
    `The shop as of ${record.until} is open, to be read: http://localhost:${served.port} (API: /reference)\n`,
  );
  return served.close;
};

/** Shows how far views are that are being filled. */
const withBar = async <Answer>(
  signal: AbortSignal,
  work: (watched: Watched) => Promise<Answer>,
): Promise<Answer> => {
  const { progressBar } = await import('#runtime/progress-bar.ts');
  const bar = progressBar('{phase} {bar} {percentage} %  {eta_formatted}');
  let isShown = false;
  try {
    return await work({
      signal,
      onProgress: ({ phase, position, head }) => {
        if (!isShown) bar.start(Math.max(head, 1), 0, { phase });
        isShown = true;
        bar.update(position, { phase });
      },
    });
  } finally {
    if (isShown) bar.stop();
  }
};
