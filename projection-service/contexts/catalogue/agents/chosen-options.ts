import type { CatalogueProduct } from '#agents/protocol-catalogue.ts';
import type { ChosenOption } from '#agents/protocol-parts.ts';
import { plainText } from '#values/words.ts';

/** A variant as far as choosing it goes. */
interface Choosable {
  readonly options: readonly ChosenOption[];
  readonly isAvailable: boolean;
}

/** How words of agents are compared with those of the shop. */
const plain = (word: string): string => plainText(word.trim());

const has = ({ options }: Choosable, { name, label }: ChosenOption): boolean =>
  options.some((option) => option.name === name && option.label === label);

/** Whether a variant has everything that is chosen. */
export const fits = (variant: Choosable, chosen: readonly ChosenOption[]): boolean =>
  chosen.every((option) => has(variant, option));

/** The first choice of each option that any variant has, as the shop spells it. */
const spelled = (
  variants: readonly Choosable[],
  wanted: readonly ChosenOption[],
): readonly ChosenOption[] => {
  const keyOf = ({ name, label }: ChosenOption): string => `${plain(name)}\n${plain(label)}`;
  const distinct = new Map(
    variants.flatMap(({ options }) => options).map((one) => [`${one.name}\n${one.label}`, one] as const),
  );
  const known = new Map(Array.from(distinct.values(), (one) => [keyOf(one), one] as const));
  const found = new Map<string, ChosenOption>();
  for (const one of wanted) {
    const option = known.get(keyOf(one));
    if (option && !found.has(option.name)) found.set(option.name, option);
  }
  return [...found.values()];
};

/**
 * What remains of a choice so that some variant has all of it: choices that no variant has go first, then those whose
 * options stand last among the preferences, or not there at all (docs/rules/agent-catalogue.md#choosing).
 */
export const relaxed = (
  variants: readonly Choosable[],
  wanted: readonly ChosenOption[],
  preferences: readonly string[],
): readonly ChosenOption[] => {
  const rankOf = ({ name }: ChosenOption): number => {
    const rank = preferences.findIndex((one) => plain(one) === plain(name));
    return rank < 0 ? preferences.length : rank;
  };
  let kept = spelled(variants, wanted).toSorted((one, other) => rankOf(one) - rankOf(other));
  while (kept.length > 0 && !variants.some((variant) => fits(variant, kept))) kept = kept.slice(0, -1);
  return kept;
};

/** Each value of each option, with what choosing it in place of the present one would come to. */
export const signalled = (
  options: CatalogueProduct['options'],
  variants: readonly Choosable[],
  chosen: readonly ChosenOption[],
): CatalogueProduct['options'] =>
  options.map(({ name, values }) => {
    const others = chosen.filter((one) => one.name !== name);
    const besides = variants.filter((variant) => fits(variant, others));
    return {
      name,
      values: values.map(({ label }) => {
        const matching = besides.filter((variant) => has(variant, { name, label }));
        return {
          label,
          exists: matching.length > 0,
          isAvailable: matching.some(({ isAvailable }) => isAvailable),
        };
      }),
    };
  });
