import { readdirSync } from 'node:fs';
import { Command } from 'commander';
import type { Attack, Finding } from './attack.ts';
import { hostedTarget, ownTarget, type OpenTarget } from './targets.ts';

/*
 * `npm run hostile`: what a hostile shopper or a bad moment could do to a shop, tried once each. Exit code 1 when
 * something did not hold.
 */

interface Options {
  readonly url?: string;
  readonly key?: string;
  readonly destructive: boolean;
  readonly only?: readonly string[];
}

interface Row {
  readonly number: string;
  readonly attack: Attack;
}

interface Outcome extends Row {
  readonly now: string;
  /** Null: left out. */
  readonly held: boolean | null;
}

const folder = new URL('attacks/', import.meta.url);

/** `05-basket-id.ts` is row 5; by name, so that 13a follows 13. */
const loadRows = async (): Promise<readonly Row[]> =>
  Promise.all(
    readdirSync(folder)
      .filter((file) => file.endsWith('.ts'))
      .sort()
      .map(async (file) => {
        const { attack } = (await import(new URL(file, folder).href)) as { readonly attack: Attack };
        return { number: file.replace(/^0*(\d+[a-z]?)-.*$/, '$1'), attack };
      }),
  );

const reasonToLeaveOut = ({ kind }: Attack, { own }: OpenTarget, isAllowed: boolean): string | null => {
  if (own || kind === 'harmless') return null;
  if (kind === 'own') return 'left out: shown on a shop that this command starts';
  return isAllowed ? null : 'left out: destructive (--destructive)';
};

const attempt = async (attack: Attack, target: OpenTarget): Promise<Finding> => {
  try {
    return await attack.run(target);
  } catch (error) {
    return { now: `not shown: ${error instanceof Error ? error.message : String(error)}`, held: false };
  }
};

/** A shop that an attack has brought to a stand would hide what the next one does. */
const standsStill = async ({ own, shop }: OpenTarget): Promise<boolean> =>
  own !== null &&
  (await shop.settle().then(
    () => false,
    () => true,
  ));

const wordFor = (held: boolean | null): string => (held === null ? '-' : held ? 'yes' : 'NO');
const WIDEST = 88;
const cut = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll('|', '/');
  return line.length > WIDEST ? `${line.slice(0, WIDEST - 1)}…` : line;
};

const print = (outcomes: readonly Outcome[]): void => {
  const lines = outcomes.map(({ number, attack, now, held }) => [
    number,
    cut(attack.title),
    cut(attack.before),
    cut(now),
    wordFor(held),
  ]);
  const all = [['row', 'attack', 'before', 'now', 'held'], ...lines];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...all.map((line) => line[column]?.length ?? 0)));
  const text = (line: readonly string[]): string =>
    `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = all;
  console.log([text(head), text(widths.map((width) => '-'.repeat(width))), ...body.map(text)].join('\n'));
};

const sayUncut = (outcomes: readonly Outcome[]): void => {
  for (const { number, attack, now } of outcomes.filter(({ held }) => held === false))
    console.log(`\nRow ${number} did not hold: ${attack.title}\n  ${now}`);
};

const run = async ({ url, key, destructive, only }: Options): Promise<void> => {
  const known = await loadRows();
  const unknown = only?.filter((number) => !known.some((row) => row.number === number)) ?? [];
  if (unknown.length > 0)
    throw new Error(
      `there is no row ${unknown.join(', ')}, but ${known.map(({ number }) => number).join(', ')}`,
    );
  if (url !== undefined && key === undefined)
    throw new Error('--key is needed: a key to the backoffice of the shop');
  const rows = known.filter(({ number }) => !only || only.includes(number));
  let target =
    url !== undefined && key !== undefined ? await hostedTarget(url, key, destructive) : await ownTarget();
  console.log(`Attacking ${target.url}${target.own ? ', which was started for that' : ''}.`);
  const outcomes: Outcome[] = [];
  try {
    for (const [index, row] of rows.entries()) {
      const startedAt = performance.now();
      const reason = reasonToLeaveOut(row.attack, target, destructive);
      const outcome = reason === null ? await attempt(row.attack, target) : { now: reason, held: null };
      outcomes.push({ ...row, ...outcome });
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      process.stderr.write(
        `${index + 1} of ${rows.length}: row ${row.number}, ${row.attack.title}: ${wordFor(outcome.held)} (${seconds} s)\n`,
      );
      if (!(await standsStill(target))) continue;
      process.stderr.write('the shop stands still: the other rows get a new one\n');
      await target.close();
      target = await ownTarget();
    }
  } finally {
    await target.close();
  }
  print(outcomes);
  sayUncut(outcomes);
  const count = (wanted: boolean | null): number => outcomes.filter(({ held }) => held === wanted).length;
  const leftOut = count(null) > 0 ? `, ${count(null)} skipped` : '';
  console.log(`\n${count(true)} passed, ${count(false)} failed${leftOut}`);
  if (count(false) > 0) process.exitCode = 1;
};

const program = new Command('hostile')
  .description('Attacks a shop in every way that has ever worked and prints what happens now.')
  .option('--url <address>', 'attack a shop that is running, instead of one that is started for that')
  .option('--key <key>', 'an API key of its backoffice')
  .option('--destructive', 'also what leaves goods and orders behind there, or may hold it up', false)
  .option('--only <row>', 'this row only, may be repeated', (text: string, rest: readonly string[] = []) => [
    ...rest,
    text,
  ]);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
program.parse();
try {
  await run(program.opts<Options>());
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
