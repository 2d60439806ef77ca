import type { Route } from '#http/route.ts';
import {
  collections,
  defaultProductType,
  productTypes,
} from './contexts/catalogue/catalogue-groups.context.ts';
import { collectionRoutes, productTypeRoutes } from './contexts/catalogue/catalogue-groups.routes.ts';
import { newProductProblems } from './contexts/catalogue/product-problems.ts';
import { productRoutes } from './contexts/catalogue/product.routes.ts';
import { createProducts } from './contexts/catalogue/products.ts';
import { stockRoutes } from './contexts/catalogue/stock.routes.ts';
import { discountProblems } from './contexts/discounts/discount.decider.ts';
import { discountRoutes } from './contexts/discounts/discount.routes.ts';
import { createDiscounts, type Discounts } from './contexts/discounts/discounts.ts';
import { createStockRows } from './contexts/inventory/stock-rows.ts';
import type { StockRows } from './contexts/inventory/stock.commands.ts';
import { createStoredSettings, type StoredSettings } from './contexts/settings/store-settings.ts';
import { shippingOptions, warehouses } from './contexts/shipping/shipping.context.ts';
import { shippingOptionProblems } from './contexts/shipping/shipping-option.decider.ts';
import { shippingOptionRoutes, warehouseRoutes } from './contexts/shipping/shipping.routes.ts';
import {
  importStore as importStoreFile,
  type ImportOptions,
  type ImportSummary,
} from './contexts/store/import-store.ts';
import { storeRoutes } from './contexts/store/store.routes.ts';
import type { StoreTarget, StoreTargets } from './contexts/store/store-targets.ts';
import { taxGroups } from './contexts/tax/tax-group.context.ts';
import { taxGroupRoutes } from './contexts/tax/tax-group.routes.ts';
import { createClaims, type Claims } from './engine/claims.ts';
import type { Entities } from './engine/entities.ts';
import type { CommandDeps } from './engine/service-deps.ts';

/** What the backoffice keeps, joined up: its routes and the store import. */
export interface Management {
  readonly routes: readonly Route[];
  readonly claims: Claims;
  readonly settings: StoredSettings;
  /** Imports the text of a store file. Throws `InvalidStoreFile` with every problem. */
  importStore(text: string, options?: ImportOptions): Promise<ImportSummary>;
}

const noProblems = (): readonly string[] => [];

const entityTarget = <Fields>(
  entities: Entities<Fields>,
  problems: (id: string, fields: Fields) => readonly string[] = noProblems,
): StoreTarget<Fields, Partial<Fields>> => ({ ...entities, problems });

const createKeepers = (deps: CommandDeps, claims: Claims, stock: StockRows) => {
  const types = productTypes(deps, claims);
  return {
    taxGroups: taxGroups(deps, claims),
    warehouses: warehouses(deps, claims),
    shippingOptions: shippingOptions(deps, claims),
    productTypes: types,
    collections: collections(deps, claims),
    products: createProducts(deps, claims, stock, defaultProductType(deps, types)),
  };
};
type Keepers = ReturnType<typeof createKeepers>;

/** Where the entries of a store file go, and what of the shop stands in their way. */
const storeTargets = ({ reference }: CommandDeps, keepers: Keepers, discounts: Discounts): StoreTargets => ({
  taxGroups: entityTarget(keepers.taxGroups),
  warehouses: entityTarget(keepers.warehouses, (id, { code }) => {
    const owner = reference.shipping
      .warehouses()
      .find((other) => code !== null && other.code?.toLowerCase() === code.toLowerCase());
    return owner && owner.id !== id ? [`code: ${code} belongs to ${owner.name}`] : [];
  }),
  shippingOptions: entityTarget(keepers.shippingOptions, (_, option) => shippingOptionProblems(option)),
  productTypes: entityTarget(keepers.productTypes),
  collections: entityTarget(keepers.collections),
  products: {
    exists: async (id) => (await keepers.products.load(id)) !== null,
    create: (id, given, meta, idOf) => keepers.products.create(id, given, idOf, meta),
    change: (id, given, meta, idOf) => keepers.products.change(id, given, idOf, meta),
    problems: (id, given) => newProductProblems(id, given, reference),
  },
  discounts: {
    ...discounts,
    problems: (id, given) => {
      const { code, startsAt = '' } = given;
      const owner = code === null ? undefined : reference.discounts.byCode(code);
      const taken = owner && owner.id !== id ? [`code: ${code} belongs to ${owner.rule.name}`] : [];
      return [...discountProblems({ ...given, startsAt, status: 'Active' }), ...taken];
    },
  },
});

export const createManagement = (deps: CommandDeps): Management => {
  const currency = (): string => deps.settings().storeCurrencyCode;
  const claims = createClaims(deps);
  const stock = createStockRows(deps);
  const settings = createStoredSettings(deps);
  const keepers = createKeepers(deps, claims, stock);
  const discounts = createDiscounts(deps, claims, currency);
  const importStore: Management['importStore'] = (text, options) => {
    const targetsFor = (ofStore: () => string): StoreTargets =>
      storeTargets(deps, keepers, createDiscounts(deps, claims, ofStore));
    return importStoreFile(text, targetsFor, settings, options);
  };
  return {
    routes: [
      ...taxGroupRoutes(keepers.taxGroups),
      ...warehouseRoutes(keepers.warehouses),
      ...shippingOptionRoutes(keepers.shippingOptions, currency),
      ...productTypeRoutes(keepers.productTypes),
      ...collectionRoutes(keepers.collections),
      ...productRoutes(keepers.products, currency),
      ...stockRoutes(keepers.products, stock),
      ...discountRoutes(discounts, deps),
      ...storeRoutes({ importStore }),
    ],
    claims,
    settings,
    importStore,
  };
};
