import { wordsOf } from '#values/words.ts';
import type { EntityReference } from '../reference.ts';
import type { Demand } from './intersect-postings.ts';
import { mayBeMistyped, placesNear } from './near-words.ts';
import { typeKey, type ProductIndex } from './product-index.ts';

/** More words than this are not looked at. */
const MAX_WORDS = 10;
/** In this many of them a typing error is looked for: each takes some hundred look-ups among the words of the shop. */
const MAX_MISTYPED = 3;
/** Shorter words begin too many of those that descriptions are made of. */
const FEWEST_LETTERS = 3;

/** A word that is looked for, and the types of products that it names. */
export interface WantedWord {
  readonly word: string;
  readonly typeIds: readonly string[];
  /** No product has the word, nor one that begins with it. */
  readonly isMistyped: boolean;
}

/** What the words of a search come to (docs/rules/search.md#words). */
export const createWordSearch = (
  { words, descriptions, places }: ProductIndex,
  entities: EntityReference,
) => {
  const wordsOfTypes = new Map<string, { readonly name: unknown; readonly sorted: readonly string[] }>();

  const wordsOfType = (id: string): readonly string[] => {
    const name = entities.find('productType', id)?.['name'];
    const known = wordsOfTypes.get(id);
    if (known?.name === name) return known?.sorted ?? [];
    const sorted = typeof name === 'string' ? [...wordsOf(name)].sort() : [];
    wordsOfTypes.set(id, { name, sorted });
    return sorted;
  };
  const typesWith = (isOne: (words: readonly string[]) => boolean): readonly string[] =>
    [...entities.all('productType').keys()].filter((id) => isOne(wordsOfType(id)));

  const described = (word: string) =>
    word.length < FEWEST_LETTERS ? descriptions.is(word) : descriptions.beginningWith(word);

  return {
    wanted: (search: string): readonly WantedWord[] => {
      let mistyped = 0;
      return [...new Set(wordsOf(search))].slice(0, MAX_WORDS).map((word) => {
        const typeIds = typesWith((names) => names.some((name) => name.startsWith(word)));
        const isKnown = typeIds.length > 0 || words.knows(word) || descriptions.knows(word);
        const isMistyped = !isKnown && mayBeMistyped(word) && ++mistyped <= MAX_MISTYPED;
        if (!isMistyped) return { word, typeIds, isMistyped };
        return { word, typeIds: typesWith((names) => placesNear(names, word).length > 0), isMistyped };
      });
    },
    demandOf: ({ word, typeIds, isMistyped }: WantedWord): Demand => [
      ...(isMistyped
        ? [...words.near(word), ...descriptions.near(word)]
        : [...words.beginningWith(word), ...described(word)]),
      ...typeIds.flatMap((id) => {
        const found = places.get(typeKey(id));
        return found ? [{ ...found, isWhole: false }] : [];
      }),
    ],
  };
};
export type WordSearch = ReturnType<typeof createWordSearch>;
