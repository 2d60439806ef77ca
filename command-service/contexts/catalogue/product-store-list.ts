import { storeList, type StoreList } from '#command/engine/store-list.ts';
import { referenceTo, type StoreReference } from '#command/engine/store-reference.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { changeProduct, createProduct } from '#contracts/catalogue.contract.ts';
import type { CurrencyOf } from '#fields/body-fields.ts';
import type { ProductActions } from './product.actions.ts';
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

/** The products of a store file. */
export const productStoreList = (
  products: ProductActions,
  { reference, settings }: Pick<CommandDeps, 'reference' | 'settings'>,
  currency: CurrencyOf,
): StoreList =>
  storeList({
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
    exists: async (id) => (await products.load(id)) !== null,
    createEntry: (id, given, meta, idOf) => products.create(id, given, meta, idOf, { stockReason: 'import' }),
    changeEntry: (id, given, meta, idOf) => products.change(id, given, meta, idOf, { stockReason: 'import' }),
  });
