import {
  productAfter,
  visitReferences,
  type ProductChanges,
  type ProductParts,
} from '#entities/product-parts.ts';
import type { ProductEvent } from '#events/catalogue.events.ts';
import { idOf } from '#values/stream-name.ts';
import { createLeanProducts } from './lean-product.ts';
import type {
  CatalogueReference,
  ProductListener,
  SellableVariant,
  SoldProduct,
  SoldRoot,
} from './reference.ts';
import type { Fold, ReferencePart } from './reference-part.ts';
import { ChunkedEntries } from './chunked-entries.ts';

type KeptProduct = Omit<SoldProduct, 'id'>;

/** What a product names: the keys under which its use is found. Where it has stock rows is a use of its own. */
const usesOf = (product: SoldProduct): ReadonlySet<string> => {
  const uses = new Set<string>();
  visitReferences(product, (category, id, _, field) =>
    uses.add(`${field === 'stock' ? 'stock' : category} ${id}`),
  );
  return uses;
};

/** Products by what they name: ids of the roots. */
const createUses = () => {
  const users = new Map<string, Set<string>>();
  return {
    of: (category: string, id: string): readonly string[] => [...(users.get(`${category} ${id}`) ?? [])],
    add: (product: SoldProduct): void => {
      for (const use of usesOf(product)) {
        const found = users.get(use);
        if (found) found.add(product.id);
        else users.set(use, new Set([product.id]));
      }
    },
    remove: (product: SoldProduct): void => {
      for (const use of usesOf(product)) {
        const found = users.get(use);
        found?.delete(product.id);
        if (found?.size === 0) users.delete(use);
      }
    },
    clear: (): void => users.clear(),
  };
};

/** Products and the indexes over them; a product is replaced whole. */
const createProductIndex = () => {
  const products = new ChunkedEntries<SoldProduct>({ keep: ({ id: _, ...product }): KeptProduct => product });
  const variants = new Map<string, SellableVariant>();
  const bySku = new Map<string, SellableVariant>();
  const byUrl = new Map<string, SoldProduct>();
  const uses = createUses();
  const listeners: ProductListener[] = [];
  const tell: ProductListener = (before, now) => {
    for (const listener of listeners) listener(before, now);
  };

  const unlist = (product: SoldProduct): void => {
    for (const variant of product.variants) {
      variants.delete(variant.id);
      if (bySku.get(variant.sku)?.rootId === product.id) bySku.delete(variant.sku);
    }
    if (byUrl.get(product.root.rootUrl)?.id === product.id) byUrl.delete(product.root.rootUrl);
    uses.remove(product);
  };

  const put = (product: SoldProduct): void => {
    const before = products.get(product.id);
    if (before) unlist(before);
    products.set(product.id, product);
    for (const variant of product.variants) {
      const sellable: SellableVariant = { rootId: product.id, root: product.root, variant };
      variants.set(variant.id, sellable);
      bySku.set(variant.sku, sellable);
    }
    byUrl.set(product.root.rootUrl, product);
    uses.add(product);
    tell(before, product);
  };

  const remove = (id: string): void => {
    const product = products.get(id);
    if (!product) return;
    unlist(product);
    products.delete(id);
    tell(product, undefined);
  };

  const clear = (): void => {
    for (const index of [variants, bySku, byUrl, uses]) index.clear();
  };

  return { products, variants, bySku, byUrl, uses, listeners, put, remove, clear };
};

type ProductIndex = ReturnType<typeof createProductIndex>;
type Leaning = ReturnType<typeof createLeanProducts>;

const foldOf = ({ products, put, remove }: ProductIndex, lean: Leaning): Fold<ProductEvent> => {
  const change =
    <Type extends keyof ProductChanges>(type: Type) =>
    ({ stream, data }: { readonly stream: string; readonly data: ProductChanges[Type] }): void => {
      const product = products.get(idOf(stream));
      if (!product) return;
      const changed: ProductParts<SoldRoot> = productAfter[type](product, data);
      put(lean(product.id, product.since, changed, product));
    };

  return {
    ProductCreated: ({ stream, position, data }) => put(lean(idOf(stream), position, data)),
    ProductDetailsChanged: change('ProductDetailsChanged'),
    ProductVariantAdded: change('ProductVariantAdded'),
    ProductVariantChanged: change('ProductVariantChanged'),
    ProductVariantRemoved: change('ProductVariantRemoved'),
    ProductVariantsGenerated: change('ProductVariantsGenerated'),
    ProductVariantsRemoved: change('ProductVariantsRemoved'),
    ProductDeleted: ({ stream }) => remove(idOf(stream)),
  };
};

/** Products by id, SKU and address. */
export const createCatalogueReference = (): CatalogueReference & ReferencePart => {
  const index = createProductIndex();
  const lean = createLeanProducts();
  return {
    variant: (productId) => index.variants.get(productId),
    variantBySku: (sku) => index.bySku.get(sku),
    product: (rootId) => index.products.get(rootId),
    productAt: (rootUrl) => index.byUrl.get(rootUrl),
    productsThatUse: index.uses.of,
    products: () => index.products.values(),
    watch: (listener) => void index.listeners.push(listener),
    name: 'catalogue',
    version: 6,
    on: foldOf(index, lean),
    entries: index.products,
    restore: (kept) => {
      for (const [id, product] of kept as readonly (readonly [string, KeptProduct])[])
        index.put(lean(id, product.since, product));
    },
    clear: index.clear,
  };
};
