import type { ProductEvent, ProductRoot, ProductVariant } from '#events/catalogue.events.ts';
import { idOf } from '#values/stream-name.ts';
import type { CatalogueReference, SellableVariant } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';

interface Product {
  readonly root: ProductRoot;
  readonly variants: readonly ProductVariant[];
}

interface CatalogueSnapshot {
  readonly products: readonly (readonly [id: string, product: Product])[];
}

/** What a product names: the keys under which its use is found. */
const usesOf = ({ root, variants }: Product): ReadonlySet<string> => {
  const uses = new Set<string>([`rootUrl ${root.rootUrl}`, `productType ${root.productTypeId}`]);
  if (root.taxGroupId !== null) uses.add(`taxGroup ${root.taxGroupId}`);
  for (const id of root.collectionIds) uses.add(`collection ${id}`);
  for (const { warehouseId } of root.warehouses) uses.add(`warehouse ${warehouseId}`);
  for (const variant of variants) {
    for (const { warehouseId } of variant.stockRows) uses.add(`warehouse ${warehouseId}`);
    for (const id of variant.allowedShippingOptionIds) uses.add(`shippingOption ${id}`);
    for (const id of variant.excludedShippingOptionIds) uses.add(`shippingOption ${id}`);
  }
  return uses;
};

/** Products and the indexes over them; a product is replaced whole. */
const createProductIndex = () => {
  const products = new Map<string, Product>();
  const variants = new Map<string, SellableVariant>();
  const bySku = new Map<string, SellableVariant>();
  const users = new Map<string, Set<string>>();

  const remove = (id: string): void => {
    const product = products.get(id);
    if (!product) return;
    products.delete(id);
    for (const variant of product.variants) {
      variants.delete(variant.id);
      if (bySku.get(variant.sku)?.rootId === id) bySku.delete(variant.sku);
    }
    for (const use of usesOf(product)) {
      const found = users.get(use);
      found?.delete(id);
      if (found?.size === 0) users.delete(use);
    }
  };

  const put = (id: string, product: Product): void => {
    remove(id);
    products.set(id, product);
    for (const variant of product.variants) {
      const sellable: SellableVariant = { rootId: id, root: product.root, variant };
      variants.set(variant.id, sellable);
      bySku.set(variant.sku, sellable);
    }
    for (const use of usesOf(product)) {
      const found = users.get(use);
      if (found) found.add(id);
      else users.set(use, new Set([id]));
    }
  };

  const clear = (): void => {
    for (const index of [products, variants, bySku, users]) index.clear();
  };

  return { products, variants, bySku, users, put, remove, clear };
};

type ProductIndex = ReturnType<typeof createProductIndex>;

const foldOf = (index: ProductIndex): Fold<ProductEvent> => {
  const change = (stream: string, after: (product: Product) => Product): void => {
    const id = idOf(stream);
    const product = index.products.get(id);
    if (product) index.put(id, after(product));
  };

  return {
    ProductCreated: ({ stream, data: { root, variants } }) => index.put(idOf(stream), { root, variants }),
    ProductDetailsChanged: ({ stream, data: { root } }) =>
      change(stream, (product) => ({ ...product, root })),
    ProductVariantAdded: ({ stream, data: { variant } }) =>
      change(stream, (product) => ({ ...product, variants: [...product.variants, variant] })),
    ProductVariantChanged: ({ stream, data: { variant } }) =>
      change(stream, (product) => ({
        ...product,
        variants: product.variants.map((old) => (old.id === variant.id ? variant : old)),
      })),
    ProductVariantRemoved: ({ stream, data: { variantId } }) =>
      change(stream, (product) => ({
        ...product,
        variants: product.variants.filter(({ id }) => id !== variantId),
      })),
    ProductDeleted: ({ stream }) => index.remove(idOf(stream)),
  };
};

/** Products by id and by sku. */
export const createCatalogueReference = (): CatalogueReference & ReferencePart => {
  const index = createProductIndex();
  return {
    variant: (productId) => index.variants.get(productId),
    variantBySku: (sku) => index.bySku.get(sku),
    product: (rootId) => index.products.get(rootId),
    productsThatUse: (category, id) => [...(index.users.get(`${category} ${id}`) ?? [])],
    name: 'catalogue',
    version: 2,
    on: foldOf(index),
    snapshot: (): CatalogueSnapshot => ({ products: [...index.products] }),
    restore: (snapshot) => {
      const restored = snapshot as CatalogueSnapshot;
      index.clear();
      for (const [id, product] of restored.products) index.put(id, product);
    },
  };
};
