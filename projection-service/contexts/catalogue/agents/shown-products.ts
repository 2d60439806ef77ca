import { LRUCache } from 'lru-cache';
import type { CatalogueProduct, CatalogueVariant, ShownProduct } from '#agents/protocol-catalogue.ts';
import type { ProductVariant } from '#events/catalogue.events.ts';
import { presentationKey } from '#reference/presentation.ts';
import type { Reference, SoldProduct } from '#reference/reference.ts';
import { agentProduct, agentVariant } from './agent-product.ts';
import type { AgentView } from './agent-view.ts';
import { noDescription, type DescriptionReader } from './descriptions.ts';
import { createKeptNames, identifiersOf } from './kept-names.ts';

/** A product as one agent sees it, and its variants. */
export interface ProductInView {
  readonly product: CatalogueProduct;
  variant(variant: ProductVariant): CatalogueVariant;
}

/** Products as one agent sees them, while it is answered. */
export interface ProductsInView {
  /** How these are shown. */
  showing(products: readonly SoldProduct[]): Promise<(product: SoldProduct) => ProductInView>;
  /** The product that an identifier was found to name, with its one variant, as long as nothing of that has changed. */
  named(id: string): ShownProduct | undefined;
  /** The same, kept unless something has changed since the view was opened. */
  keepNamed(id: string, product: SoldProduct, shown: ShownProduct): ShownProduct;
}

export type OpenView = (view: AgentView) => ProductsInView;

/** What products are shown from, beside their descriptions. */
type Sources = Pick<Reference, 'catalogue' | 'stock' | 'changes'>;

interface Kept {
  readonly product: CatalogueProduct;
  /** Those that have been shown. */
  readonly variants: Map<ProductVariant, CatalogueVariant>;
}

/** One product, by how agents see it. */
interface KeptViews {
  readonly views: Map<string, Kept>;
  readonly size: number;
}

/** What a long conversation about a large catalogue comes back to, in about as many bytes. */
const MAX_KEPT = 40_000_000;
/** One in so many lookups of an identifier counts as demand for its product. */
const COUNTED = 16;
/** Of a product or a variant, as an object and as text, without the description. */
const USUAL_SIZE = 1000;

const keyOf = ({ location, isPlaced, presentation, storefront, mediaBase }: AgentView): string => {
  const place = isPlaced ? `${location.countryCode} ${location.regionCode}` : '';
  return `${presentationKey(presentation)} ${place} ${storefront} ${mediaBase}`;
};

/** Products by what they are now, forgotten as soon as they or their stock are something else. */
const createKeptProducts = ({ catalogue, stock, changes }: Sources) => {
  const names = createKeptNames();
  const products = new LRUCache<SoldProduct, KeptViews>({
    maxSize: MAX_KEPT,
    dispose: (_, product, reason) => {
      if (reason !== 'set') names.forget(product);
    },
  });
  let [moment, madeAt, asked] = [0, changes(), 0];
  catalogue.watch((before, now) => {
    moment++;
    if (before) products.delete(before);
    // What it is called may have led to another product until now.
    if (now) names.forget(now);
  });
  stock.watch((variantId) => {
    moment++;
    if (products.size === 0) return;
    const product = catalogue.product(catalogue.variant(variantId)?.rootId ?? '');
    if (product) products.delete(product);
  });
  const get = (product: SoldProduct, viewKey: string): Kept | undefined =>
    products.get(product)?.views.get(viewKey);
  return {
    /** Another number as soon as anything has changed that products are shown from. */
    moment: (): number => {
      // Taxes, places, settings, names and rates change seldom, and each of them may show anywhere.
      if (madeAt !== changes()) {
        moment++;
        names.clear();
        products.clear();
        madeAt = changes();
      }
      return moment;
    },
    get,
    /** What identifiers lead to, in one step each: a lookup has many. */
    namesIn: (viewKey: string) => {
      const inView = names.in(viewKey);
      return (id: string): ShownProduct | undefined => {
        const name = inView?.get(id);
        if (name && ++asked % COUNTED === 0) products.get(name.of);
        return name?.shown;
      };
    },
    name: (id: string, viewKey: string, product: SoldProduct, shown: ShownProduct): ShownProduct => {
      if (!get(product, viewKey)) return shown;
      const kept: ShownProduct = { ...shown, kept: {} };
      names.keep(viewKey, id, { shown: kept, of: product });
      return kept;
    },
    put: (product: SoldProduct, viewKey: string, made: Kept): void => {
      const { views, size } = products.get(product) ?? { views: new Map<string, Kept>(), size: 0 };
      const { description } = made.product;
      // The caller's host is in the key. The description is in an object and in its text.
      const needed = viewKey.length + 2 * description.length + USUAL_SIZE * (1 + product.variants.length);
      const added = views.has(viewKey) ? 0 : needed;
      views.set(viewKey, made);
      products.set(product, { views, size: size + added }, { size: size + added });
      // In more ways than there is room for, it is dropped, which passes for a replacement.
      if (!products.has(product)) names.forget(product);
    },
  };
};

const variantIn = (
  variants: Kept['variants'],
  view: AgentView,
  product: SoldProduct,
  variant: ProductVariant,
): CatalogueVariant => {
  const known = variants.get(variant);
  if (known) return known;
  const made = agentVariant(view, product, variant);
  variants.set(variant, made);
  return made;
};

/** Keeps the products in demand as they are shown, and makes them again once anything of them has changed. */
export const createShownProducts = (
  sources: Sources,
  descriptions: Pick<DescriptionReader, 'short'>,
): OpenView => {
  const kept = createKeptProducts(sources);
  return (view) => {
    const [viewKey, openedAt] = [keyOf(view), kept.moment()];
    const isUnchanged = (): boolean => kept.moment() === openedAt;
    const make = (product: SoldProduct, { text, isCurrent } = noDescription): Kept => {
      const made = { product: agentProduct(view, product, text), variants: new Map() };
      if (isCurrent && isUnchanged()) kept.put(product, viewKey, made);
      return made;
    };
    return {
      showing: async (products) => {
        const shown = new Map(products.map((product) => [product, kept.get(product, viewKey)]));
        const others = products.filter((product) => !shown.get(product));
        const found = others.length === 0 ? undefined : await descriptions.short(others);
        return (product) => {
          const known = shown.get(product) ?? make(product, found?.get(product.id));
          shown.set(product, known);
          return {
            product: known.product,
            variant: (variant) => variantIn(known.variants, view, product, variant),
          };
        };
      },
      named: kept.namesIn(viewKey),
      keepNamed: (id, product, shown) =>
        isUnchanged() && identifiersOf(product).includes(id) ? kept.name(id, viewKey, product, shown) : shown,
    };
  };
};
