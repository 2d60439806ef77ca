/** The middle one; of an even number the mean of the two in the middle. */
export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
};

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** `median (lowest–highest)`, each as `show` prints it. */
export const spread = (values: readonly number[], show: (value: number) => string): string =>
  values.length < 2
    ? show(median(values))
    : `${show(median(values))} (${show(Math.min(...values))}–${show(Math.max(...values))})`;

/** Groups of three digits with a narrow gap. */
export const whole = (value: number): string =>
  Math.round(value)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ' ');
export const percent = (share: number): string => `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
export const milliseconds = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

/** A line of the table: a measured figure and, where there is one, what it must reach. */
export interface Figure {
  readonly work: string;
  readonly measured: string;
  readonly reach: string;
  /** Null where nothing is to be reached. */
  readonly isReached: boolean | null;
}

const verdict = ({ isReached }: Figure): string => (isReached === null ? '' : isReached ? 'yes' : 'MISSED');

/** A figure by itself, as soon as it is measured. */
export const figureLine = (figure: Figure): string =>
  `  ${figure.work}: ${figure.measured}; ${figure.reach} ${verdict(figure)}`.trimEnd();

/** The figures as a Markdown table; `measured` heads its second column. */
export const tableOf = (figures: readonly Figure[], measured = 'measured: median (min–max)'): string => {
  const rows = figures.map((figure) => [figure.work, figure.measured, figure.reach, verdict(figure)]);
  const all = [['work', measured, 'reach', ''], ...rows];
  const widths = [0, 1, 2, 3].map((column) => Math.max(3, ...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = all;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
};
