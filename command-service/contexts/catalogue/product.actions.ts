import { without, type Claims, type UniqueValue } from '#command/engine/claims.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { ProductVariant } from '#events/catalogue.events.ts';
import { notFound, refuseProblems } from '#kernel/entity.ts';
import { derivedId, newId } from '#kernel/ids.ts';
import type { StockLevel } from '#reference/reference.ts';
import type { OpenStockRow } from '../inventory/stock.commands.ts';
import { levelOf } from '../inventory/stock.state.ts';
import { stockId, stockStream } from '../inventory/stock.stream.ts';
import { passOnDefault } from './pass-on-default.ts';
import type { DefaultProductType } from './default-product-type.ts';
import { savedVariant } from './merge-variants.ts';
import {
  createProductClaims,
  skusOf,
  urlOfName,
  urlValue,
  valuesOf,
  type ProductClaims,
} from './product-claims.ts';
import {
  createdRoot,
  rootChanges,
  stockGiven,
  variantPatch,
  variantPatches,
  type NewProduct,
  type NewStockRow,
  type NewVariant,
  type ProductGiven,
  type VariantGiven,
  type VariantIdOf,
} from './product-input.ts';
import type {
  ChangeProduct,
  CreateProduct,
  ProductCommand,
  StockedIn,
  VariantPatch,
} from './product.commands.ts';
import {
  abandonedBefore,
  executeOnProduct,
  loadProduct,
  presentProduct,
  rehearseOnProduct,
} from './product.context.ts';
import type { KnownProduct } from './product.state.ts';

/** Stock levels, with the rows that were just opened; undefined for a row that has not been opened. */
type LevelOf = (variantId: string, warehouseId: string) => StockLevel | undefined;

export interface SavedProduct {
  readonly product: Pick<KnownProduct, 'root' | 'variants' | 'dateCreated' | 'dateUpdated'> & {
    readonly id: string;
  };
  readonly position: number;
  readonly hasChanged: boolean;
  readonly levelOf: LevelOf;
}

export interface SavedVariant extends SavedProduct {
  readonly variant: ProductVariant;
}

interface Tools {
  readonly deps: CommandDeps;
  readonly claims: ProductClaims;
  readonly defaultType: DefaultProductType;
}

/** The stock rows that a request gives, for each of its variants. */
type GivenRows = readonly (readonly NewStockRow[])[];

/** Opens a row where there is none, and returns what it holds. */
const openRow = async (
  { streams }: CommandDeps,
  row: Omit<OpenStockRow, 'type'>,
  meta: CommandMeta,
): Promise<StockLevel> => {
  const id = stockId(row.productId, row.warehouseId);
  return levelOf((await streams.send(stockStream, id, { type: 'OpenStockRow', ...row }, meta)).state);
};

/** Opens the rows that are new; the others stay as they are. */
const openRows = async (
  { deps }: Tools,
  variants: readonly ProductVariant[],
  patches: readonly VariantPatch[],
  rows: GivenRows,
  meta: CommandMeta,
): Promise<LevelOf> => {
  const opened = new Map<string, StockLevel>();
  const opening = patches.flatMap((patch, index) => {
    const variant = savedVariant(variants, patch);
    return (rows[index] ?? []).map(async (row) => {
      if (!variant) return;
      const { id, sku } = variant;
      opened.set(`${id} ${row.warehouseId}`, await openRow(deps, { productId: id, sku, ...row }, meta));
    });
  });
  await Promise.all(opening);
  return (variantId, warehouseId) =>
    opened.get(`${variantId} ${warehouseId}`) ?? deps.reference.stock.level(variantId, warehouseId);
};

/**
 * Claims come before the command, stock rows after it: until they are open they count as 0, so that nothing sells
 * without limit meanwhile. What is not used any more is given back.
 */
const save = async (
  tools: Tools,
  id: string,
  command: CreateProduct | ChangeProduct,
  gained: readonly UniqueValue[],
  rows: GivenRows,
  meta: CommandMeta,
): Promise<SavedProduct> => {
  const { deps, claims } = tools;
  const { executed, product } = await claims.act(gained, id, meta, async () => {
    const done = await executeOnProduct(deps, id, command, meta);
    const saved = presentProduct(done.executed.state);
    if (!saved) throw notFound('product');
    const outcome = { executed: done.executed, product: saved };
    return { outcome, had: valuesOf(done.before), has: valuesOf(saved) };
  });
  const { root, variants, dateCreated, dateUpdated } = product;
  return {
    product: { id, root, variants, dateCreated, dateUpdated },
    position: executed.position,
    hasChanged: !executed.isRepeat && executed.events.length > 0,
    levelOf: await openRows(tools, variants, command.variants, rows, meta),
  };
};

/**
 * Refuses what can be refused while nothing is written: by the rules first, then because somebody else has one of the
 * wanted values. Afterwards a product type that is needed is there.
 */
const prepare = async (
  { deps, claims, defaultType }: Tools,
  id: string,
  command: CreateProduct | ChangeProduct,
  wanted: readonly UniqueValue[],
  meta: CommandMeta,
): Promise<void> => {
  await rehearseOnProduct(deps, id, command, meta, defaultType.id);
  await claims.refuseTaken(wanted, id);
  if (command.root.productTypeId === defaultType.id) await defaultType.ensure(meta);
};

const create = async (
  tools: Tools,
  id: string,
  given: NewProduct,
  idOf: VariantIdOf,
  meta: CommandMeta,
): Promise<SavedProduct> => {
  const { claims, defaultType } = tools;
  if (given.variants === undefined && (given.options ?? []).some(({ isVariant }) => isVariant)) {
    refuseProblems(['variants: the variants of these options were expected, each with its selectedOptions']);
  }
  const variants = variantPatches(given, true, idOf);
  const commandFor = (url: string): CreateProduct => ({
    type: 'CreateProduct',
    root: createdRoot(id, given, url, given.productTypeId ?? defaultType.id),
    variants,
  });
  const { rootUrl, rootName } = given;
  const wanted = [...skusOf(variants), ...(rootUrl === undefined ? [] : [urlValue(rootUrl)])];
  await prepare(tools, id, commandFor(rootUrl ?? urlOfName(rootName)), wanted, meta);
  const abandoned = await abandonedBefore(tools.deps, id);
  const claimed = await claims.claim(wanted, id, meta);
  const { url, gained } =
    rootUrl === undefined ? await claims.claimFreeUrl(rootName, id, meta) : { url: rootUrl, gained: [] };
  const command = { ...commandFor(url), abandonedBefore: abandoned };
  return save(tools, id, command, [...claimed, ...gained], stockGiven(given), meta);
};

const change = async (
  tools: Tools,
  id: string,
  command: ChangeProduct,
  rows: GivenRows,
  meta: CommandMeta,
): Promise<SavedProduct> => {
  const product = await loadProduct(tools.deps, id);
  if (!product) throw notFound('product');
  const { rootUrl } = command.root;
  const given = [...(rootUrl === undefined ? [] : [urlValue(rootUrl)]), ...skusOf(command.variants)];
  const wanted = without(given, valuesOf(product));
  await prepare(tools, id, command, wanted, meta);
  const gained = await tools.claims.claim(wanted, id, meta);
  return save(tools, id, command, gained, rows, meta);
};

/** What is reserved of each variant, asked of the stock's own streams. */
const reservedOf = async (
  { streams }: CommandDeps,
  variants: readonly ProductVariant[],
): Promise<ReadonlyMap<string, number>> => {
  const found = variants.map(async ({ id, stockRows }) => {
    const rows = await Promise.all(
      stockRows.map(({ warehouseId }) => streams.load(stockStream, stockId(id, warehouseId))),
    );
    return [id, rows.reduce((sum, { state }) => sum + levelOf(state).reserved, 0)] as const;
  });
  return new Map(await Promise.all(found));
};

const remove = async (
  { deps, claims }: Tools,
  id: string,
  command: ProductCommand,
  meta: CommandMeta,
): Promise<number> => {
  const product = await loadProduct(deps, id);
  if (!product) throw notFound('product');
  const reserved = await reservedOf(deps, product.variants);
  const { executed, before } = await executeOnProduct(deps, id, command, meta, reserved);
  await claims.release(without(valuesOf(before), valuesOf(presentProduct(executed.state))), id, meta);
  return executed.position;
};

/** Errors: `entity-not-found`. */
const loadVariant = async (deps: CommandDeps, id: string, variantId: string): Promise<ProductVariant> => {
  const product = await loadProduct(deps, id);
  const variant = product?.variants.find((one) => one.id === variantId);
  if (!variant) throw notFound('variant');
  return variant;
};

/** Says something of one variant, or adds it. */
const patch = async (
  tools: Tools,
  id: string,
  variant: VariantPatch,
  rows: readonly NewStockRow[],
  meta: CommandMeta,
): Promise<SavedVariant> => {
  const saved = await change(
    tools,
    id,
    { type: 'ChangeProduct', root: {}, variants: [variant] },
    [rows],
    meta,
  );
  const found = saved.product.variants.find((one) => one.id === variant.newId);
  if (!found) throw notFound('variant');
  return { ...saved, variant: found };
};

const emptyRow = { stock: 0, trackStock: true, reorderPoint: null, reorderQuantity: null };

/** Ids of new variants: derived when the command may be repeated. */
const variantIds = ({ commandId }: CommandMeta): VariantIdOf =>
  commandId === undefined ? () => newId() : (sku) => derivedId('variant', commandId, sku);

/**
 * What can be done with products and their variants. Errors: `invalid-request`, `entity-not-found`, `value-taken`,
 * `already-exists`; of a removal `entity-not-found`, `still-used`.
 */
export const createProductActions = (deps: CommandDeps, claims: Claims, defaultType: DefaultProductType) => {
  const tools: Tools = { deps, claims: createProductClaims(deps, claims), defaultType };
  return {
    load: (id: string): Promise<KnownProduct | null> => loadProduct(deps, id),
    create: (id: string, given: NewProduct, meta: CommandMeta, idOf: VariantIdOf = variantIds(meta)) =>
      create(tools, id, given, idOf, meta),
    change: (id: string, given: ProductGiven, meta: CommandMeta, idOf: VariantIdOf = variantIds(meta)) => {
      const root = rootChanges(id, given, given.productTypeId === null ? defaultType.id : null);
      const variants = variantPatches(given, false, idOf);
      return change(tools, id, { type: 'ChangeProduct', root, variants }, stockGiven(given), meta);
    },
    /** Returns the position. */
    remove: (id: string, meta: CommandMeta) => remove(tools, id, { type: 'DeleteProduct' }, meta),
    addVariant: (id: string, given: NewVariant, meta: CommandMeta) =>
      patch(tools, id, variantPatch(given, 'none', '', variantIds(meta)(given.sku)), given.stock ?? [], meta),
    changeVariant: async (id: string, variantId: string, given: VariantGiven, meta: CommandMeta) => {
      await loadVariant(deps, id, variantId);
      return patch(tools, id, variantPatch(given, { id: variantId }, '', variantId), given.stock ?? [], meta);
    },
    /** Returns the position. */
    removeVariant: (id: string, variantId: string, meta: CommandMeta) =>
      remove(tools, id, { type: 'RemoveProductVariant', variantId }, meta),
    /** Whether a warehouse stocks a variant. Errors: `entity-not-found`. */
    isStocked: async ({ rootId, variantId, warehouseId }: StockedIn): Promise<boolean> => {
      const { stockRows } = await loadVariant(deps, rootId, variantId);
      return stockRows.some((row) => row.warehouseId === warehouseId);
    },
    /** Says of a variant that a warehouse stocks it, and opens the row, where there is none. */
    stockIn: async ({ rootId, variantId, warehouseId }: StockedIn, meta: CommandMeta): Promise<void> => {
      const { sku, stockRows } = await loadVariant(deps, rootId, variantId);
      const known = stockRows.find((row) => row.warehouseId === warehouseId);
      if (known) {
        const { trackStock } = known;
        await openRow(deps, { ...emptyRow, productId: variantId, sku, warehouseId, trackStock }, meta);
        return;
      }
      const row = { ...emptyRow, warehouseId };
      const fresh = variantPatch({ stock: [row] }, { id: variantId }, '', variantId);
      await patch(tools, rootId, fresh, [row], meta);
    },
    passOnDefault: (rootId: string, variantId: string, meta: CommandMeta) =>
      passOnDefault(deps, rootId, variantId, meta),
  };
};

export type ProductActions = ReturnType<typeof createProductActions>;
