import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { Sending } from '#command/engine/streams.ts';
import type { ProductVariant } from '#events/catalogue.events.ts';
import type { StockLevel } from '#values/stock-units.ts';
import type { ChangedProduct, SaveStockRow } from '../../inventory/stock.commands.ts';
import { levelOf } from '../../inventory/stock.state.ts';
import { stockStream } from '../../inventory/stock.stream.ts';
import { stockId } from '#values/stock-id.ts';
import { savedVariant } from './merge-variants.ts';
import type { GivenStockRow } from '../product-input.ts';
import type { Generated, VariantPatch } from '../product.commands.ts';

/** Stock levels, with the rows that were just opened; undefined for a row that has not been opened. */
export type LevelOf = (variantId: string, warehouseId: string) => StockLevel | undefined;

/** The stock rows that a request gives, for each of the variants that it speaks of. */
export type GivenRows = readonly (readonly GivenStockRow[])[];

/** Rows opened at once: a product may have thousands. */
const AT_ONCE = 200;

/** Whose word the units of new rows are (docs/rules/inventory.md#reasons). */
export type StockReason = 'admin' | 'import';

type SaidRow = Omit<SaveStockRow, 'type'>;

/** Opens a row where there is none, else changes its settings; returns what it holds. */
export const saveRow = async (
  { streams }: CommandDeps,
  row: SaidRow,
  meta: CommandMeta,
  how: Sending = {},
): Promise<StockLevel> => {
  const id = stockId(row.productId, row.warehouseId);
  return levelOf((await streams.send(stockStream, id, { type: 'SaveStockRow', ...row }, meta, how)).state);
};

/** The rows of what a change said of some variants. */
const rowsOfPatches = (
  variants: readonly ProductVariant[],
  patches: readonly VariantPatch[],
  rows: GivenRows,
): readonly SaidRow[] =>
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
  given: readonly GivenStockRow[],
): readonly SaidRow[] => {
  const ids = new Set(generated.combinations.map(({ id }) => id));
  return variants
    .filter(({ id }) => ids.has(id))
    .flatMap(({ id: productId, sku, stockRows }) =>
      stockRows.map((row) => ({
        ...(given.find(({ warehouseId }) => warehouseId === row.warehouseId) ?? row),
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
  readonly rowsOfEach: readonly GivenStockRow[];
  /** The product, where no change of it has been announced yet; null where one has. */
  readonly unannounced: ChangedProduct | null;
  /** Why new rows hold units. */
  readonly stockReason: StockReason;
}

/** Whether a row is there, and something else is said of it. */
const isChange = (
  { productId, warehouseId, ...said }: SaidRow,
  { reference }: Pick<CommandDeps, 'reference'>,
): boolean => {
  const known = reference.stock.level(productId, warehouseId);
  if (!known) return false;
  return (['trackStock', 'reorderPoint', 'reorderQuantity'] as const).some(
    (field) => said[field] !== undefined && said[field] !== known[field],
  );
};

/** Opens the rows that are new; of the others it changes what is said, but never the units. */
export const saveRows = async (
  deps: CommandDeps,
  { variants, patches, rows, generated, rowsOfEach, unannounced, stockReason: reason }: SavedWithRows,
  meta: CommandMeta,
  how?: Sending,
): Promise<LevelOf> => {
  const opening = [
    ...rowsOfPatches(variants, patches, rows),
    ...(generated ? rowsOfGenerated(variants, generated, rowsOfEach) : []),
  ];
  // Once for a request.
  const announcing = unannounced && opening.find((row) => isChange(row, deps));
  const opened = new Map<string, StockLevel>();
  for (let from = 0; from < opening.length; from += AT_ONCE) {
    await Promise.all(
      opening.slice(from, from + AT_ONCE).map(async (row) => {
        const product = row === announcing && unannounced ? { product: unannounced } : {};
        opened.set(
          `${row.productId} ${row.warehouseId}`,
          await saveRow(deps, { ...row, reason, ...product }, meta, how),
        );
      }),
    );
  }
  return (variantId, warehouseId) =>
    opened.get(`${variantId} ${warehouseId}`) ?? deps.reference.stock.level(variantId, warehouseId);
};
