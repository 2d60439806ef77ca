import { jsonColumns, type CsvIssue, type CsvProfile } from './product-csv.ts';
import type { ProductGiven } from '../product-input.ts';

/** A variant of a file, beside what the body of its product says of it. */
export interface VariantDraft {
  readonly line: number;
  /** False where it follows from handle and values. */
  readonly isSkuGiven: boolean;
  /** Whether it is on sale follows from its two prices only. */
  readonly isSaleByPrices: boolean;
  readonly values: readonly string[];
  /** Null where the file is silent. */
  readonly grams: number | null;
  readonly isTracked: boolean | null;
  readonly quantity: number | null;
}

/** A product as a file tells it, checked as far as that goes without the shop. */
export interface ProductDraft {
  readonly line: number;
  readonly handle: string;
  /** The rows of the file that it takes. */
  readonly rows: number;
  /** What the management API would be sent, but for what follows from the product that is there. */
  readonly given: ProductGiven & {
    readonly rootUrl: string;
    readonly variants: NonNullable<ProductGiven['variants']>;
  };
  readonly variants: readonly VariantDraft[];
  readonly imageLines: readonly number[];
  /** By its columns; null where these are missing or the options come as JSON. */
  readonly optionNames: readonly string[] | null;
  readonly typeName: string | null;
  /** Undefined: the file is silent. */
  readonly vendor: string | null | undefined;
  readonly isTaxed: boolean | null;
  readonly hasExtendedData: boolean;
}

/** What came of the rows of one product. */
export interface ReadProduct {
  /** Null where something is wrong with it. */
  readonly draft: ProductDraft | null;
  readonly issues: readonly CsvIssue[];
  readonly rows: number;
}

export interface ReadRequest {
  readonly profile: CsvProfile;
  readonly currency: string;
}

const [productColumn, optionsColumn, variantColumn, extendedColumn] = jsonColumns;

const columnOfRoot: Readonly<Record<string, string>> = {
  rootUrl: 'Handle',
  rootName: 'Title',
  description: 'Body (HTML)',
  metaDescription: 'SEO Description',
  pageTitle: 'SEO Title',
  images: 'Image Src',
  tags: 'Tags',
  productTypeId: 'Type',
  isDigitalProduct: 'Variant Requires Shipping',
  extendedData: extendedColumn,
  sku: 'Variant SKU',
};

const columnOfVariant: Readonly<Record<string, string>> = {
  sku: 'Variant SKU',
  price: 'Variant Price',
  previousPrice: 'Variant Compare At Price',
  costOfGoods: 'Cost per item',
  gtin: 'Variant Barcode',
};

export interface Place {
  readonly line: number;
  readonly column: string;
}

interface Placed {
  readonly line: number;
  readonly variants: readonly Pick<VariantDraft, 'line'>[];
  readonly imageLines: readonly number[];
  readonly optionNames: readonly string[] | null;
}

/** Where a file says what stands at a path of the body that was made of it. */
export const placeOf = (
  { line, variants, imageLines, optionNames }: Placed,
  path: readonly PropertyKey[],
): Place => {
  const [field, index, part] = path.map(String);
  if (field === 'variants' && index !== undefined) {
    const own = variants[Number(index)]?.line ?? line;
    if (part === 'selectedOptions' && optionNames !== null) {
      const number = Math.min(Number(path[3] ?? 0) + 1, 3);
      return { line: own, column: `Option${number} Value` };
    }
    return { line: own, column: columnOfVariant[part ?? ''] ?? variantColumn };
  }
  if (field === 'images') return { line: imageLines[Number(index ?? 0)] ?? line, column: 'Image Src' };
  if (field === 'options') {
    if (optionNames === null) return { line, column: optionsColumn };
    const number = Math.min(Number(index ?? 0) + 1, 3);
    return { line, column: part === 'values' ? `Option${number} Value` : `Option${number} Name` };
  }
  return { line, column: columnOfRoot[field ?? ''] ?? productColumn };
};
