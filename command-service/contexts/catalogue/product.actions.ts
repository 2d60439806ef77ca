import { without, type Claims, type UniqueValue } from '#command/engine/claims.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { Sending } from '#command/engine/streams.ts';
import type { ProductVariant } from '#events/catalogue.events.ts';
import { notFound } from '#kernel/entity.ts';
import { derivedId, newId } from '#kernel/ids.ts';
import { passOnDefault } from './variants/pass-on-default.ts';
import { variantsOfKnown, variantsOfNew, type RequestedVariants } from './variants/requested-variants.ts';
import type { DefaultProductType } from './default-product-type.ts';
import { exclusionPatches } from './exclude-shipping.ts';
import { retainedVariants } from './variants/generate-variants.ts';
import { saveRow, saveRows, type LevelOf, type StockReason } from './variants/open-stock-rows.ts';
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
  variantPatch,
  type NewProduct,
  type GivenStockRow,
  type NewVariant,
  type ProductGiven,
  type VariantGiven,
  type VariantIdOf,
} from './product-input.ts';
import type {
  ChangeProduct,
  CreateProduct,
  ExcludeShipping,
  ProductCommand,
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
import { reservedOf } from './variants/reserved-units.ts';
import type { StockedIn } from '../inventory/stock.commands.ts';

export interface SavedProduct {
  readonly product: Pick<KnownProduct, 'root' | 'variants' | 'dateCreated' | 'dateUpdated'> & {
    readonly id: string;
  };
  readonly position: number;
  readonly hasChanged: boolean;
  readonly levelOf: LevelOf;
}

type Rows = Pick<RequestedVariants, 'rows' | 'rowsOfEach'>;

/** What a request says beside the product. */
interface Saving {
  /** `admin` by default. */
  readonly stockReason?: StockReason;
}

/** How a product is created. */
export interface Creating extends Saving {
  /**
   * Its ids are fresh and its checks have just passed: nothing is read before its values are claimed and it is
   * created, and no caller is likely to ask for it soon. Concurrent changes are detected all the same.
   */
  readonly isFresh?: boolean;
}

const fresh: Sending = { isNewId: true, isLast: true };

export interface SavedVariant extends SavedProduct {
  readonly variant: ProductVariant;
}

interface Tools {
  readonly deps: CommandDeps;
  readonly claims: ProductClaims;
  readonly defaultType: DefaultProductType;
}

/**
 * Claims come before the command, stock rows after it: until they are open they count as 0, so that nothing sells
 * without limit meanwhile. What is not used any more is given back.
 */
const save = async (
  tools: Tools,
  id: string,
  command: CreateProduct | ChangeProduct,
  gained: readonly UniqueValue[],
  given: Rows,
  meta: CommandMeta,
  reserved?: ReadonlyMap<string, number>,
  { how, stockReason = 'admin' }: Saving & { readonly how?: Sending } = {},
): Promise<SavedProduct> => {
  const { deps, claims } = tools;
  const { executed, product } = await claims.act(gained, id, meta, async () => {
    const done = await executeOnProduct(deps, id, command, meta, reserved, how);
    const saved = presentProduct(done.executed.state);
    if (!saved) throw notFound('product');
    const outcome = { executed: done.executed, product: saved };
    return { outcome, had: valuesOf(done.before), has: valuesOf(saved) };
  });
  const { root, variants, dateCreated, dateUpdated } = product;
  const { generated, variants: patches } = command;
  const hasChanged = !executed.isRepeat && executed.events.length > 0;
  const unannounced = executed.events.length > 0 ? null : { id, name: root.rootName };
  return {
    product: { id, root, variants, dateCreated, dateUpdated },
    position: executed.position,
    hasChanged,
    levelOf: await saveRows(
      deps,
      { variants, patches, generated, unannounced, stockReason, ...given },
      meta,
      how,
    ),
  };
};

const ensureType = async (
  { defaultType }: Tools,
  { root }: CreateProduct | ChangeProduct,
  meta: CommandMeta,
): Promise<void> => {
  if (root.productTypeId === defaultType.id) await defaultType.ensure(meta);
};

/**
 * Refuses what can be refused before anything is written: first by the rules, then because one of the wanted values
 * is taken. Afterwards a required product type exists.
 */
const prepare = async (
  tools: Tools,
  id: string,
  command: CreateProduct | ChangeProduct,
  wanted: readonly UniqueValue[],
  meta: CommandMeta,
  reserved: ReadonlyMap<string, number> = new Map(),
): Promise<void> => {
  const { deps, claims, defaultType } = tools;
  await rehearseOnProduct(deps, id, command, meta, defaultType.id, reserved);
  await claims.refuseTaken(wanted, id);
  await ensureType(tools, command, meta);
};

const create = async (
  tools: Tools,
  id: string,
  given: NewProduct,
  idOf: VariantIdOf,
  meta: CommandMeta,
  { isFresh = false, ...saving }: Creating = {},
): Promise<SavedProduct> => {
  const { deps, claims, defaultType } = tools;
  const { rootUrl, rootName } = given;
  const typeId = given.productTypeId ?? defaultType.id;
  const root = createdRoot(id, given, rootUrl ?? urlOfName(rootName), typeId);
  const { variants, generated, ...rows } = variantsOfNew(given, root, idOf);
  const tried: CreateProduct = { type: 'CreateProduct', root, variants, generated };
  const wanted = [...skusOf(tried), ...(rootUrl === undefined ? [] : [urlValue(rootUrl)])];
  // Hooks are asked while nothing is claimed.
  if (!isFresh || deps.commands.isHooked) await prepare(tools, id, tried, wanted, meta);
  else await ensureType(tools, tried, meta);
  const abandoned = isFresh ? 0 : await abandonedBefore(deps, id);
  const how = isFresh ? fresh : {};
  const claimed = await claims.claim(wanted, id, meta, how);
  const { url, gained } =
    rootUrl === undefined ? await claims.claimFreeUrl(rootName, id, meta) : { url: rootUrl, gained: [] };
  const command = { ...tried, root: { ...root, rootUrl: url }, abandonedBefore: abandoned };
  return save(tools, id, command, [...claimed, ...gained], rows, meta, undefined, { how, ...saving });
};

/** A change as it follows from the product that is there. */
type ChangeOf = (product: KnownProduct) => RequestedVariants & Pick<ChangeProduct, 'root'>;

const changeAs =
  (id: string, given: ProductGiven, idOf: VariantIdOf, defaultType: DefaultProductType): ChangeOf =>
  (before) => {
    const typeId = given.productTypeId === null ? defaultType.id : null;
    const root = rootChanges(id, given, typeId, before.root.options);
    return { root, ...variantsOfKnown(before, given, { ...before.root, ...root }, idOf) };
  };

const change = async (
  tools: Tools,
  id: string,
  changeOf: ChangeOf,
  meta: CommandMeta,
  saving?: Saving,
): Promise<SavedProduct> => {
  const before = await loadProduct(tools.deps, id);
  if (!before) throw notFound('product');
  const { root, variants, generated, ...rows } = changeOf(before);
  const command: ChangeProduct = { type: 'ChangeProduct', root, variants, generated };
  const kept = retainedVariants({ before, root: { ...before.root, ...root }, patches: variants });
  const reserved = await reservedOf(tools.deps, kept.vanished);
  const { rootUrl } = root;
  const given = [...(rootUrl === undefined ? [] : [urlValue(rootUrl)]), ...skusOf(command)];
  const wanted = without(given, valuesOf(before));
  await prepare(tools, id, command, wanted, meta, reserved);
  const gained = await tools.claims.claim(wanted, id, meta);
  return save(tools, id, command, gained, rows, meta, reserved, saving);
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
  rows: readonly GivenStockRow[],
  meta: CommandMeta,
): Promise<SavedVariant> => {
  const asked = { root: {}, variants: [variant], generated: null, rows: [rows], rowsOfEach: [] };
  const saved = await change(tools, id, () => asked, meta);
  const found = saved.product.variants.find((one) => one.id === variant.newId);
  if (!found) throw notFound('variant');
  return { ...saved, variant: found };
};

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
    create: (
      id: string,
      given: NewProduct,
      meta: CommandMeta,
      idOf: VariantIdOf = variantIds(meta),
      how?: Creating,
    ) => create(tools, id, given, idOf, meta, how),
    change: (
      id: string,
      given: ProductGiven,
      meta: CommandMeta,
      idOf: VariantIdOf = variantIds(meta),
      saving?: Saving,
    ) => change(tools, id, changeAs(id, given, idOf, defaultType), meta, saving),
    /** Returns the position. */
    remove: (id: string, meta: CommandMeta) => remove(tools, id, { type: 'DeleteProduct' }, meta),
    addVariant: (id: string, given: NewVariant, meta: CommandMeta) =>
      patch(tools, id, variantPatch(given, 'none', '', variantIds(meta)(given.sku)), given.stock ?? [], meta),
    changeVariant: async (id: string, variantId: string, given: VariantGiven, meta: CommandMeta) => {
      await loadVariant(deps, id, variantId);
      return patch(tools, id, variantPatch(given, { id: variantId }, '', variantId), given.stock ?? [], meta);
    },
    excludeShipping: (id: string, asked: ExcludeShipping, meta: CommandMeta) => {
      const changeOf = ({ variants }: KnownProduct) => {
        const patches = exclusionPatches(asked, variants, deps.reference);
        return { root: {}, variants: patches, generated: null, rows: patches.map(() => []), rowsOfEach: [] };
      };
      return change(tools, id, changeOf, meta);
    },
    /** Returns the position. */
    removeVariant: (id: string, variantId: string, meta: CommandMeta) =>
      remove(tools, id, { type: 'RemoveProductVariant', variantId }, meta),
    /** Whether a warehouse stocks a variant. Errors: `entity-not-found`. */
    isStocked: async ({ rootId, variantId, warehouseId }: StockedIn): Promise<boolean> => {
      const { stockRows } = await loadVariant(deps, rootId, variantId);
      return stockRows.some((row) => row.warehouseId === warehouseId);
    },
    /** Records that a warehouse stocks a variant, and opens the row where there is none. */
    stockIn: async ({ rootId, variantId, warehouseId }: StockedIn, meta: CommandMeta): Promise<void> => {
      const { sku, stockRows } = await loadVariant(deps, rootId, variantId);
      const known = stockRows.find((row) => row.warehouseId === warehouseId);
      if (known) {
        const { trackStock } = known;
        await saveRow(deps, { productId: variantId, sku, warehouseId, trackStock }, meta);
        return;
      }
      const row = { warehouseId };
      const fresh = variantPatch({ stock: [row] }, { id: variantId }, '', variantId);
      await patch(tools, rootId, fresh, [row], meta);
    },
    /** Says of a variant that a warehouse stocks it no more; returns the position. Errors: `entity-not-found`. */
    stockOut: async ({ rootId, variantId, warehouseId }: StockedIn, meta: CommandMeta): Promise<number> => {
      const gone = { ...variantPatch({}, { id: variantId }, '', variantId), withoutRow: warehouseId };
      return (await patch(tools, rootId, gone, [], meta)).position;
    },
    passOnDefault: (rootId: string, variantId: string, meta: CommandMeta) =>
      passOnDefault(deps, rootId, variantId, meta),
  };
};

export type ProductActions = ReturnType<typeof createProductActions>;
