import { changeProduct } from '#contracts/catalogue.contract.ts';
import { expectation } from '#fields/expectation.ts';
import { defined } from '#kernel/defined.ts';
import { isSameJson } from '#kernel/same-json.ts';
import { fault, tagsCell, tagsIn, type CsvIssue, type CsvRow } from './product-csv.ts';
import { placeOf, type ProductDraft, type ReadProduct, type ReadRequest } from './product-draft.ts';
import { cellsOf, readHeader, type Cells, type Header } from './read-product-cells.ts';
import {
  isObject,
  isVariantRow,
  optionNamesOf,
  pick,
  readVariant,
  restOfRoot,
  type Json,
  type ReadVariant,
} from './read-product-variants.ts';

interface Group {
  readonly handle: string;
  readonly rows: Cells[];
  readonly issues: CsvIssue[];
}

const statuses: Readonly<Record<string, boolean>> = { active: true, draft: false, archived: false };

/** Whether the product is for sale: published and active. Null where the file is silent. */
const publishedOf = (first: Cells): boolean | null => {
  const published = first.flag('Published');
  const status = first.text('Status').toLowerCase();
  const isActive = statuses[status];
  if (status !== '' && isActive === undefined)
    first.refuse('status-unknown', 'must be active, draft or archived', 'Status');
  if (published === null && isActive === undefined) return null;
  return (published ?? true) && (isActive ?? true);
};

interface Image {
  readonly src: string;
  readonly line: number;
  readonly position: number;
}

const imagesOf = (rows: readonly Cells[]): readonly Image[] => {
  const images = rows.flatMap((cells, place): Image[] => {
    const src = cells.text('Image Src');
    const position = cells.whole('Image Position');
    if (position !== null && position < 1)
      cells.refuse('image-position', 'must be a place from 1 on', 'Image Position');
    return src === '' ? [] : [{ src, line: cells.lineOf('Image Src'), position: position ?? place + 1 }];
  });
  return images.toSorted((one, other) => one.position - other.position);
};

/** As the column has them; `whole` says the same tags with commas and blanks of their own. */
const tagsOf = (first: Cells, whole: unknown): Json => {
  if (!first.has('Tags')) return {};
  const tags = tagsIn(first.text('Tags'));
  const isText = (tag: unknown): boolean => typeof tag === 'string';
  const areSame = Array.isArray(whole) && whole.every(isText) && isSameJson(tagsIn(tagsCell(whole)), tags);
  return { tags: areSame ? whole : tags };
};

const rootBodyOf = (first: Cells, handle: string, images: readonly Image[]): Json => {
  const title = first.text('Title');
  const long = [
    ['Body (HTML)', 'description'],
    ['SEO Title', 'pageTitle'],
    ['SEO Description', 'metaDescription'],
  ] as const;
  return {
    rootUrl: handle,
    ...(title !== '' && { rootName: title }),
    ...Object.fromEntries(
      long.filter(([column]) => first.has(column)).map(([column, field]) => [field, first.raw(column)]),
    ),
    ...(first.has('Image Src') && { images: images.map(({ src }) => src) }),
  };
};

/** All variants of a product are shipped, or none is. */
const digitalOf = (variants: readonly ReadVariant[], rows: readonly Cells[]): Json => {
  const said = variants.map(({ needsShipping }) => needsShipping);
  const first = said.find((one) => one !== null);
  if (first === undefined) return {};
  const other = said.findIndex((one) => one !== null && one !== first);
  rows[other]?.refuse(
    'shipping-differs',
    'must be the same for all variants of a product',
    'Variant Requires Shipping',
  );
  return { isDigitalProduct: !first };
};

/** Each variant chooses other values than its siblings. */
const noteRepeatedValues = (
  variants: readonly ReadVariant[],
  rows: readonly Cells[],
  names: readonly string[] | null,
): void => {
  if (names === null || names.length === 0) return;
  const seen = new Set<string>();
  variants.forEach(({ draft }, place) => {
    const key = JSON.stringify(draft.values.map((value) => value.toLowerCase()));
    if (seen.size === seen.add(key).size)
      rows[place]?.refuse(
        'variant-repeated',
        'must be values that no other variant of the product has',
        'Option1 Value',
      );
  });
};

type Bodies = ReturnType<typeof changeProduct>;

/** The options as a body has them: each value once, in the order of the rows. */
const optionsOf = (names: readonly string[], variants: readonly ReadVariant[]): readonly Json[] =>
  names.map((name, place) => ({
    name,
    values: [...new Set(variants.map(({ draft }) => draft.values[place] ?? ''))]
      .filter((value) => value !== '')
      .map((value) => ({ name: value })),
  }));

interface ReadBody {
  readonly body: Json;
  readonly variants: readonly ReadVariant[];
  readonly images: readonly Image[];
  readonly optionNames: readonly string[] | null;
  readonly hasExtendedData: boolean;
}

/** What the rows of a product come to as a body of the management API. */
const bodyOf = ({ handle, rows }: Group, first: Cells): ReadBody => {
  const variantRows = rows.filter(isVariantRow);
  const json = first.json('Tillroll Options', Array.isArray, 'a list');
  const hasColumns = first.has('Option1 Name') && json === undefined;
  const optionNames = hasColumns ? optionNamesOf(first, variantRows) : null;
  const isPublished = publishedOf(first);
  const variants = variantRows.map((cells) => readVariant(cells, handle, optionNames, isPublished));
  noteRepeatedValues(variants, variantRows, optionNames);
  const images = imagesOf(rows);
  const extendedData = first.json('Tillroll Extended Data', isObject, 'an object');
  const product = first.json('Tillroll Product', isObject, 'an object') ?? {};
  const options = optionNames === null ? json : optionsOf(optionNames, variants);
  const body = {
    ...pick(product, restOfRoot),
    ...rootBodyOf(first, handle, images),
    ...tagsOf(first, (product as Json)['tags']),
    ...digitalOf(variants, variantRows),
    ...defined({ options, extendedData }),
    variants: variants.map((variant) => variant.body),
  };
  return { body, variants, images, optionNames, hasExtendedData: extendedData !== undefined };
};

const readGroup = (group: Group, first: Cells, bodies: Bodies): ReadProduct => {
  const { handle, rows, issues } = group;
  const { body, variants, images, optionNames, hasExtendedData } = bodyOf(group, first);
  const isTaxed = first.flag('Variant Taxable');
  const placed = {
    line: first.row.line,
    variants: variants.map(({ draft }) => draft),
    imageLines: images.map(({ line }) => line),
    optionNames,
  };
  const parsed = bodies.safeParse(body, { error: expectation });
  for (const { path, message } of parsed.error?.issues ?? []) {
    const { line, column } = placeOf(placed, path);
    // What is missing because its cell could not be read is said already.
    if (!issues.some((known) => known.line === line && known.column === column))
      issues.push(fault('invalid-value', message, line, column));
  }
  if (!parsed.success || issues.some(({ severity }) => severity === 'error'))
    return { draft: null, issues, rows: rows.length };
  const draft: ProductDraft = {
    ...placed,
    handle,
    rows: rows.length,
    given: parsed.data as ProductDraft['given'],
    typeName: first.text('Type') || null,
    vendor: first.has('Vendor') ? first.text('Vendor') || null : undefined,
    isTaxed,
    hasExtendedData,
  };
  return { draft, issues, rows: rows.length };
};

/** What no two products of a file share. */
const createFileMemory = () => {
  const handles = new Set<string>();
  const skus = new Map<string, number>();
  return {
    isNewHandle: (handle: string): boolean => handles.size < handles.add(handle).size,
    noteSkus: ({ draft, issues, rows }: ReadProduct): ReadProduct => {
      if (!draft) return { draft, issues, rows };
      const repeated = draft.given.variants.flatMap(({ sku = '' }, place): CsvIssue[] => {
        const { line } = draft.variants[place] ?? draft;
        const before = skus.get(sku);
        if (before === undefined) skus.set(sku, line);
        return before === undefined
          ? []
          : [
              fault(
                'sku-repeated',
                `must be a SKU of its own, ${sku} stands in line ${before}`,
                line,
                'Variant SKU',
              ),
            ];
      });
      return repeated.length === 0
        ? { draft, issues, rows }
        : { draft: null, issues: [...issues, ...repeated], rows };
    },
  };
};

/**
 * Reads the rows of a file one after another and tells each product once its rows are over
 * (docs/guides/product-csv.md#rows). Pure but for what it remembers of the file.
 */
export const createProductReader = (request: ReadRequest) => {
  const bodies = changeProduct(() => request.currency);
  const memory = createFileMemory();
  let header: Header | null = null;
  let group: Group | null = null;

  const close = (): readonly ReadProduct[] => {
    if (!group) return [];
    const [first] = group.rows;
    const read = first && memory.noteSkus(readGroup(group, first, bodies));
    group = null;
    return read ? [read] : [];
  };

  const take = (row: CsvRow): readonly ReadProduct[] => {
    if (header === null) {
      const read = readHeader(row, request.profile);
      ({ header } = read);
      return [{ draft: null, issues: read.issues, rows: 0 }];
    }
    const issues: CsvIssue[] = [];
    const cells = cellsOf(row, header, issues);
    const handle = cells.text('Handle').toLowerCase();
    if (row.cells.length > columnCount)
      issues.push(
        fault('too-many-cells', `must be ${columnCount} cells, not ${row.cells.length}`, row.line, null),
      );
    if (handle === '') {
      cells.refuse('handle-missing', 'must be the handle of a product', 'Handle');
      return [...close(), { draft: null, issues, rows: 1 }];
    }
    if (group?.handle === handle) {
      group.rows.push(cellsOf(row, header, group.issues));
      group.issues.push(...issues);
      return [];
    }
    const before = close();
    if (!memory.isNewHandle(handle))
      cells.refuse('handle-split', `must keep the rows of ${handle} together`, 'Handle');
    group = { handle, rows: [cells], issues };
    return before;
  };

  let columnCount = 0;
  return {
    take: (row: CsvRow): readonly ReadProduct[] => {
      if (header === null) columnCount = row.cells.length;
      return take(row);
    },
    end: close,
  };
};
