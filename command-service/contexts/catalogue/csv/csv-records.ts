import { CsvError, parse } from 'csv-parse';
import { fault, type CsvIssue, type CsvRow } from './product-csv.ts';

const MAX_ROW_CHARACTERS = 2_000_000;

const parsing = {
  bom: true,
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  // Commas do not count here.
  max_record_size: MAX_ROW_CHARACTERS,
};

/** Of a file, blank lines among them. */
export const MAX_ROWS = 250_000;
/** Of a row. */
export const MAX_CELLS = 500;
export const MAX_CELL_CHARACTERS = 500_000;

/** What is wrong with a row as such; null where nothing is. */
const excess = (row: number, cells: readonly string[]): CsvIssue['message'] | null => {
  if (row > MAX_ROWS) return `must be at most ${MAX_ROWS} rows`;
  if (cells.length > MAX_CELLS) return `must be a row of at most ${MAX_CELLS} cells`;
  return cells.some((cell) => cell.length > MAX_CELL_CHARACTERS)
    ? `must be a cell of at most ${MAX_CELL_CHARACTERS} characters`
    : null;
};

const rowTooLong = 'must be a row of at most 2,000,000 characters';
const messages: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'the quotation mark that opens a cell here is never closed',
  CSV_INVALID_CLOSING_QUOTE: 'must be a comma or the end of the line after the closing quotation mark',
  INVALID_OPENING_QUOTE: 'quotation marks inside a cell are doubled, and the cell stands in quotation marks',
  CSV_MAX_RECORD_SIZE: rowTooLong,
};

/**
 * The records of a CSV file, blank lines left out. Ends with an issue where the file is not CSV any more, as what comes
 * after it cannot be told, and where there is more of it than is read.
 */
export async function* csvRecords(text: Iterable<string>): AsyncGenerator<CsvRow | CsvIssue> {
  let found: CsvRow[] = [];
  let tooMuch: CsvIssue | null = null;
  let ended = 0;
  let rows = 0;
  // Taken as they come: what the parser itself holds back is lost when it fails.
  const take = (cells: readonly string[], { lines }: { readonly lines: number }): null => {
    const line = ended + 1;
    ended = lines;
    const problem = excess(++rows, cells);
    if (problem !== null) {
      tooMuch = fault('csv-too-large', problem, line, null);
      // The parser ends with it.
      throw new Error(problem);
    }
    if (cells.some((cell) => cell.trim() !== '')) found.push({ line, cells });
    return null;
  };
  const parser = parse({ ...parsing, on_record: take });
  let failure: unknown = null;
  const failed = new Promise<void>((resolve) => {
    parser.once('error', (error) => {
      failure = error;
      resolve();
    });
  });
  parser.resume();
  const taken = (): readonly CsvRow[] => {
    const rows = found;
    found = [];
    return rows;
  };
  let unfinished = 0;
  for (const part of text) {
    const before = rows;
    await Promise.race([failed, new Promise<void>((resolve) => parser.write(part, () => resolve()))]);
    yield* taken();
    if (failure) break;
    // A row that does not end becomes an array of all its cells.
    unfinished = rows === before ? unfinished + part.length : 0;
    if (unfinished > MAX_ROW_CHARACTERS) {
      parser.destroy();
      return yield fault('csv-too-large', rowTooLong, ended + 1, null);
    }
  }
  if (!failure && !tooMuch)
    await Promise.race([failed, new Promise<void>((resolve) => parser.end(() => resolve()))]);
  yield* taken();
  if (!failure) return;
  if (tooMuch) return yield tooMuch;
  if (!(failure instanceof CsvError)) throw failure as Error;
  yield fault('csv-malformed', messages[failure.code] ?? 'must be a row of a CSV file', ended + 1, null);
}
