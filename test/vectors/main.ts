import { Command } from 'commander';
import { tables } from './tables.ts';

/*
 * `npm run vectors`: worked cases of the rules, expected beside computed. Exit code 1 when one differs.
 */

new Command('vectors')
  .description(
    'Compute the worked cases of docs/rules, and print what is expected beside what the shop computes.',
  )
  .action(() => {
    let wrong = 0;
    for (const { title, rules, vectors } of tables) {
      const rows = vectors.map(({ given, expected, compute }) => ({ given, expected, computed: compute() }));
      const [first, second] = (['given', 'expected'] as const).map((column) =>
        Math.max(...rows.map((row) => row[column].length), column.length),
      );
      const line = (given: string, expected: string, computed: string): string =>
        `  ${given.padEnd(first ?? 0)}  ${expected.padEnd(second ?? 0)}  ${computed}`;
      console.log(`\n${title} (${rules})\n${line('given', 'expected', 'computed')}`);
      for (const { given, expected, computed } of rows) {
        const differs = expected !== computed;
        if (differs) wrong++;
        console.log(line(given, expected, `${computed}${differs ? '  DIFFERS' : ''}`));
      }
    }
    const count = tables.reduce((sum, { vectors }) => sum + vectors.length, 0);
    console.log(`\n${count - wrong} of ${count} as expected`);
    process.exitCode = wrong > 0 ? 1 : 0;
  })
  .parse();
