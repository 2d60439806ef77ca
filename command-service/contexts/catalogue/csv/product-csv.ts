/** The columns of product files and how their cells are written (docs/guides/product-csv.md#columns). */

export type CsvProfile = 'strict' | 'extended';

export const commonColumns = [
  'Handle',
  'Title',
  'Body (HTML)',
  'Vendor',
  'Type',
  'Tags',
  'Published',
  'Option1 Name',
  'Option1 Value',
  'Option2 Name',
  'Option2 Value',
  'Option3 Name',
  'Option3 Value',
  'Variant SKU',
  'Variant Grams',
  'Variant Inventory Tracker',
  'Variant Inventory Qty',
  'Variant Price',
  'Variant Compare At Price',
  'Variant Requires Shipping',
  'Variant Taxable',
  'Variant Barcode',
  'Image Src',
  'Image Position',
  'Variant Image',
  'SEO Title',
  'SEO Description',
  'Cost per item',
  'Status',
] as const;

/** JSON: what the others cannot say. */
export const jsonColumns = [
  'Tillroll Product',
  'Tillroll Options',
  'Tillroll Variant',
  'Tillroll Extended Data',
] as const;

export type CsvColumn = (typeof commonColumns)[number] | (typeof jsonColumns)[number];

export const columnsOf = (profile: CsvProfile): readonly CsvColumn[] =>
  profile === 'strict' ? commonColumns : [...commonColumns, ...jsonColumns];

/** How many options have columns of their own. */
export const optionNumbers = [1, 2, 3] as const;

/** A file without options says so, as Shopify does. */
export const NO_OPTION = { name: 'Title', value: 'Default Title' } as const;

/** Tags between commas. A tag that has one of its own, or blanks around it, does not come back from there. */
export const tagsCell = (tags: readonly string[]): string => tags.join(', ');

export const tagsIn = (cell: string): readonly string[] =>
  cell
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');

/** The vendor that stands with what the shop itself does not know. */
export const vendorCell = ({ vendor }: Readonly<Record<string, unknown>>): string =>
  typeof vendor === 'string' ? vendor : '';

export interface CsvIssue {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly message: string;
  readonly line: number | null;
  readonly column: string | null;
}

export const fault = (
  code: string,
  message: string,
  line: number | null,
  column: string | null,
): CsvIssue => ({
  severity: 'error',
  code,
  message,
  line,
  column,
});

export const warning = (
  code: string,
  message: string,
  line: number | null,
  column: string | null,
): CsvIssue => ({ severity: 'warning', code, message, line, column });

/** One record of a file: where it begins, and its cells as they stand there. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

const lineBreak = /\r\n|\n|\r/g;

/** The physical line on which a cell of a row begins: cells before it may have lines of their own. */
export const lineOfCell = ({ line, cells }: CsvRow, place: number): number =>
  line + cells.slice(0, place).reduce((sum, cell) => sum + (cell.match(lineBreak)?.length ?? 0), 0);
