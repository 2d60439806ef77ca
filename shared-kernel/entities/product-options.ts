import type { ProductOption, ProductRoot, ProductVariant } from '#events/catalogue.events.ts';

type Offers = Pick<ProductRoot, 'options'>;
type Selection = ProductVariant['selectedOptions'];
type Value = ProductOption['values'][number];

/** Asked for each of thousands of variants: as a rule they are in order already. */
const inOrder = <Item extends { readonly sortOrder: number }>(items: readonly Item[]): readonly Item[] =>
  items.every(({ sortOrder }, place) => sortOrder >= (items[place - 1]?.sortOrder ?? sortOrder))
    ? items
    : items.toSorted((one, other) => one.sortOrder - other.sortOrder);

/** The options whose values make variants, in their order (docs/rules/catalogue.md#options). */
export const variantOptions = ({ options }: Offers): readonly ProductOption[] =>
  inOrder(options.filter(({ isVariant }) => isVariant));

/** The options that every variant can be bought with, in their order (docs/rules/catalogue.md#add-ons). */
export const addOnOptions = ({ options }: Offers): readonly ProductOption[] =>
  inOrder(options.filter(({ isVariant }) => !isVariant));

/** Add-ons without a choice in which the product is not sold. */
export const requiredAddOns = (root: Offers): readonly ProductOption[] =>
  addOnOptions(root).filter(({ isRequired }) => isRequired);

/** The values of an option in their order. */
export const valuesInOrder = ({ values }: ProductOption): readonly Value[] => inOrder(values);

/** A variant option with the one of its values that a variant has chosen. */
export interface Choice {
  readonly option: ProductOption;
  readonly value: Value;
}

/** What a variant has chosen, in the order of the options; options and values that are not offered are left out. */
export const choicesOf = (root: Offers, selection: Selection): readonly Choice[] =>
  variantOptions(root).flatMap((option) => {
    const chosen = selection.find(({ optionName }) => optionName === option.name);
    const value = chosen && option.values.find(({ name }) => name === chosen.valueName);
    return value ? [{ option, value }] : [];
  });

/** The choices at these places of each variant option, both in their order. */
export const choicesAt = (root: Offers, places: readonly number[]): readonly Choice[] =>
  variantOptions(root).flatMap((option, index) => {
    const value = valuesInOrder(option)[places[index] ?? -1];
    return value ? [{ option, value }] : [];
  });

/** The key of a combination: the ids of its values; null without any. */
export const keyOf = (choices: readonly Choice[]): string | null =>
  choices.length === 0 ? null : choices.map(({ value }) => value.id).join(',');

export const selectionOf = (choices: readonly Choice[]): Selection =>
  choices.map(({ option, value }) => ({ optionName: option.name, valueName: value.name }));

export const nameOf = (selection: Selection): string =>
  selection.map(({ valueName }) => valueName).join(' - ');

/** The least that a choice of an add-on option's values can add to a unit: negative where it takes something off. */
const leastOf = ({ values, isMultiSelect, isRequired }: ProductOption): number => {
  const prices = values.map(({ priceAdjustment }) => priceAdjustment);
  const least = Math.min(...prices);
  if (isRequired && least > 0) return least;
  const reduced = isMultiSelect ? prices.filter((price) => price < 0) : [Math.min(0, least)];
  return reduced.reduce((sum, price) => sum + price, 0);
};

/** The least that a unit's add-ons can add to its price, for any choice. */
export const leastWithAddOns = (root: Offers): number =>
  addOnOptions(root).reduce((sum, option) => sum + leastOf(option), 0);
