import { readFile } from 'node:fs/promises';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Config } from '#runtime/config.ts';
import type { RunningShop } from '#runtime/running-shop.ts';
import type { EventFlow } from '../shared-kernel/event-flow/event-flows.ts';
import type { EventsOptions } from './cli/events.ts';
import type * as productFiles from './cli/product-files.ts';
import type { ProductFileWish, RunReport, WatchRun } from './cli/product-files.ts';
import type { SimulateShop, SimulationWish } from './cli/simulate.ts';
import { addAgents } from './cli/agents-command.ts';
import { addKeys } from './cli/keys-command.ts';
import type { Users } from './cli/users.ts';
import { addWhatIf, type AskWhatIf } from './cli/what-if/what-if-command.ts';

/** Imports a store file into engines that no other process has open; returns the number of entries in each list. */
export type ImportStore = (config: Config, text: string) => Promise<Readonly<Record<string, number>>>;

/** The `load…` functions are called only when they are needed: help and listings load nothing heavy. */
export const addCommandServiceCommands = (
  program: Command,
  loadFlows: () => Promise<readonly EventFlow[]>,
  loadImport: () => Promise<ImportStore>,
  loadSimulate: () => Promise<SimulateShop>,
  loadWhatIf: () => Promise<AskWhatIf>,
): void => {
  addEvents(program, loadFlows);
  addUsers(program);
  addKeys(program);
  addAgents(program);
  addSimulate(program, loadSimulate);
  addWhatIf(program, loadWhatIf);
  addProducts(program);
  program
    .command('import')
    .description('Import a store file; importing it again changes nothing. For CSV files: products import')
    .argument('<file>', 'JSON, as docs/guides/importing-a-store.md describes it')
    .action(async (file: string) => importFile(file, loadImport));
};

const position = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('Must be a position of the log.');
  return Number(text);
};

const hours = (text: string): number => {
  if (!(Number(text) > 0)) throw new InvalidArgumentError('Must be a number of hours above 0.');
  return Number(text);
};

const between =
  (low: number, high: number) =>
  (text: string): number => {
    const given = Number(text);
    if (/^\d+$/.test(text) && given >= low && given <= high) return given;
    throw new InvalidArgumentError(`Must be a whole number from ${low} to ${high}.`);
  };

interface SimulateOptions extends SimulationWish {
  readonly data?: string;
  readonly forStart?: boolean;
}

const addSimulate = (program: Command, loadSimulate: () => Promise<SimulateShop>): void => {
  program
    .command('simulate')
    .description(
      'Fill an empty data folder with months of shoppers, up to now; the same seed makes the same shop',
    )
    .requiredOption('--orders <count>', 'how many visits end with a paid order', between(1, 10_000_000))
    .requiredOption('--days <count>', 'over how many days, today included', between(1, 3650))
    .option('--seed <number>', 'another shop for every number', between(0, 2 ** 32 - 1), 1)
    .option('--webhook <url>', 'whom to tell of everything that happens: one subscription for each topic')
    .option('--keep', 'where there is a log already, keep it and say so')
    .option('--for-start', 'see first that PORT is free for the start that comes next')
    .option('--data <folder>', 'where the data is kept; over DATA_DIR')
    .action(async ({ data, forStart = false, ...wish }: SimulateOptions) => {
      const [{ loadConfig }, { runSimulation }, { refuseTakenPort }, simulateShop] = await Promise.all([
        import('#runtime/config.ts'),
        import('./cli/simulate.ts'),
        import('#runtime/free-port.ts'),
        loadSimulate(),
      ]);
      const config = loadConfig(data === undefined ? {} : { overrides: { DATA_DIR: data } });
      if (forStart) await refuseTakenPort(config.port);
      process.stdout.write(await runSimulation(simulateShop, config, wish));
    });
};

const addEvents = (program: Command, loadFlows: () => Promise<readonly EventFlow[]>): void => {
  const where = ['stream', 'category', 'type', 'actor', 'correlationId', 'subject', 'from', 'to', 'after'];
  const log = [...where, 'backwards', 'limit', 'follow', 'json', 'reveal'];
  program
    .command('events')
    .description('Print the event log, one line an event; works beside a running shop')
    .option('--stream <stream>', 'only this stream, such as basket-<guid>')
    .option('--category <category>', 'only streams of this kind, such as basket')
    .option('--type <type>', 'only this type, such as BasketLineAdded')
    .option(
      '--actor <actor>',
      'only what they caused: a kind, an id, kind:id, or the e-mail address of a user',
    )
    .option('--correlation-id <id>', 'only what this request caused')
    .option('--subject <id>', 'only what is about this basket or customer')
    .option('--from <moment>', 'only what was recorded since: a day (UTC) or an instant')
    .option('--to <moment>', 'only what was recorded by then')
    .option('--after <position>', 'only what came after this position; backwards, before it', position)
    .option('--backwards', 'the newest first')
    .option('--limit <count>', 'how many at most', between(1, 1_000_000_000))
    .addOption(
      new Option('--follow', 'go on with what is appended from now on').conflicts(['backwards', 'to']),
    )
    .option('--json', 'the whole envelope, one JSON document a line')
    .option('--reveal', 'show personal fields in clear')
    .addOption(
      new Option('--about <type>', 'print where events of a type come from and go to').conflicts([
        ...log,
        'page',
      ]),
    )
    .addOption(new Option('--page', 'print that of all types: docs/events.md').conflicts(log))
    .action((options: EventsOptions & FlowOptions) =>
      options.about === undefined && !options.page ? showEvents(options) : showFlows(options, loadFlows),
    );
};

interface FlowOptions {
  readonly about?: string;
  readonly page?: boolean;
}

/** Needs neither a shop nor its data: what modules register is there without them. */
const showFlows = async ({ about }: FlowOptions, loadFlows: () => Promise<readonly EventFlow[]>) => {
  const flows = await loadFlows();
  const [{ findEvent, printEvent }, { printEventsPage }] = await Promise.all([
    import('../shared-kernel/event-flow/print-event.ts'),
    import('../shared-kernel/event-flow/print-events-page.ts'),
  ]);
  process.stdout.write(about === undefined ? printEventsPage(flows) : printEvent(findEvent(flows, about)));
};

const showEvents = async (options: EventsOptions & { readonly reveal?: boolean }): Promise<void> => {
  const [{ loadConfig }, { openEventLog }, { printEvents }, { printTo }] = await Promise.all([
    import('#runtime/config.ts'),
    import('./cli/event-log.ts'),
    import('./cli/events.ts'),
    import('./cli/print.ts'),
  ]);
  const log = await openEventLog(loadConfig(), options.reveal ?? false);
  try {
    const { signal } = new AbortController();
    await printEvents(options, log, log.decode, printTo(process.stdout), signal);
  } finally {
    await log.close();
  }
};

const addUsers = (program: Command): void => {
  const users = program.command('users').description('Who may use the backoffice');
  users
    .command('add')
    .description('Add a user; the password is read from standard input, or generated and printed once')
    .requiredOption('--email <email>')
    .addOption(new Option('--role <role>').choices(['admin', 'analyst', 'auditor']).makeOptionMandatory())
    .action(async (user: { email: string; role: 'admin' | 'analyst' | 'auditor' }) => {
      const { addUser, pipedPassword } = await import('./cli/users.ts');
      const password = await pipedPassword(process.stdin);
      await withUsers((known) => addUser(known, user, password));
    });
  users
    .command('list')
    .description('List the users')
    .action(async () => {
      const { listUsers } = await import('./cli/users.ts');
      await withUsers(listUsers);
    });
  users
    .command('disable')
    .description('Shut a user out; their tokens stop working within seconds')
    .requiredOption('--email <email>')
    .action(async ({ email }: { email: string }) => {
      const { disableUser } = await import('./cli/users.ts');
      await withUsers((known) => disableUser(known, email));
    });
  users
    .command('token')
    .description('Print a token for a user')
    .requiredOption('--email <email>')
    .option('--hours <hours>', 'how long it lasts', hours, 8)
    .action(async ({ email, ...options }: { email: string; hours: number }) => {
      const { printToken } = await import('./cli/users.ts');
      await withUsers((known) => printToken(known, email, options.hours));
    });
};

/** Prints what comes of an act on the users of the running shop; without one, on those in the state store. */
const withUsers = async (act: (users: Users) => Promise<string>): Promise<void> => {
  const [{ loadConfig }, { openUsers }] = await Promise.all([
    import('#runtime/config.ts'),
    import('./cli/open-users.ts'),
  ]);
  const { users, close } = await openUsers(loadConfig());
  try {
    process.stdout.write(await act(users));
  } finally {
    await close();
  }
};

const addProducts = (program: Command): void => {
  const products = program
    .command('products')
    .description('The products of the running shop, from and to CSV files (docs/guides/product-csv.md)');
  const profile = (): Option =>
    new Option('--profile <profile>', 'the columns of Shopify, or with all else as JSON')
      .choices(['strict', 'extended'])
      .default('strict');
  products
    .command('import')
    .description('Import a CSV file, unless something is wrong with it; the same again changes nothing')
    .argument('<file>', 'CSV, up to 15 MiB')
    .addOption(profile())
    .option('--dry-run', 'only say what is wrong with the file')
    .action((file: string, wish: ProductFileWish) =>
      withProducts(({ importProductFile }, shop, watch) => importProductFile(shop, file, wish, watch)),
    );
  products
    .command('export')
    .description('Write all products into a CSV file that is not there yet')
    .argument('<file>')
    .addOption(profile())
    .action((file: string, wish: ProductFileWish) =>
      withProducts(({ exportProductFile }, shop, watch) => exportProductFile(shop, file, wish, watch)),
    );
};

/** Watches a run of the running shop on a bar, and prints what came of it. */
const withProducts = async (
  act: (files: typeof productFiles, shop: RunningShop, watch: WatchRun) => Promise<RunReport>,
): Promise<void> => {
  const [{ loadConfig }, { findRunningShop }, { progressBar }, files] = await Promise.all([
    import('#runtime/config.ts'),
    import('#runtime/running-shop.ts'),
    import('#runtime/progress-bar.ts'),
    import('./cli/product-files.ts'),
  ]);
  const config = loadConfig();
  const shop = await findRunningShop(config);
  if (!shop) throw new Error(`No shop runs on port ${config.port}: start it first, with tillroll start.`);
  const bar = progressBar('{bar} {value}/{total} rows  {stage}');
  bar.start(0, 0, { stage: 'begins' });
  try {
    const { text, isDone } = await act(files, shop, ({ kind, done, total }) => {
      bar.setTotal(Math.max(total, done));
      bar.update(done, { stage: total === 0 && kind === 'import' ? 'checked' : `${kind}ed` });
    });
    bar.stop();
    process.stdout.write(text);
    if (!isDone) process.exitCode = 1;
  } finally {
    bar.stop();
  }
};

const importFile = async (file: string, loadImport: () => Promise<ImportStore>): Promise<void> => {
  const [{ loadConfig }, { findRunningShop }] = await Promise.all([
    import('#runtime/config.ts'),
    import('#runtime/running-shop.ts'),
  ]);
  const config = loadConfig();
  const text = await readFile(file, 'utf8');
  const shop = await findRunningShop(config);
  const counts = shop
    ? ((await shop.call('POST', '/store-imports', JSON.parse(text))) as { counts: Record<string, number> })
        .counts
    : await (
        await loadImport()
      )(config, text);
  const lines = Object.entries(counts).map(([list, count]) => `${String(count).padStart(7)}  ${list}\n`);
  process.stdout.write(`Imported from ${file}:\n${lines.join('')}`);
};
