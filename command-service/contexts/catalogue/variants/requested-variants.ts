import { variantOptions } from '#entities/product-options.ts';
import { underRoot, type ProductParts } from '#entities/product-parts.ts';
import type { ProductRoot } from '#events/catalogue.events.ts';
import { generatedAtFirst, generatedLater, patchesOfAll } from './generate-variants.ts';
import {
  rowsOf,
  stockGiven,
  variantFieldsOf,
  variantPatches,
  type GivenStockRow,
  type ProductGiven,
  type VariantIdOf,
} from '../product-input.ts';
import type { ChangeProduct, Generated } from '../product.commands.ts';

/** What a body asks of the variants of a product. */
export interface RequestedVariants extends Pick<ChangeProduct, 'variants'> {
  readonly generated: Generated | null;
  /** The stock rows that it gives, for each of `variants`. */
  readonly rows: readonly (readonly GivenStockRow[])[];
  /** Those of each generated variant. */
  readonly rowsOfEach: readonly GivenStockRow[];
}

/** What is said of all variants at once, beside the product's own fields. */
const saidOfAll = (given: ProductGiven) => {
  const { stock = [], name: _, default: __, selectedOptions: ___, ...said } = variantFieldsOf(given);
  return { said, stock, stockRows: rowsOf(stock) };
};

/** The variants of a new product: those of the list, else those that its options make, else its one. */
export const variantsOfNew = (
  given: ProductGiven,
  root: ProductRoot,
  idOf: VariantIdOf,
): RequestedVariants => {
  if (given.variants !== undefined || variantOptions(root).length === 0) {
    const variants = variantPatches(given, true, idOf);
    return { variants, generated: null, rows: stockGiven(given), rowsOfEach: [] };
  }
  const { said, stock, stockRows } = saidOfAll(given);
  const generated = generatedAtFirst(root, said, stockRows, idOf);
  return { variants: [], generated, rows: [], rowsOfEach: stock };
};

/** What a body changes of the variants that are there, and what its options add to them. */
export const variantsOfKnown = (
  before: ProductParts,
  given: ProductGiven,
  root: ProductRoot,
  idOf: VariantIdOf,
): RequestedVariants => {
  const { said, stock, stockRows } = saidOfAll(given);
  const isSilent = Object.keys(said).length === 0 && stock.length === 0;
  const speaksOfAll = given.variants === undefined && variantOptions(root).length > 0 && !isSilent;
  const variants = speaksOfAll
    ? patchesOfAll({ root, variants: underRoot(before, root) }, said, stockRows)
    : variantPatches(given, false, idOf);
  const generated =
    given.options === undefined
      ? null
      : generatedLater({ before, root, patches: variants }, given.variants ? {} : said, stockRows, idOf);
  return {
    variants,
    generated,
    rows: speaksOfAll ? variants.map(() => stock) : stockGiven(given),
    rowsOfEach: stock,
  };
};
