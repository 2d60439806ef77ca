import { LRUCache } from 'lru-cache';
import { atMost } from '#kernel/at-most.ts';
import { wordsOfDescription } from '#reference/lean-product.ts';
import type { SoldProduct, SoldRoot } from '#reference/reference.ts';
import type { ViewReader } from '../../../engine/reader.ts';
import { productListProjection, type ProductDocument } from '../product-list.projection.ts';
import { plainDescription } from './plain-description.ts';

/** Plain, by the ids of products. */
export type Descriptions = ReadonlyMap<string, string>;

/** In lists, and of one product. */
const SHORT = 500;
const LONG = 20_000;

const MAX_KEPT = 20_000;
const KEPT_MS = 60_000;
/** The clock is asked again after so long. */
const KEPT_RESOLUTION_MS = 1000;

/** Descriptions, which reference state leaves out. */
export interface DescriptionReader {
  /** For lists: cut, and those in demand kept. */
  short(products: readonly SoldProduct[]): Promise<Descriptions>;
  long(product: SoldProduct): Promise<string>;
}

export const createDescriptions = (reader: Pick<ViewReader, 'getMany'>): DescriptionReader => {
  const kept = new LRUCache<SoldRoot, string>({
    ...atMost(MAX_KEPT),
    ttl: KEPT_MS,
    ttlResolution: KEPT_RESOLUTION_MS,
  });
  const read = async (products: readonly SoldProduct[]): Promise<Descriptions> => {
    const ids = products.map(({ id }) => id);
    const documents = await reader.getMany<ProductDocument>(productListProjection.name, ids);
    return new Map(documents.map(({ _id, fields }) => [_id, fields.description ?? '']));
  };
  const cut = ({ id, root }: SoldProduct, found: Descriptions): string => {
    const html = found.get(id) ?? '';
    const text = plainDescription(html, SHORT);
    // A view that is behind the log still has the former one.
    if (wordsOfDescription(html) === root.descriptionWords) kept.set(root, text);
    return text;
  };
  return {
    short: async (products) => {
      const texts = products.map(({ root }) => kept.get(root));
      const others = products.filter((_, place) => texts[place] === undefined);
      const found = others.length === 0 ? new Map<string, string>() : await read(others);
      return new Map(products.map((one, place) => [one.id, texts[place] ?? cut(one, found)]));
    },
    long: async (product) => plainDescription((await read([product])).get(product.id) ?? '', LONG),
  };
};
