import { CsvError, parse } from 'csv-parse';
import { fault, type CsvIssue, type CsvRow } from './product-csv.ts';

const parsing = {
  bom: true,
  record_delimiter: ['\r\n', '\n', '\r'],
  relax_column_count: true,
  max_record_size: 2_000_000,
};

const messages: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'the quotation mark that opens a cell here is never closed',
  CSV_INVALID_CLOSING_QUOTE: 'a comma or the end of the line was expected after the closing quotation mark',
  INVALID_OPENING_QUOTE: 'quotation marks inside a cell are doubled, and the cell stands in quotation marks',
  CSV_MAX_RECORD_SIZE: 'a row of at most 2,000,000 characters was expected',
};

/**
 * The records of a CSV file, blank lines left out. Ends with an issue where the file is not CSV any more: what comes
 * after it cannot be told.
 */
export async function* csvRecords(text: Iterable<string>): AsyncGenerator<CsvRow | CsvIssue> {
  let found: CsvRow[] = [];
  let ended = 0;
  // Taken as they come: what the parser itself holds back is lost when it fails.
  const take = (cells: readonly string[], { lines }: { readonly lines: number }): null => {
    const line = ended + 1;
    ended = lines;
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
  for (const part of text) {
    await Promise.race([failed, new Promise<void>((resolve) => parser.write(part, () => resolve()))]);
    yield* taken();
    if (failure) break;
  }
  if (!failure) await Promise.race([failed, new Promise<void>((resolve) => parser.end(() => resolve()))]);
  yield* taken();
  if (!failure) return;
  if (!(failure instanceof CsvError)) throw failure as Error;
  yield fault('csv-malformed', messages[failure.code] ?? 'a row of a CSV file was expected', ended + 1, null);
}
