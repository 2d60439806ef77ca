import {
  productAfter,
  visitReferences,
  type ProductChanges,
  type ProductParts,
} from '#entities/product-parts.ts';
import type { ProductEvent } from '#events/catalogue.events.ts';
import { idOf } from '#values/stream-name.ts';
import type { CatalogueReference, SellableVariant } from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';
import { SlicedEntries } from './sliced-entries.ts';

/** What a product names: the keys under which its use is found. */
const usesOf = (product: ProductParts): ReadonlySet<string> => {
  const uses = new Set<string>([`rootUrl ${product.root.rootUrl}`]);
  visitReferences(product, (category, id) => uses.add(`${category} ${id}`));
  return uses;
};

/** Products and the indexes over them; a product is replaced whole. */
const createProductIndex = () => {
  const products = new SlicedEntries<ProductParts>();
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

  const put = (id: string, product: ProductParts): void => {
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
    for (const index of [variants, bySku, users]) index.clear();
  };

  return { products, variants, bySku, users, put, remove, clear };
};

type ProductIndex = ReturnType<typeof createProductIndex>;

const foldOf = (index: ProductIndex): Fold<ProductEvent> => {
  const change =
    <Type extends keyof ProductChanges>(type: Type) =>
    ({ stream, data }: { readonly stream: string; readonly data: ProductChanges[Type] }): void => {
      const id = idOf(stream);
      const product = index.products.get(id);
      if (product) index.put(id, productAfter[type](product, data));
    };

  return {
    ProductCreated: ({ stream, data: { root, variants } }) => index.put(idOf(stream), { root, variants }),
    ProductDetailsChanged: change('ProductDetailsChanged'),
    ProductVariantAdded: change('ProductVariantAdded'),
    ProductVariantChanged: change('ProductVariantChanged'),
    ProductVariantRemoved: change('ProductVariantRemoved'),
    ProductVariantsGenerated: change('ProductVariantsGenerated'),
    ProductVariantsRemoved: change('ProductVariantsRemoved'),
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
    version: 3,
    on: foldOf(index),
    entries: index.products,
    restore: (kept) => {
      for (const [id, product] of kept) index.put(id, product as ProductParts);
    },
    clear: index.clear,
  };
};
