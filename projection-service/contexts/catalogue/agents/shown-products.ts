import { LRUCache } from 'lru-cache';
import type { CatalogueProduct, CatalogueVariant } from '#agents/protocol-catalogue.ts';
import type { ProductVariant } from '#events/catalogue.events.ts';
import { presentationKey } from '#reference/presentation.ts';
import type { SoldProduct } from '#reference/reference.ts';
import { isStill, shownFrom, type ShownFrom } from '../shown-from.ts';
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
  readonly made: ShownFrom;
  readonly product: CatalogueProduct;
  /** Those that have been shown. */
  readonly variants: Map<ProductVariant, CatalogueVariant>;
}

/** What a long conversation about a large catalogue comes back to. */
const MAX_PRODUCTS = 20_000;
const MAX_VARIANTS_KEPT = 60_000;
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

/** Keeps the products in demand as they are shown, and makes them again once anything of them has changed. */
export const createShownProducts = (): ShowIn => {
  const kept = new LRUCache<string, Kept>({ max: MAX_PRODUCTS, maxSize: MAX_VARIANTS_KEPT });
  const shown = (key: string, view: AgentView, product: SoldProduct, description: string): Kept => {
    const known = kept.get(key);
    if (known?.product.description === description && isStill(view.reference, product, known.made))
      return known;
    const fresh: Kept = {
      made: shownFrom(view.reference, product),
      product: agentProduct(view, product, description),
      variants: new Map(),
    };
    // The caller's host is in the key.
    const size = 1 + product.variants.length + Math.floor(key.length / USUAL_KEY);
    kept.set(key, fresh, { size });
    return fresh;
  };
  return (view) => {
    const viewKey = keyOf(view);
    return (product, description) => {
      const found = shown(`${product.id} ${viewKey}`, view, product, description);
      return {
        product: found.product,
        variant: (variant) => variantIn(found, view, product, variant),
      };
    };
  };
};
