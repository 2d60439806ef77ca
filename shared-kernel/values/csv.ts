// Cells and lines of CSV after RFC 4180, as people open them: in a spreadsheet.

/** As spreadsheets see it, some of which pass over blanks and byte order marks before the sign. */
const formula = /^(?:[\s\uFEFF\0']*[=+\-@]|'*[\t\r])/;

/** Spreadsheets take such a text for a formula: an apostrophe makes it text (docs/guides/product-csv.md#cells). */
export const guarded = (text: string): string => (formula.test(text) ? `'${text}` : text);

export const unguarded = (cell: string): string =>
  cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell;

const needsQuotes = /[",\r\n]/;

const quoted = (cell: string): string => (needsQuotes.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

export const csvLine = (cells: readonly string[]): string => `${cells.map(quoted).join(',')}\r\n`;
