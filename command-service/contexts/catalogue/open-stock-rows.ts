import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { Sending } from '#command/engine/streams.ts';
import type { ProductVariant } from '#events/catalogue.events.ts';
import type { StockLevel } from '#reference/reference.ts';
import type { OpenStockRow } from '../inventory/stock.commands.ts';
import { levelOf } from '../inventory/stock.state.ts';
import { stockId, stockStream } from '../inventory/stock.stream.ts';
import { savedVariant } from './merge-variants.ts';
import type { NewStockRow } from './product-input.ts';
import type { Generated, VariantPatch } from './product.commands.ts';

/** Stock levels, with the rows that were just opened; undefined for a row that has not been opened. */
export type LevelOf = (variantId: string, warehouseId: string) => StockLevel | undefined;

/** The stock rows that a request gives, for each of the variants that it speaks of. */
export type GivenRows = readonly (readonly NewStockRow[])[];

export const emptyRow = { stock: 0, trackStock: true, reorderPoint: null, reorderQuantity: null };

/** So many rows are opened at once: a product may have thousands. */
const AT_ONCE = 200;

type NewRow = Omit<OpenStockRow, 'type'>;

/** Opens a row where there is none, and returns what it holds. */
export const openRow = async (
  { streams }: CommandDeps,
  row: NewRow,
  meta: CommandMeta,
  how: Sending = {},
): Promise<StockLevel> => {
  const id = stockId(row.productId, row.warehouseId);
  return levelOf((await streams.send(stockStream, id, { type: 'OpenStockRow', ...row }, meta, how)).state);
};

/** The rows of what a change said of some variants. */
const rowsOfPatches = (
  variants: readonly ProductVariant[],
  patches: readonly VariantPatch[],
  rows: GivenRows,
): readonly NewRow[] =>
  patches.flatMap((patch, index) => {
    const variant = savedVariant(variants, patch);
    return variant
      ? (rows[index] ?? []).map((row) => ({ productId: variant.id, sku: variant.sku, ...row }))
      : [];
  });

/** The rows of generated variants: as the product gave them, else empty. */
const rowsOfGenerated = (
  variants: readonly ProductVariant[],
  generated: Generated,
  given: readonly NewStockRow[],
): readonly NewRow[] => {
  const ids = new Set(generated.combinations.map(({ id }) => id));
  return variants
    .filter(({ id }) => ids.has(id))
    .flatMap(({ id: productId, sku, stockRows }) =>
      stockRows.map((row) => ({
        ...(given.find(({ warehouseId }) => warehouseId === row.warehouseId) ?? { ...emptyRow, ...row }),
        productId,
        sku,
      })),
    );
};

/** What has been saved, and the rows that came with it. */
interface SavedWithRows {
  readonly variants: readonly ProductVariant[];
  readonly patches: readonly VariantPatch[];
  readonly rows: GivenRows;
  readonly generated: Generated | null | undefined;
  /** Of generated variants. */
  readonly rowsOfEach: readonly NewStockRow[];
}

/** Opens the rows that are new; the others stay as they are. */
export const openRows = async (
  deps: CommandDeps,
  { variants, patches, rows, generated, rowsOfEach }: SavedWithRows,
  meta: CommandMeta,
  how?: Sending,
): Promise<LevelOf> => {
  const opening = [
    ...rowsOfPatches(variants, patches, rows),
    ...(generated ? rowsOfGenerated(variants, generated, rowsOfEach) : []),
  ];
  const opened = new Map<string, StockLevel>();
  for (let from = 0; from < opening.length; from += AT_ONCE) {
    await Promise.all(
      opening.slice(from, from + AT_ONCE).map(async (row) => {
        opened.set(`${row.productId} ${row.warehouseId}`, await openRow(deps, row, meta, how));
      }),
    );
  }
  return (variantId, warehouseId) =>
    opened.get(`${variantId} ${warehouseId}`) ?? deps.reference.stock.level(variantId, warehouseId);
};
