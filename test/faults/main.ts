import { Command, InvalidArgumentError } from 'commander';
import { everythingAtOnce } from './everything-at-once.ts';
import type { FaultFinding } from './fault.ts';
import { machineFaults } from './machine-faults.ts';
import { mongodbAway } from './mongodb-away.ts';

/*
 * `npm run faults`: what a machine does to a shop that sells, long enough to hurt, and ten minutes of everything at
 * once with kills. Exit code 1 when something was lost, doubled, stuck or wrong. Short forms are tests (F49, F21).
 */

interface Options {
  readonly seconds: number;
  readonly minutes: number;
  readonly only?: readonly string[];
}

interface Row {
  readonly name: string;
  readonly what: string;
  readonly missing: () => string | null;
  readonly run: () => Promise<FaultFinding>;
}

const everything = 'everything at once';

const rowsFor = ({ seconds, minutes, only }: Options): readonly Row[] => {
  const rows: readonly Row[] = [
    ...machineFaults.map((fault) => ({ ...fault, run: () => fault.run(seconds) })),
    { ...mongodbAway, run: () => mongodbAway.run(seconds) },
    {
      name: everything,
      what: `${minutes} minutes of shoppers, staff, files, callbacks, webhooks; kill -9 every few seconds`,
      missing: () => null,
      run: async () => {
        const found = await everythingAtOnce(minutes * 60, Date.now() % 1_000_000, (kills) =>
          process.stderr.write(`  kill ${kills}\n`),
        );
        process.stderr.write(`  ${found.kills} kills; staff: ${JSON.stringify(found.staff)}\n`);
        return found;
      },
    },
  ];
  const unknown = only?.filter((name) => !rows.some((row) => row.name === name)) ?? [];
  if (unknown.length > 0)
    throw new Error(
      `there is no fault ${unknown.join(', ')}, but ${rows.map(({ name }) => name).join(', ')}`,
    );
  return rows.filter(({ name }) => !only || only.includes(name));
};

const columns = [
  'fault',
  'what happens',
  'writes told of',
  'sells again after',
  'lost, doubled, stuck, wrong',
];

const print = (lines: readonly (readonly string[])[]): void => {
  const all = [columns, ...lines];
  const widths = columns.map((_, at) => Math.max(...all.map((line) => line[at]?.length ?? 0)));
  const text = (line: readonly string[]): string =>
    `| ${line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  console.log([text(columns), text(widths.map((width) => '-'.repeat(width))), ...lines.map(text)].join('\n'));
};

const run = async (options: Options): Promise<void> => {
  const rows = rowsFor(options);
  const lines: string[][] = [];
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const [at, { name, what, missing, run: strike }] of rows.entries()) {
    const reason = missing();
    process.stderr.write(
      `${at + 1} of ${rows.length}: ${name}${reason === null ? '' : `, LEFT OUT: ${reason}`}\n`,
    );
    if (reason !== null) {
      counts.skipped++;
      lines.push([name, what, '-', '-', `left out: ${reason}`]);
      continue;
    }
    const found = await strike().catch((error: unknown): FaultFinding => ({
      acknowledged: 0,
      resumedMs: 0,
      problems: [`not shown: ${String(error)}`],
    }));
    for (const problem of found.problems.slice(0, 20)) process.stderr.write(`  ${problem}\n`);
    counts[found.problems.length === 0 ? 'passed' : 'failed']++;
    const resumed = `${(found.resumedMs / 1000).toFixed(2)} s`;
    lines.push([name, what, String(found.acknowledged), resumed, String(found.problems.length)]);
  }
  print(lines);
  console.log(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  if (counts.failed > 0) process.exitCode = 1;
};

const positive = (text: string): number => {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('must be a number above 0');
  return value;
};

const program = new Command('faults')
  .description('Does to a shop what machines do, while people shop there, and prints what became of it.')
  .option('--seconds <number>', 'how long each fault lasts', positive, 20)
  .option('--minutes <number>', `how long "${everything}" lasts`, positive, 10)
  .option(
    '--only <fault>',
    'this one only, may be repeated',
    (text: string, rest: readonly string[] = []) => [...rest, text],
  )
  .action(run);
await program.parseAsync();
