import { LRUCache } from 'lru-cache';
import type { CatalogueProduct, CatalogueVariant } from '#agents/protocol-catalogue.ts';
import type { ProductVariant } from '#events/catalogue.events.ts';
import { presentationKey } from '#reference/presentation.ts';
import type { Reference, SoldProduct } from '#reference/reference.ts';
import { agentProduct, agentVariant } from './agent-product.ts';
import type { AgentView } from './agent-view.ts';

/** A product as one agent sees it, and its variants. */
export interface ProductInView {
  readonly product: CatalogueProduct;
  variant(variant: ProductVariant): CatalogueVariant;
}

/** Shows products to one agent. */
export type ShowIn = (view: AgentView) => (product: SoldProduct, description: string) => ProductInView;

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

/** What a long conversation about a large catalogue comes back to: variants, and products beside them. */
const MAX_KEPT = 60_000;
/** Letters of a key; longer ones count more. */
const USUAL_KEY = 250;

const keyOf = ({ location, isPlaced, presentation, storefront, mediaBase }: AgentView): string => {
  const place = isPlaced ? `${location.countryCode} ${location.regionCode}` : '';
  return `${presentationKey(presentation)} ${place} ${storefront} ${mediaBase}`;
};

const variantIn = (
  { variants }: Kept,
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

/** What products are shown from, beside their descriptions. */
type Sources = Pick<Reference, 'catalogue' | 'stock' | 'changes'>;

/** Products by what they are now, forgotten as soon as they or their stock are something else. */
const createKeptProducts = ({ catalogue, stock }: Sources): LRUCache<SoldProduct, KeptViews> => {
  const kept = new LRUCache<SoldProduct, KeptViews>({ maxSize: MAX_KEPT });
  catalogue.watch((before) => {
    if (before) kept.delete(before);
  });
  stock.watch((variantId) => {
    if (kept.size === 0) return;
    const product = catalogue.product(catalogue.variant(variantId)?.rootId ?? '');
    if (product) kept.delete(product);
  });
  return kept;
};

/** Keeps the products in demand as they are shown, and makes them again once anything of them has changed. */
export const createShownProducts = (sources: Sources): ShowIn => {
  const kept = createKeptProducts(sources);
  let madeAt = sources.changes();
  /** Taxes, places, settings, names and rates change seldom, and each of them may show anywhere. */
  const forgetChanged = (): void => {
    if (madeAt === sources.changes()) return;
    kept.clear();
    madeAt = sources.changes();
  };
  const keep = (product: SoldProduct, viewKey: string, fresh: Kept): void => {
    const { views, size } = kept.get(product) ?? { views: new Map<string, Kept>(), size: 0 };
    // The caller's host is in the key.
    const added = views.has(viewKey)
      ? 0
      : 1 + product.variants.length + Math.floor(viewKey.length / USUAL_KEY);
    views.set(viewKey, fresh);
    kept.set(product, { views, size: size + added }, { size: size + added });
  };
  return (view) => {
    forgetChanged();
    const viewKey = keyOf(view);
    const shown = (product: SoldProduct, description: string): Kept => {
      const known = kept.get(product)?.views.get(viewKey);
      if (known?.product.description === description) return known;
      const fresh: Kept = { product: agentProduct(view, product, description), variants: new Map() };
      keep(product, viewKey, fresh);
      return fresh;
    };
    return (product, description) => {
      const found = shown(product, description);
      return {
        product: found.product,
        variant: (variant) => variantIn(found, view, product, variant),
      };
    };
  };
};
