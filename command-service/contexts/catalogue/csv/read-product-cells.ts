import { unguarded } from '#values/csv.ts';
import {
  columnsOf,
  fault,
  lineOfCell,
  warning,
  type CsvColumn,
  type CsvIssue,
  type CsvProfile,
  type CsvRow,
} from './product-csv.ts';

/** Which cell of a row a column is. */
export type Header = ReadonlyMap<CsvColumn, number>;

export interface ReadHeader {
  readonly header: Header;
  readonly issues: readonly CsvIssue[];
}

/** Columns by name, in any case. Unknown ones are ignored. */
export const readHeader = (row: CsvRow, profile: CsvProfile): ReadHeader => {
  const known = new Map(columnsOf(profile).map((name) => [name.toLowerCase(), name]));
  const header = new Map<CsvColumn, number>();
  const issues: CsvIssue[] = [];
  row.cells.forEach((cell, place) => {
    const name = cell.trim();
    const column = known.get(name.toLowerCase());
    const line = lineOfCell(row, place);
    if (column === undefined) {
      if (name !== '') issues.push(warning('column-ignored', 'a column that is not kept', line, name));
    } else if (header.has(column))
      issues.push(fault('column-repeated', 'must name each column once', line, column));
    else header.set(column, place);
  });
  if (!header.has('Handle'))
    issues.push(fault('column-missing', 'must have the column Handle', row.line, 'Handle'));
  return { header, issues };
};

/** The cells of a row by column, read as what they should be. What is wrong with them is noted. */
export interface Cells {
  readonly row: CsvRow;
  has(column: CsvColumn): boolean;
  /** Without spaces around it; '' where it is empty or missing. */
  text(column: CsvColumn): string;
  /** As it stands there. */
  raw(column: CsvColumn): string;
  /** Null where it is empty or wrong. */
  number(column: CsvColumn): number | null;
  whole(column: CsvColumn): number | null;
  flag(column: CsvColumn): boolean | null;
  json(column: CsvColumn, isFit: (value: unknown) => boolean, expected: string): unknown;
  lineOf(column: CsvColumn): number;
  refuse(code: string, message: string, column: CsvColumn): void;
}

const flags: Readonly<Record<string, boolean>> = { true: true, yes: true, false: false, no: false };

export const cellsOf = (row: CsvRow, header: Header, issues: CsvIssue[]): Cells => {
  const raw = (column: CsvColumn): string => {
    const place = header.get(column);
    return place === undefined ? '' : unguarded(row.cells[place] ?? '');
  };
  const text = (column: CsvColumn): string => raw(column).trim();
  const lineOf = (column: CsvColumn): number => lineOfCell(row, header.get(column) ?? 0);
  const refuse: Cells['refuse'] = (code, message, column) =>
    void issues.push(fault(code, message, lineOf(column), column));
  const numberLike = (column: CsvColumn, form: RegExp, code: string, expected: string): number | null => {
    const cell = text(column);
    if (cell === '') return null;
    if (form.test(cell)) return Number(cell);
    refuse(code, `must be ${expected}`, column);
    return null;
  };
  return {
    row,
    has: (column) => header.has(column),
    raw,
    text,
    lineOf,
    refuse,
    number: (column) =>
      numberLike(column, /^-?\d{1,15}(\.\d{1,10})?$/, 'not-a-number', 'a number such as 12.50'),
    whole: (column) => numberLike(column, /^-?\d{1,12}$/, 'not-a-whole-number', 'a whole number'),
    flag: (column) => {
      const cell = text(column).toLowerCase();
      if (cell === '') return null;
      const value = flags[cell];
      if (value === undefined) refuse('not-true-or-false', 'must be TRUE or FALSE', column);
      return value ?? null;
    },
    json: (column, isFit, expected) => {
      const cell = text(column);
      if (cell === '') return undefined;
      try {
        const value: unknown = JSON.parse(cell);
        if (isFit(value)) return value;
      } catch {
        // Refused with the rest.
      }
      refuse('not-json', `must be ${expected} as JSON`, column);
      return undefined;
    },
  };
};
