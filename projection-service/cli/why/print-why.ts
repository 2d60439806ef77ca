import type { WhyResponse } from '#contracts/why.contract.ts';

const signed = (figure: number): string => (figure > 0 ? `+${figure}` : String(figure));

/** An explanation for the terminal: the figure, and under it what it is made of. */
export const printWhy = (view: string, key: string, why: WhyResponse): string => {
  const { figure, value, sum, addsUp, items } = why;
  const contributions = items.map(({ contribution }) => signed(contribution));
  const width = Math.max(...contributions.map(({ length }) => length), 0);
  const typeWidth = Math.max(...items.map(({ type }) => type.length), 0);
  const lines = items.map(
    ({ position, stream, type, recordedAt }, index) =>
      `  ${contributions[index]?.padStart(width)}  ${recordedAt}  ${type.padEnd(typeWidth)}  ${stream}  at ${position}\n`,
  );
  const verdict = addsUp
    ? `The contributions add up to it.\n`
    : `The contributions do NOT add up to it: they come to ${sum}.\n`;
  return `${view} ${key}\n${figure}: ${value}, from ${items.length} events\n\n${lines.join('')}\n${verdict}`;
};
