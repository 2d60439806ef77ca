import { LRUCache } from 'lru-cache';
import { presentationKey } from '#reference/presentation.ts';
import type { SoldProduct } from '#reference/reference.ts';
import { isStill, shownFrom, type ShownFrom } from './shown-from.ts';
import type { ShopNames } from './shop-names.ts';
import { detailOf, type PageTexts, type ShopView } from './shop-products.queries.ts';

/** A product's page, and what it was made of. */
interface KeptText {
  readonly text: string;
  readonly texts: PageTexts;
  readonly made: ShownFrom;
}

const MAX_PAGES = 5000;
const MAX_CHARACTERS = 16_000_000;

const isSameText = (one: PageTexts, other: PageTexts): boolean =>
  one.description === other.description &&
  one.metaDescription === other.metaDescription &&
  one.pageTitle === other.pageTitle;

/**
 * Pages of products as JSON text, those in demand. A page is made again once the product, its texts, the stock of a
 * variant, or anything of taxes, places, settings and rates has changed.
 */
export const createProductTexts = (names: ShopNames) => {
  const pages = new LRUCache<string, KeptText>({ max: MAX_PAGES, maxSize: MAX_CHARACTERS });
  return (view: ShopView, product: SoldProduct, texts: PageTexts): string => {
    const { countryCode, regionCode } = view.location;
    const key = `${product.id} ${countryCode} ${regionCode} ${presentationKey(view.presentation)}`;
    const known = pages.get(key);
    if (known && isStill(view.reference, product, known.made) && isSameText(known.texts, texts))
      return known.text;
    const made = shownFrom(view.reference, product);
    const text = JSON.stringify(detailOf(view, names, product, texts));
    pages.set(key, { text, texts, made }, { size: text.length });
    return text;
  };
};
