import { createProduct, changeProduct } from '#contracts/catalogue.contract.ts';
import { changeDiscount, createDiscount } from '#contracts/discounts.contract.ts';
import type { FieldsOf } from '#entities/define-entity.ts';
import { entities } from '#entities/entities.ts';
import type { CurrencyOf } from '#contracts/management.contract.ts';
import { productType } from '#entities/product-type.entity.ts';
import type { Route } from '#http/route.ts';
import { defaultProductType } from './contexts/catalogue/default-product-type.ts';
import { newProductProblems } from './contexts/catalogue/product-problems.ts';
import { productRoutes } from './contexts/catalogue/product.routes.ts';
import { createProductActions, type ProductActions } from './contexts/catalogue/product.actions.ts';
import { discountProblems } from './contexts/discounts/discount.decider.ts';
import { discountRoutes } from './contexts/discounts/discount.routes.ts';
import { createDiscountActions, type DiscountActions } from './contexts/discounts/discount.actions.ts';
import { createStockActions, type StockActions } from './contexts/inventory/stock.actions.ts';
import { stockRoutes } from './contexts/inventory/stock.routes.ts';
import { createSettingsActions, type SettingsActions } from './contexts/settings/settings.actions.ts';
import { shippingOptionRules } from './contexts/shipping/shipping-option.rules.ts';
import {
  importStore as importStoreFile,
  type ImportOptions,
  type ImportSummary,
} from './contexts/store/import-store.ts';
import { storeRoutes } from './contexts/store/store.routes.ts';
import { entityList, referenceTo, storeList, type StoreList } from './contexts/store/store-list.ts';
import { createClaims, type Claims } from './engine/claims.ts';
import { keepEntities, type EntityKeeper, type EntityRules } from './engine/entity-keeper.ts';
import { entityRoutes } from './engine/entity-routes.ts';
import type { CommandDeps } from './engine/service-deps.ts';

const listOf = (category: string): string =>
  entities.find((kind) => kind.category === category)?.list ?? category;

/** What the backoffice keeps, joined up: its routes and the store import. */
export interface Management {
  readonly routes: readonly Route[];
  readonly claims: Claims;
  readonly stock: StockActions;
  readonly settings: SettingsActions;
  /** Imports the text of a store file. Throws `InvalidStoreFile` with every problem. */
  importStore(text: string, options?: ImportOptions): Promise<ImportSummary>;
}

type Kinds = (typeof entities)[number];

/** What is to be said of a kind beside its declaration. */
const rulesOf = (
  deps: CommandDeps,
): { readonly [Kind in Kinds as Kind['category']]?: EntityRules<FieldsOf<Kind>> } => ({
  taxGroup: {
    dependents: (id) => (deps.settings().shippingTaxGroupId === id ? ['the tax on shipping'] : []),
  },
  shippingOption: { rules: shippingOptionRules },
});

const createKeepers = (deps: CommandDeps, claims: Claims): readonly EntityKeeper[] => {
  const rules: Readonly<Record<string, EntityRules<never> | undefined>> = rulesOf(deps);
  return entities.map((kind) => {
    const own = (rules[kind.category] ?? {}) as EntityRules<object>;
    return keepEntities<object>(kind, own, entities, deps, claims);
  });
};

/** The products of a store file. */
const productList = ({ reference }: CommandDeps, products: ProductActions, currency: CurrencyOf): StoreList =>
  storeList({
    name: 'products',
    references: [
      referenceTo('taxGroupId', 'taxGroups'),
      referenceTo('warehouseId', 'warehouses'),
      referenceTo('productTypeId', 'productTypes'),
      referenceTo('collectionIds', 'collections'),
      referenceTo('allowedShippingOptionIds', 'shippingOptions'),
      referenceTo('excludedShippingOptionIds', 'shippingOptions'),
    ],
    create: createProduct(currency),
    change: changeProduct(currency),
    problemsOf: (id, given) => newProductProblems(id, given, reference),
    uniqueIn: ({ rootUrl, sku, variants = [] }) => [
      ...(rootUrl === undefined ? [] : [{ kind: 'url', value: rootUrl, path: 'rootUrl' }]),
      ...(sku === undefined ? [] : [{ kind: 'sku', value: sku, path: 'sku' }]),
      ...variants.flatMap((variant, place) =>
        variant.sku === undefined ? [] : [{ kind: 'sku', value: variant.sku, path: `variants.${place}.sku` }],
      ),
    ],
    exists: async (id) => (await products.load(id)) !== null,
    createEntry: (id, given, meta, idOf) => products.create(id, given, meta, idOf),
    changeEntry: (id, given, meta, idOf) => products.change(id, given, meta, idOf),
  });

/** The discounts of a store file. */
const discountList = (
  { reference }: CommandDeps,
  discounts: DiscountActions,
  currency: CurrencyOf,
): StoreList =>
  storeList({
    name: 'discounts',
    references: [],
    create: createDiscount(currency),
    change: changeDiscount(currency),
    problemsOf: (id, given) => {
      const { code, startsAt = '' } = given;
      const owner = code === null ? undefined : reference.discounts.byCode(code);
      const taken = owner && owner.id !== id ? [`code: ${code} belongs to ${owner.rule.name}`] : [];
      return [...discountProblems({ ...given, startsAt, status: 'Active' }), ...taken];
    },
    uniqueIn: ({ code }) => (code === null ? [] : [{ kind: 'discount', value: code, path: 'code' }]),
    exists: (id) => discounts.exists(id),
    createEntry: (id, given, meta) => discounts.create(id, given, meta),
    changeEntry: (id, given, meta) => discounts.change(id, given, meta),
  });

export const createManagement = (deps: CommandDeps): Management => {
  const currency = (): string => deps.settings().storeCurrencyCode;
  const claims = createClaims(deps);
  const settings = createSettingsActions(deps);
  const keepers = createKeepers(deps, claims);
  const types = keepEntities(productType, {}, entities, deps, claims);
  const products = createProductActions(deps, claims, defaultProductType(deps, types));
  const { isStocked, stockIn } = products;
  const stock = createStockActions({ ...deps, isStocked, stockIn });
  const discounts = createDiscountActions(deps, claims, currency);
  const importStore: Management['importStore'] = (text, options) => {
    const listsFor = (ofStore: () => string): readonly StoreList[] => [
      ...keepers.map((keeper) => entityList(keeper, listOf, ofStore, deps.reference.entities)),
      productList(deps, products, ofStore),
      discountList(deps, createDiscountActions(deps, claims, ofStore), ofStore),
    ];
    return importStoreFile(text, listsFor, settings, options);
  };
  return {
    routes: [
      ...keepers.flatMap((keeper) => entityRoutes(keeper, currency)),
      ...productRoutes(products, currency),
      ...stockRoutes(stock),
      ...discountRoutes(discounts, deps),
      ...storeRoutes({ importStore }),
    ],
    claims,
    stock,
    settings,
    importStore,
  };
};
