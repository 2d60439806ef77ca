import { LRUCache } from 'lru-cache';
import { hashOfDescription } from '#reference/lean-product.ts';
import type { SoldProduct, SoldRoot } from '#reference/reference.ts';
import type { ViewReader } from '../../../engine/reader.ts';
import { productListProjection } from '../product-list.projection.ts';
import { plainDescription } from './plain-description.ts';

/** Without tags, in at most so many characters. */
export interface Description {
  readonly text: string;
  /** A view that is behind the log still has the former one. */
  readonly isCurrent: boolean;
}

export const noDescription: Description = { text: '', isCurrent: false };

/** A product without a description has this hash. */
const undescribed = hashOfDescription('');

/** In lists, and of one product. */
const SHORT = 500;
const LONG = 20_000;

/** Characters: in another view, or with other stock, the same product has the same description. */
const MAX_KEPT = 10_000_000;

/** Descriptions, which reference state leaves out. */
export interface DescriptionReader {
  /** For lists, by the ids of products: cut, and those in demand kept. */
  short(products: readonly SoldProduct[]): Promise<ReadonlyMap<string, Description>>;
  long(product: SoldProduct): Promise<string>;
}

export const createDescriptions = (reader: Pick<ViewReader, 'textsAt'>): DescriptionReader => {
  const kept = new LRUCache<SoldRoot, Description>({ maxSize: MAX_KEPT });
  const read = async (products: readonly SoldProduct[]): Promise<ReadonlyMap<string, string>> => {
    const described = products.filter(({ root }) => root.descriptionHash !== undescribed);
    if (described.length === 0) return new Map();
    const ids = described.map(({ id }) => id);
    return reader.textsAt(productListProjection.name, 'fields.description', ids);
  };
  const cut = (root: SoldRoot, html: string): Description => {
    const text = plainDescription(html, SHORT);
    const isCurrent = hashOfDescription(html) === root.descriptionHash;
    const description = { text, isCurrent };
    if (isCurrent) kept.set(root, description, { size: text.length + 1 });
    return description;
  };
  return {
    short: async (products) => {
      const known = products.map(({ root }) => kept.get(root));
      const others = products.filter((_, place) => known[place] === undefined);
      const found = await read(others);
      return new Map(
        products.map(({ id, root }, place) => [id, known[place] ?? cut(root, found.get(id) ?? '')]),
      );
    },
    long: async (product) => plainDescription((await read([product])).get(product.id) ?? '', LONG),
  };
};
