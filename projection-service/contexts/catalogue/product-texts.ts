import { LRUCache } from 'lru-cache';
import { presentationKey } from '#reference/presentation.ts';
import type { SoldProduct } from '#reference/reference.ts';
import type { StockLevel } from '#values/stock-units.ts';
import type { ShopNames } from './shop-names.ts';
import { detailOf, type PageTexts, type ShopView } from './shop-products.queries.ts';

/** A product's page, and what it was made of: what is replaced when it changes is compared by identity. */
interface KeptText {
  readonly text: string;
  readonly product: SoldProduct;
  readonly texts: PageTexts;
  readonly changes: number;
  readonly levels: readonly (StockLevel | undefined)[];
}

const MAX_PAGES = 5000;
const MAX_CHARACTERS = 16_000_000;

const levelsOf = ({ reference }: ShopView, { variants }: SoldProduct): KeptText['levels'] =>
  variants.flatMap(({ id, stockRows }) =>
    stockRows.map(({ warehouseId }) => reference.stock.level(id, warehouseId)),
  );

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
    const changes = view.reference.changes();
    const levels = levelsOf(view, product);
    const known = pages.get(key);
    const holds =
      known?.product === product &&
      known.changes === changes &&
      isSameText(known.texts, texts) &&
      known.levels.every((level, index) => level === levels[index]);
    if (known && holds) return known.text;
    const text = JSON.stringify(detailOf(view, names, product, texts));
    pages.set(key, { text, product, texts, changes, levels }, { size: text.length });
    return text;
  };
};
