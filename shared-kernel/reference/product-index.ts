import { plainText, wordsOf } from '#values/words.ts';
import { isPurchasable } from './availability.ts';
import type { ProductTable } from './product-table.ts';
import type { SoldProduct } from './reference.ts';
import { createPostings, createWords, posted } from './word-postings.ts';

const inName = 3;
const inSku = 2;
const elsewhere = 1;

/** The words of a product, each with what it counts most for. */
const wordsIn = ({ root, variants }: SoldProduct): ReadonlyMap<string, number> => {
  const words = new Map<string, number>();
  const add = (text: string, weight: number): void => {
    for (const word of wordsOf(text)) if ((words.get(word) ?? 0) < weight) words.set(word, weight);
  };
  add(root.rootName, inName);
  for (const variant of variants) {
    if (!isPurchasable(variant)) continue;
    add(variant.sku, inSku);
    add(variant.name, elsewhere);
  }
  for (const tag of root.tags) add(tag, elsewhere);
  return words;
};

// The places that a product is found at, as keys.
export const collectionKey = (id: string): string => `collection ${id}`;
export const tagKey = (tag: string): string => `tag ${plainText(tag)}`;
export const filterKey = (id: string): string => `filter ${id}`;

/** Where else a product is found. */
const placesOf = ({ root, variants }: SoldProduct): ReadonlySet<string> =>
  new Set([
    ...root.collectionIds.map(collectionKey),
    ...root.tags.map(tagKey),
    ...variants.filter(isPurchasable).flatMap(({ filterIds }) => filterIds.map(filterKey)),
  ]);

/** Words and places by slot, kept as products change. */
export const createProductIndex = (table: ProductTable) => {
  const words = createWords();
  const places = createPostings();
  const types = createPostings();
  const note = (slot: number, before: SoldProduct | undefined, now: SoldProduct | undefined): void => {
    const wordsBefore = before ? wordsIn(before) : new Map<string, number>();
    const wordsNow = now ? wordsIn(now) : new Map<string, number>();
    for (const [word, weight] of wordsBefore)
      if (wordsNow.get(word) !== weight) words.remove(word, posted(slot, weight));
    for (const [word, weight] of wordsNow)
      if (wordsBefore.get(word) !== weight) words.add(word, posted(slot, weight));
    const [typeBefore, typeNow] = [before?.root.productTypeId, now?.root.productTypeId];
    if (typeBefore !== undefined && typeBefore !== typeNow) types.remove(typeBefore, posted(slot, elsewhere));
    if (typeNow !== undefined && typeBefore !== typeNow) types.add(typeNow, posted(slot, elsewhere));
    const placesBefore = before ? placesOf(before) : new Set<string>();
    const placesNow = now ? placesOf(now) : new Set<string>();
    for (const place of placesBefore.difference(placesNow)) places.remove(place, posted(slot, elsewhere));
    for (const place of placesNow.difference(placesBefore)) places.add(place, posted(slot, elsewhere));
  };
  const shown = (product: SoldProduct | undefined): SoldProduct | undefined =>
    product?.variants.some(isPurchasable) === true ? product : undefined;
  const take = (was: SoldProduct | undefined, is: SoldProduct | undefined): void => {
    const [before, now] = [shown(was), shown(is)];
    const slot = now ? table.put(now) : before && table.slotOf(before.id);
    if (slot === undefined) return;
    note(slot, before, now);
    if (before && !now) table.remove(before.id);
  };
  return { words, places, types, take };
};

export type ProductIndex = ReturnType<typeof createProductIndex>;
