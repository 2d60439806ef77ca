import type { ExportFormat } from '#contracts/export.contract.ts';
import { csvLine, guarded } from '#values/csv.ts';
import type { ExportRow } from './export.ts';

const cellOf = (value: unknown): string => {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return guarded(value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value as number | boolean);
};

interface Format {
  readonly head: (columns: readonly string[]) => string;
  readonly row: (row: ExportRow, columns: readonly string[]) => string;
  /** Between two rows. */
  readonly between: string;
  readonly tail: string;
}

const formats: Readonly<Record<ExportFormat, Format>> = {
  json: { head: () => '[', row: (row) => JSON.stringify(row), between: ',\n', tail: ']\n' },
  ndjson: { head: () => '', row: (row) => `${JSON.stringify(row)}\n`, between: '', tail: '' },
  csv: {
    head: csvLine,
    row: (row, columns) => csvLine(columns.map((column) => cellOf(row[column]))),
    between: '',
    tail: '',
  },
};

/** A stretch of an export: where in the whole it stands. */
export interface Stretch {
  readonly columns: readonly string[];
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly rowsBefore: number;
}

/** The text of some rows, which follows on that of the rows before. */
export const exportText = (
  format: ExportFormat,
  rows: readonly ExportRow[],
  { columns, isFirst, isLast, rowsBefore }: Stretch,
): string => {
  const { head, row, between, tail } = formats[format];
  const text = rows.map((one) => row(one, columns)).join(between);
  const begun = rowsBefore > 0 && rows.length > 0 ? between : '';
  return `${isFirst ? head(columns) : ''}${begun}${text}${isLast ? tail : ''}`;
};
