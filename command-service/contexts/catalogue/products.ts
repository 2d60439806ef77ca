import type { Claims, UniqueValue } from '#command/engine/claims.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import type { ProductGiven } from '#contracts/catalogue.contract.ts';
import type { NewStockRow } from '#contracts/inventory.contract.ts';
import type { LevelOf, ProductToShow } from '#contracts/product-answer.ts';
import type { ProductVariant } from '#events/catalogue.events.ts';
import { notFound, refuseProblems } from '#kernel/entity.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { StockLevel } from '#reference/reference.ts';
import type { StockRows } from '../inventory/stock.commands.ts';
import type { DefaultProductType } from './default-product-type.ts';
import { createdRoot, rootChanges, stockGiven, variantPatches, type VariantIdOf } from './product-body.ts';
import {
  createProductClaims,
  skusOf,
  urlOfName,
  urlValue,
  valuesOf,
  without,
  type ProductClaims,
} from './product-claims.ts';
import type { ChangeProduct, CreateProduct, ProductCommand, VariantPatch } from './product.commands.ts';
import { executeOnProduct, loadProduct, presentProduct, rehearseOnProduct } from './product.context.ts';
import type { KnownProduct } from './product.state.ts';

export interface SavedProduct {
  readonly product: ProductToShow;
  readonly position: number;
  readonly hasChanged: boolean;
  /** Stock levels, with the rows that were just opened. */
  readonly levelOf: LevelOf;
}

/** Creates, changes and deletes products. */
export interface Products {
  create(
    id: string,
    given: ProductGiven & { readonly rootName: string },
    idOf: VariantIdOf,
    meta: CommandMeta,
  ): Promise<SavedProduct>;
  change(id: string, given: ProductGiven, idOf: VariantIdOf, meta: CommandMeta): Promise<SavedProduct>;
  /** Says something of one variant, or adds it. */
  patchVariant(
    id: string,
    patch: VariantPatch,
    stock: readonly NewStockRow[],
    meta: CommandMeta,
  ): Promise<SavedProduct>;
  /** Answers the position. */
  removeVariant(id: string, variantId: string, meta: CommandMeta): Promise<number>;
  remove(id: string, meta: CommandMeta): Promise<number>;
  load(id: string): Promise<KnownProduct | null>;
}

interface Tools {
  readonly deps: CommandDeps;
  readonly claims: ProductClaims;
  readonly stock: StockRows;
  readonly defaultType: DefaultProductType;
}

/** The stock rows that a request gives, for each of its variants. */
type GivenRows = readonly (readonly NewStockRow[])[];

const variantOf = (variants: readonly ProductVariant[], { find, newId, fields }: VariantPatch) => {
  if (find === 'only') return variants[0];
  if (find === 'none') return variants.find(({ id }) => id === newId);
  return variants.find(({ id, sku }) => ('id' in find ? id === find.id : sku === (fields.sku ?? find.sku)));
};

/** Opens the rows that are new; the others stay as they are. */
const openRows = async (
  { deps, stock }: Tools,
  variants: readonly ProductVariant[],
  patches: readonly VariantPatch[],
  rows: GivenRows,
  meta: CommandMeta,
): Promise<LevelOf> => {
  const opened = new Map<string, StockLevel>();
  const opening = patches.flatMap((patch, index) => {
    const variant = variantOf(variants, patch);
    return (rows[index] ?? []).map(async (row) => {
      if (!variant) return;
      const { id: productId, sku } = variant;
      opened.set(`${productId} ${row.warehouseId}`, await stock.open({ productId, sku, ...row }, meta));
    });
  });
  await Promise.all(opening);
  return (productId, warehouseId) =>
    opened.get(`${productId} ${warehouseId}`) ?? deps.reference.stock.level(productId, warehouseId);
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
  const { executed, before } = await executeOnProduct(deps, id, command, meta).catch(
    async (error: unknown) => {
      if (error instanceof Rejection) await claims.release(gained, id, meta);
      throw error;
    },
  );
  const product = presentProduct(executed.state);
  if (!product) throw notFound('product');
  await claims.release(without([...valuesOf(before), ...gained], valuesOf(product)), id, meta);
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
  given: ProductGiven & { readonly rootName: string },
  idOf: VariantIdOf,
  meta: CommandMeta,
): Promise<SavedProduct> => {
  const { claims, defaultType } = tools;
  if (given.variants === undefined && (given.options ?? []).length > 0) {
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
  const claimed = await claims.claim(wanted, id, meta);
  const { url, gained } =
    rootUrl === undefined ? await claims.claimFreeUrl(rootName, id, meta) : { url: rootUrl, gained: [] };
  return save(tools, id, commandFor(url), [...claimed, ...gained], stockGiven(given), meta);
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
  { stock }: Tools,
  variants: readonly ProductVariant[],
): Promise<ReadonlyMap<string, number>> => {
  const found = variants.map(async ({ id, stockRows }) => {
    const warehouseIds = stockRows.map(({ warehouseId }) => warehouseId);
    return [id, await stock.reserved(id, warehouseIds)] as const;
  });
  return new Map(await Promise.all(found));
};

const remove = async (
  tools: Tools,
  id: string,
  command: ProductCommand,
  meta: CommandMeta,
): Promise<number> => {
  const { deps, claims } = tools;
  const product = await loadProduct(deps, id);
  if (!product) throw notFound('product');
  const reserved = await reservedOf(tools, product.variants);
  const { executed, before } = await executeOnProduct(deps, id, command, meta, reserved);
  await claims.release(without(valuesOf(before), valuesOf(presentProduct(executed.state))), id, meta);
  return executed.position;
};

export const createProducts = (
  deps: CommandDeps,
  claims: Claims,
  stock: StockRows,
  defaultType: DefaultProductType,
): Products => {
  const tools: Tools = { deps, claims: createProductClaims(deps, claims), stock, defaultType };
  return {
    load: (id) => loadProduct(deps, id),
    create: (id, given, idOf, meta) => create(tools, id, given, idOf, meta),
    change: (id, given, idOf, meta) => {
      const root = rootChanges(id, given, given.productTypeId === null ? defaultType.id : null);
      const variants = variantPatches(given, false, idOf);
      return change(tools, id, { type: 'ChangeProduct', root, variants }, stockGiven(given), meta);
    },
    patchVariant: (id, patch, rows, meta) =>
      change(tools, id, { type: 'ChangeProduct', root: {}, variants: [patch] }, [rows], meta),
    removeVariant: (id, variantId, meta) =>
      remove(tools, id, { type: 'RemoveProductVariant', variantId }, meta),
    remove: (id, meta) => remove(tools, id, { type: 'DeleteProduct' }, meta),
  };
};
