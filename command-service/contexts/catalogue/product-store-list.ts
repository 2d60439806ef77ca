import { storeList, type StoreList } from '#command/engine/store-list.ts';
import { referenceTo, type StoreReference } from '#command/engine/store-reference.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { changeProduct, createProduct } from '#contracts/catalogue.contract.ts';
import type { CurrencyOf } from '#fields/body-fields.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { ProductActions } from './product.actions.ts';
import type { NewProduct } from './product-input.ts';
import { newProductProblems } from './product-problems.ts';

/** Fields of a product that name entries of other lists. */
export const productReferences: readonly StoreReference[] = [
  referenceTo('taxGroupId', 'taxGroups'),
  referenceTo('warehouseId', 'warehouses'),
  referenceTo('productTypeId', 'productTypes'),
  referenceTo('collectionIds', 'collections'),
  referenceTo('filterIds', 'filters'),
  referenceTo('allowedShippingOptionIds', 'shippingOptions'),
  referenceTo('excludedShippingOptionIds', 'shippingOptions'),
];

/**
 * Without looking first: where that is refused, it may be because of what an earlier import has left, which a look
 * tells from a true refusal.
 */
const createUnseen = async (products: ProductActions, ...[id, given, meta, idOf]: Creation) => {
  try {
    return await products.create(id, given, meta, idOf, { ...byImport, isFresh: true });
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    return products.create(id, given, meta, idOf, byImport);
  }
};
type Creation = Parameters<StoreList<NewProduct>['createEntry']>;

const byImport = { stockReason: 'import' } as const;

/** The products of a store file. */
export const productStoreList = (
  products: ProductActions,
  { reference, settings }: Pick<CommandDeps, 'reference' | 'settings'>,
  currency: CurrencyOf,
): StoreList => {
  /** In a shop that has never imported a store: each look would be a read of the log, for each of many products. */
  const isUnseen = (id: string): boolean =>
    !reference.settings.isStoreImported() && reference.catalogue.product(id) === undefined;
  return storeList({
    name: 'products',
    references: productReferences,
    create: createProduct(currency),
    change: changeProduct(currency),
    problemsOf: (id, given) => newProductProblems(id, given, reference, settings()),
    uniqueIn: ({ rootUrl, sku, variants = [] }) => [
      ...(rootUrl === undefined ? [] : [{ kind: 'url', value: rootUrl, path: 'rootUrl' }]),
      ...(sku === undefined ? [] : [{ kind: 'sku', value: sku, path: 'sku' }]),
      ...variants.flatMap((variant, place) =>
        variant.sku === undefined ? [] : [{ kind: 'sku', value: variant.sku, path: `variants.${place}.sku` }],
      ),
    ],
    exists: async (id) => !isUnseen(id) && (await products.load(id)) !== null,
    createEntry: (id, given, meta, idOf) =>
      isUnseen(id)
        ? createUnseen(products, id, given, meta, idOf)
        : products.create(id, given, meta, idOf, byImport),
    changeEntry: (id, given, meta, idOf) => products.change(id, given, meta, idOf, byImport),
  });
};
