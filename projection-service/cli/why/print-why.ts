import { table } from '#charts/text-table.ts';
import type { WhyResponse } from '#contracts/why.contract.ts';

const signed = (figure: number): string => (figure > 0 ? `+${figure}` : String(figure));

/** An explanation for the terminal: the figure, and under it what it is made of. */
export const printWhy = (view: string, key: string, why: WhyResponse): string => {
  const { figure, value, sum, addsUp, items } = why;
  const rows = items.map(({ contribution, recordedAt, type, stream, position }) => [
    signed(contribution),
    recordedAt,
    type,
    stream,
    `at ${position}`,
  ]);
  const verdict = addsUp
    ? 'The contributions add up to it.\n'
    : `The contributions do NOT add up to it: they come to ${sum}.\n`;
  return (
    `${view} ${key}\n${figure}: ${value}, from ${items.length} events\n\n` +
    `${table(rows, ['right', 'left', 'left', 'left', 'left'])}\n${verdict}`
  );
};
