import { LRUCache } from 'lru-cache';
import type { CatalogueProduct, CatalogueVariant } from '#agents/protocol-catalogue.ts';
import type { ProductVariant } from '#events/catalogue.events.ts';
import { presentationKey } from '#reference/presentation.ts';
import type { SoldProduct } from '#reference/reference.ts';
import { isSame, shownFrom, type ShownFrom } from '../shown-from.ts';
import { agentProduct, agentVariant } from './agent-product.ts';
import type { AgentView } from './agent-view.ts';

/** A product as one agent sees it, some of its variants with it. */
export type ShowProduct = (
  view: AgentView,
  product: SoldProduct,
  description: string,
  variants: readonly ProductVariant[],
) => CatalogueProduct;

interface Shown {
  readonly made: ShownFrom;
  readonly product: Omit<CatalogueProduct, 'variants'>;
  readonly variants: Map<ProductVariant, CatalogueVariant>;
}

const MAX_PRODUCTS = 10_000;
const MAX_VARIANTS_KEPT = 20_000;
/** Letters of a key; longer ones count more. */
const USUAL_KEY = 250;

const keyOf = ({ location, isPlaced, presentation, storefront, mediaBase }: AgentView): string => {
  const place = isPlaced ? `${location.countryCode} ${location.regionCode}` : '';
  return `${presentationKey(presentation)} ${place} ${storefront} ${mediaBase}`;
};

/** Keeps the products in demand as they are shown, and makes them again once anything of them has changed. */
export const createShownProducts = (): ShowProduct => {
  const kept = new LRUCache<string, Shown>({ max: MAX_PRODUCTS, maxSize: MAX_VARIANTS_KEPT });
  const shown = (view: AgentView, product: SoldProduct, description: string): Shown => {
    const key = `${product.id} ${keyOf(view)}`;
    const made = shownFrom(view.reference, product);
    const known = kept.get(key);
    if (known && isSame(known.made, made) && known.product.description === description) return known;
    const fresh: Shown = { made, product: agentProduct(view, product, description), variants: new Map() };
    // The caller's host is in the key.
    const size = 1 + product.variants.length + Math.floor(key.length / USUAL_KEY);
    kept.set(key, fresh, { size });
    return fresh;
  };
  return (view, product, description, variants) => {
    const found = shown(view, product, description);
    return {
      ...found.product,
      variants: variants.map((variant) => {
        const known = found.variants.get(variant);
        if (known) return known;
        const made = agentVariant(view, product, variant);
        found.variants.set(variant, made);
        return made;
      }),
    };
  };
};
