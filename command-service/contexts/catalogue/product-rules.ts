import { leastWithAddOns, variantOptions } from '#entities/product-options.ts';
import type { ProductOption, ProductRoot, ProductVariant } from '#events/catalogue.events.ts';

/** The places of names that stand there before, in any case. */
const repeated = (names: readonly string[]): readonly number[] => {
  const known = names.map((name) => name.toLowerCase());
  return known.flatMap((name, place) => (known.indexOf(name) < place ? [place] : []));
};

/** Options are told apart by their names, and so are the values of each. */
const nameProblems = (options: readonly ProductOption[]): readonly string[] => [
  ...repeated(options.map(({ name }) => name)).map(
    (place) => `options.${place}.name: a name that no other option has was expected`,
  ),
  ...options.flatMap(({ values }, place) =>
    repeated(values.map(({ name }) => name)).map(
      (value) =>
        `options.${place}.values.${value}.name: a name that no other value of the option has was expected`,
    ),
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
    .map(({ sku }) => `options: add-ons with which a unit of ${sku} costs nothing or more were expected`);
};

/** What is wrong with a product as a whole, as `path: what was expected`. */
export const ruleProblems = (root: ProductRoot, variants: readonly ProductVariant[]): readonly string[] => [
  ...(root.isDigitalProduct && variantOptions(root).length > 0
    ? ['options: no variant options were expected, as the product is digital']
    : []),
  ...nameProblems(root.options),
  ...choiceProblems(root, variants),
  ...addOnProblems(root, variants),
];
