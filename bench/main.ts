import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { comparedRows, measureAgainst } from './against.ts';
import { profileDistributed } from './distributed.ts';
import { figureLine, tableOf, type Figure } from './figures.ts';
import { profileHttpRow, type Bench } from './http-rows.ts';
import { describeMachine, findPinning } from './machine.ts';
import { benchStore } from './store.ts';
import {
  isHttpRow,
  MANY_ORDERS,
  measureRow,
  onRequest,
  ORDERS,
  PRODUCTS,
  rowNames,
  rowsHelp,
  type RowName,
  type Sizes,
} from './rows.ts';

/*
 * `npm run bench`: what the shop does on the embedded engines, all durable, next to what bare Express does on the same
 * core in the same minutes. Machines are noisy: the ratios count.
 */

type ComparedRow = (typeof comparedRows)[number];

interface Options extends Sizes {
  readonly only?: readonly (RowName | ComparedRow)[];
  readonly against?: string;
  readonly pairs: number;
  readonly seconds: number;
  readonly runs?: number;
  readonly profile: boolean;
  readonly strict: boolean;
  readonly dir: string;
}

const count = (text: string): number => {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError('must be a whole number from 1 on');
  return value;
};

const seconds = (text: string): number => {
  const value = Number(text);
  if (!(value >= 0.2 && value <= 60)) throw new InvalidArgumentError('must be 0.2 to 60 seconds');
  return value;
};

const everyRow = [...new Set([...rowNames, ...comparedRows])];

const row = (
  text: string,
  previous: readonly (RowName | ComparedRow)[] = [],
): readonly (RowName | ComparedRow)[] => {
  const found = everyRow.find((name) => name === text);
  if (!found) throw new InvalidArgumentError(`must be one of ${everyRow.join(', ')}`);
  return [...previous, found];
};

/** The rows that were asked for. Errors: one that cannot be measured so. */
const wantedOf = <Name extends string>(
  { only }: Options,
  known: readonly Name[],
  otherwise: readonly Name[],
): readonly Name[] =>
  only === undefined
    ? otherwise
    : only.map((name) => {
        const found = known.find((one) => one === name);
        if (!found) throw new Error(`there is no row ${name} here, but ${known.join(', ')}`);
        return found;
      });

const program = new Command('bench')
  .description('Measures the shop on the embedded engines and prints a table.')
  .option(
    '--only <row>',
    `measure this row only, may be repeated: ${rowNames.join(', ')}; with --against: ${comparedRows.join(', ')}`,
    row,
  )
  .option('--against <commit>', 'compare with another version, both in turn, and print ratios')
  .option('--pairs <count>', 'with --against: pairs of each row', count, 7)
  .option('--seconds <length>', 'with --against: length of a slice, four of which make a pair', seconds, 2)
  .option('--quick', 'one short run of everything, to see that it works; the figures mean little', false)
  .option('--runs <count>', 'runs of each row (default 3, quick: 1)', count)
  .option('--events <count>', 'length of the log of the start row', count, 1_000_000)
  .option(
    '--orders <count>',
    `length of the simulation, and of the log of start and replay (default ${ORDERS}); of the order list (${MANY_ORDERS})`,
    count,
  )
  .option('--variants <count>', 'size of the large shop of the row catalogue', count, 100_000)
  .option(
    '--profile',
    'instead of measuring, show where the HTTP rows and the row distributed spend their time',
    false,
  )
  .option('--strict', 'exit with 1 when a figure is not reached', false)
  .option('--dir <folder>', 'where the temporary data folder is made', tmpdir())
  .addHelpText('after', rowsHelp);

const report = (figures: readonly Figure[], options: Options, measured?: string): void => {
  console.log(`\n${tableOf(figures, measured)}`);
  const missed = figures.filter(({ isReached }) => isReached === false);
  if (missed.length === 0) return;
  console.log(`\nNot reached: ${missed.map(({ work }) => work).join('; ')}.`);
  if (options.strict) process.exitCode = 1;
};

const run = async (options: Options): Promise<void> => {
  const folder = mkdtempSync(join(options.dir, 'tillroll-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  const pinning = findPinning();
  const { file, productIds } = benchStore(PRODUCTS);
  const storeFile = join(folder, 'store.json');
  writeFileSync(storeFile, JSON.stringify(file));
  for (const line of describeMachine(folder, pinning)) console.log(line);
  const say = (line: string): void => void process.stderr.write(`${line}\n`);
  const told = new Set<Figure>();
  const bench: Bench = {
    folder,
    storeFile,
    productIds,
    pinning,
    runs: options.runs ?? (options.quick ? 1 : 3),
    isQuick: options.quick,
    say,
    tell: (figure) => {
      told.add(figure);
      say(figureLine(figure));
    },
  };
  if (options.against !== undefined) {
    const only = wantedOf(options, comparedRows, comparedRows);
    const { orders = ORDERS, against: commit } = options;
    const figures = await measureAgainst(bench, { ...options, orders, commit, only });
    report(figures, options, 'this version by the other: median (min–max); medians');
    return;
  }
  const usual = rowNames.filter((name) => !onRequest.includes(name));
  const wanted = wantedOf(options, rowNames, usual);
  if (options.profile) {
    for (const name of wanted.filter(isHttpRow)) await profileHttpRow(bench, name);
    if (wanted.includes('distributed')) await profileDistributed(bench);
    return;
  }
  const figures: Figure[] = [];
  for (const name of wanted) {
    const found = await measureRow(bench, name, options);
    for (const figure of found) if (!told.has(figure)) bench.tell(figure);
    figures.push(...found);
  }
  report(figures, options);
};

program.parse();
try {
  await run(program.opts<Options>());
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
