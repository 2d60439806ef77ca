import { plainText, wordsOf } from '#values/words.ts';
import { isOnSale, isPurchasable, type Supplies } from '../availability.ts';
import type { SellableVariant, SoldProduct } from '../reference.ts';
import { createProductFacts } from './product-facts.ts';
import type { ProductTable } from './product-table.ts';
import { createPostings, createWords, posted, type Postings, type Words } from './word-index.ts';

const inName = 3;
const inSku = 2;
const elsewhere = 1;
const inDescription = 0;

type WeightedWords = ReadonlyMap<string, number>;
const noWords: WeightedWords = new Map();

/** The words of a product, each with what it counts most for. */
const wordsIn = ({ root, variants }: SoldProduct): WeightedWords => {
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

const described = (product: SoldProduct | undefined): readonly string[] => {
  const text = product?.root.descriptionWords ?? '';
  return text === '' ? [] : text.split(' ');
};

// The places that a product is found at, as keys.
export const collectionKey = (id: string): string => `collection ${id}`;
export const typeKey = (id: string): string => `type ${id}`;
export const tagKey = (tag: string): string => `tag ${plainText(tag)}`;
export const filterKey = (id: string): string => `filter ${id}`;

/** Where a product is found, whichever of its variants is bought. */
const rootPlaces = ({ root }: SoldProduct): readonly string[] => [
  ...new Set([
    typeKey(root.productTypeId),
    ...root.collectionIds.map(collectionKey),
    ...root.tags.map(tagKey),
  ]),
];

const placesOf = (product: SoldProduct): ReadonlySet<string> =>
  new Set([
    ...rootPlaces(product),
    ...product.variants.filter(isPurchasable).flatMap(({ filterIds }) => filterIds.map(filterKey)),
  ]);

const none: ReadonlySet<string> = new Set();

/** Replaces in the index the words of a slot. */
const change = (words: Words, slot: number, before: WeightedWords, now: WeightedWords): void => {
  for (const [word, weight] of before) if (now.get(word) !== weight) words.remove(word, posted(slot, weight));
  for (const [word, weight] of now) if (before.get(word) !== weight) words.add(word, posted(slot, weight));
};

/** Whether shoppers can buy any of it. */
const shown = (product: SoldProduct | undefined): SoldProduct | undefined =>
  product?.variants.some(isPurchasable) === true ? product : undefined;

/** The place of a variant among those that can be bought. */
const placeOf = ({ variants }: SoldProduct, variantId: string): number => {
  let place = 0;
  for (const variant of variants) {
    if (variant.id === variantId) break;
    if (isPurchasable(variant)) place++;
  }
  return place;
};

const createFacts = (places: Postings, supplies: Supplies) => {
  const facts = createProductFacts();
  const numberOf = (place: string): number => places.numberOf(place) ?? 0;
  const putFacts = (slot: number, product: SoldProduct): void => {
    const { id, root, variants } = product;
    facts.put(
      slot,
      rootPlaces(product).map(numberOf),
      variants.filter(isPurchasable).map((variant) => ({
        price: variant.price,
        isAvailable: isOnSale(supplies, { rootId: id, root, variant }),
        filters: [...new Set(variant.filterIds)].map((filterId) => numberOf(filterKey(filterId))),
      })),
    );
  };
  return { facts, putFacts };
};

/** Words, places and facts by slot, kept as products and their stock change. */
export const createProductIndex = (table: ProductTable, supplies: Supplies) => {
  const words = createWords();
  const descriptions = createWords();
  const places = createPostings();
  const { facts, putFacts } = createFacts(places, supplies);

  const describe = (slot: number, before: readonly string[], now: readonly string[]): void => {
    const code = posted(slot, inDescription);
    const [wordsBefore, wordsNow] = before.length === 0 ? [none, none] : [new Set(before), new Set(now)];
    for (const word of before) if (!wordsNow.has(word)) descriptions.remove(word, code);
    for (const word of now) if (!wordsBefore.has(word)) descriptions.add(word, code);
  };
  const note = (slot: number, before: SoldProduct | undefined, now: SoldProduct | undefined): void => {
    change(words, slot, before ? wordsIn(before) : noWords, now ? wordsIn(now) : noWords);
    if (before?.root.descriptionWords !== now?.root.descriptionWords)
      describe(slot, described(before), described(now));
    const placesBefore = before ? placesOf(before) : none;
    const placesNow = now ? placesOf(now) : none;
    for (const place of placesBefore.difference(placesNow)) places.remove(place, posted(slot, elsewhere));
    for (const place of placesNow.difference(placesBefore)) places.add(place, posted(slot, elsewhere));
  };

  return {
    words,
    descriptions,
    places,
    facts,
    take: (was: SoldProduct | undefined, is: SoldProduct | undefined): void => {
      const [before, now] = [shown(was), shown(is)];
      const slot = now ? table.put(now) : before && table.slotOf(before.id);
      if (slot === undefined) return;
      note(slot, before, now);
      if (now) putFacts(slot, now);
      else facts.remove(slot);
      if (before && !now) table.remove(before.id);
    },
    /** The stock of a variant has changed. Whether that says anything new of what can be had. */
    restock: (sellable: SellableVariant): boolean => {
      const slot = table.slotOf(sellable.rootId);
      const product = slot === undefined ? undefined : table.products[slot];
      if (slot === undefined || product === undefined || !isPurchasable(sellable.variant)) return false;
      const place = placeOf(product, sellable.variant.id);
      return facts.restock(slot, place, isOnSale(supplies, sellable));
    },
  };
};

export type ProductIndex = ReturnType<typeof createProductIndex>;
