import type { ProductOption, ProductRoot } from '#events/catalogue.events.ts';

type Offers = Pick<ProductRoot, 'options'>;

const inOrder = (options: readonly ProductOption[]): readonly ProductOption[] =>
  options.toSorted((one, other) => one.sortOrder - other.sortOrder);

/** The options whose values make variants, in their order (docs/rules/catalogue.md#options). */
export const variantOptions = ({ options }: Offers): readonly ProductOption[] =>
  inOrder(options.filter(({ isVariant }) => isVariant));

/** The options that every variant can be bought with, in their order (docs/rules/catalogue.md#add-ons). */
export const addOnOptions = ({ options }: Offers): readonly ProductOption[] =>
  inOrder(options.filter(({ isVariant }) => !isVariant));

/** The least that a choice of an add-on option's values can add to a unit: negative where it takes something off. */
const leastOf = ({ values, isMultiSelect, isRequired }: ProductOption): number => {
  const prices = values.map(({ priceAdjustment }) => priceAdjustment);
  const least = Math.min(...prices);
  if (isRequired && least > 0) return least;
  const reduced = isMultiSelect ? prices.filter((price) => price < 0) : [Math.min(0, least)];
  return reduced.reduce((sum, price) => sum + price, 0);
};

/** The least that a unit's add-ons can add to its price, whatever a shopper chooses. */
export const leastWithAddOns = (root: Offers): number =>
  addOnOptions(root).reduce((sum, option) => sum + leastOf(option), 0);
