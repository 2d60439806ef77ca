import Mocha from 'mocha';
import type { FileResult, TestResult } from './test-file.ts';

type Outcome = TestResult['outcome'];
interface Row {
  readonly suite: string;
  readonly files: number;
  readonly counts: Readonly<Record<Outcome, number>>;
  readonly milliseconds: number;
}

const count = (tests: readonly TestResult[], outcome: Outcome): number =>
  tests.filter((test) => test.outcome === outcome).length;

const rowOf = (suite: string, results: readonly FileResult[]): Row => {
  const tests = results.flatMap((result) => result.tests);
  return {
    suite,
    files: results.length,
    counts: {
      passed: count(tests, 'passed'),
      failed: count(tests, 'failed'),
      skipped: count(tests, 'skipped'),
    },
    milliseconds: results.reduce((sum, result) => sum + result.milliseconds, 0),
  };
};

const seconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`;

/** Cells below each other: the first column to the left, figures to the right. */
const printTable = (rows: readonly (readonly string[])[]): void => {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of rows) {
    const [first = '', ...rest] = row.map((cell, column) =>
      column ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
    );
    console.log(`  ${[first, ...rest].join('   ')}`);
  }
};

const printSuites = (results: readonly FileResult[]): void => {
  const bySuite = Map.groupBy(results, ({ file }) => file.split('/')[1] ?? file);
  const rows = [...bySuite]
    .map(([suite, some]) => rowOf(suite, some))
    .sort((one, other) => other.milliseconds - one.milliseconds);
  printTable([
    ['suite', 'files', 'passed', 'failed', 'skipped', 'time'],
    ...[...rows, rowOf('all', results)].map(({ suite, files, counts, milliseconds }) => [
      ...[suite, String(files), String(counts.passed), String(counts.failed), String(counts.skipped)],
      seconds(milliseconds),
    ]),
  ]);
};

/** As mocha's own reports do it, numbered and with the difference. */
const printFailures = (results: readonly FileResult[]): void => {
  const failures = results.flatMap(({ file, tests }) =>
    tests
      .filter(({ outcome }) => outcome === 'failed')
      .map(({ titles, error }) => ({ titlePath: () => [file, ...titles], err: { ...error } })),
  );
  // Of a test the report reads its titles and its error.
  Mocha.reporters.Base.list(failures as unknown as Mocha.Test[]);
};

/** What was left out and why, file by file: a suite whose engine is not there must not go unseen. */
const printSkipped = (results: readonly FileResult[]): void => {
  for (const { file, tests } of results) {
    const skipped = tests.filter(({ outcome }) => outcome === 'skipped');
    const byReason = Map.groupBy(
      skipped,
      ({ titles }) => titles.find((title) => title.startsWith('SKIPPED')) ?? `skipped: ${titles.join(' ')}`,
    );
    for (const [reason, some] of byReason) console.log(`  ${file}: ${some.length} ${reason}`);
  }
};

/** The whole run in one report. Its last line is the counts, for any CI to read. False if it is no good run. */
export const printReport = (results: readonly FileResult[], milliseconds: number): boolean => {
  const { counts } = rowOf('all', results);
  if (counts.skipped) console.log('\nLEFT OUT:');
  printSkipped(results);
  if (counts.failed) printFailures(results);
  console.log();
  printSuites(results);
  console.log(`\n  took ${seconds(milliseconds)}; the times above are of processes side by side\n`);
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  return counts.failed === 0 && counts.passed > 0;
};
