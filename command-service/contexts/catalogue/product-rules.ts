import { leastWithAddOns, variantOptions } from '#entities/product-options.ts';
import type { ProductOption, ProductRoot, ProductVariant } from '#events/catalogue.events.ts';
import type { StoreSettings } from '#values/store-settings.ts';

/** How many options a product has at most, and values each of them (docs/rules/settings.md#store). */
export type OptionLimits = Pick<StoreSettings, 'maxProductOptions' | 'maxOptionValuesPerOption'>;

/** What is wrong with the number of options that are given, and of their values. */
export const limitProblems = (
  options: readonly ProductOption[],
  { maxProductOptions, maxOptionValuesPerOption }: OptionLimits,
): readonly string[] => [
  ...(options.length > maxProductOptions
    ? [`options: must be at most ${maxProductOptions}, not ${options.length}`]
    : []),
  ...options.flatMap(({ values }, place) =>
    values.length > maxOptionValuesPerOption
      ? [`options.${place}.values: must be at most ${maxOptionValuesPerOption}, not ${values.length}`]
      : [],
  ),
];

/** The places of names that stand there before, in any case. */
const repeated = (names: readonly string[]): readonly number[] => {
  const known = names.map((name) => name.toLowerCase());
  return known.flatMap((name, place) => (known.indexOf(name) < place ? [place] : []));
};

/** Options are told apart by their names and ids, and so are the values of each. */
const nameProblems = (options: readonly ProductOption[]): readonly string[] => [
  ...repeated(options.map(({ name }) => name)).map(
    (place) => `options.${place}.name: must be a name that no other option has`,
  ),
  ...options.flatMap(({ values }, place) =>
    repeated(values.map(({ name }) => name)).map(
      (value) =>
        `options.${place}.values.${value}.name: must be a name that no other value of the option has`,
    ),
  ),
  ...repeated(options.flatMap(({ id, values }) => [id, ...values.map((value) => value.id)])).map(
    () => 'options: must be an id of its own for each option and value',
  ),
];

/** What the chosen values are not: some that the product's variant options offer. */
const choiceProblems = (root: ProductRoot, variants: readonly ProductVariant[]): readonly string[] => {
  const options = variantOptions(root);
  return variants.flatMap(({ sku, selectedOptions }) =>
    selectedOptions.flatMap(({ optionName, valueName }) => {
      const option = options.find(({ name }) => name === optionName);
      if (option?.values.some(({ name }) => name === valueName)) return [];
      return [`variants: ${sku} chooses ${optionName} ${valueName}, which the options do not offer`];
    }),
  );
};

/** A unit costs nothing at least, whichever add-ons are chosen with it (docs/rules/catalogue.md#add-ons). */
const addOnProblems = (root: ProductRoot, variants: readonly ProductVariant[]): readonly string[] => {
  const least = leastWithAddOns(root);
  return variants
    .filter(({ price }) => price + least < 0)
    .map(({ sku }) => `options: must be add-ons with which a unit of ${sku} costs nothing or more`);
};

/** What is wrong with a product as a whole, as `path: what was expected`. */
export const ruleProblems = (root: ProductRoot, variants: readonly ProductVariant[]): readonly string[] => [
  ...(root.isDigitalProduct && variantOptions(root).length > 0
    ? ['options: must be empty, as the product is digital']
    : []),
  ...nameProblems(root.options),
  ...choiceProblems(root, variants),
  ...addOnProblems(root, variants),
];
