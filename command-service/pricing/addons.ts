import { addOnOptions } from '#entities/product-options.ts';
import type { ProductOption, ProductRoot } from '#events/catalogue.events.ts';

/** Of a root, what tells of its add-ons. */
type Offers = Pick<ProductRoot, 'rootName' | 'options'>;

/** A value of an option that is an add-on. */
export interface AddonChoice {
  readonly optionId: string;
  readonly valueId: string;
}

/** A product as it is sold: with the add-ons that were chosen for it. A line of a basket fits. */
export interface ChosenGoods {
  readonly productId: string;
  readonly addons?: readonly AddonChoice[];
}

/** Tells goods apart: the same product with the same add-ons, in any order, is one line of a basket. */
export const goodsKey = ({ productId, addons }: ChosenGoods): string => {
  if (addons === undefined || addons.length === 0) return productId;
  const signature = new Set(addons.map(({ optionId, valueId }) => `${optionId}:${valueId}`));
  return `${productId}|${[...signature].sort().join('|')}`;
};

/** Names an add-on of a product. */
export const addonKey = (productId: string, { optionId, valueId }: AddonChoice): string =>
  `${productId} ${optionId}:${valueId}`;

/** An add-on as its product has it today. */
export interface ChosenAddon {
  readonly option: ProductOption;
  readonly value: ProductOption['values'][number];
}

/** What the choices come to, in the order in which the product lists them, or why they cannot be sold. */
export type ChosenAddons =
  | { readonly chosen: readonly ChosenAddon[]; readonly problem: null }
  | { readonly chosen: null; readonly problem: string };

const refused = (problem: string): ChosenAddons => ({ chosen: null, problem });

const nothingChosen: ChosenAddons = { chosen: [], problem: null };

const unknownChoice = (
  { rootName }: Offers,
  options: readonly ProductOption[],
  choices: readonly AddonChoice[],
): string | null => {
  if (options.length === 0) return `${rootName} has no add-ons.`;
  for (const { optionId, valueId } of choices) {
    const option = options.find(({ id }) => id === optionId);
    if (option === undefined) return `${rootName} has no add-on ${optionId}.`;
    if (!option.values.some(({ id }) => id === valueId)) return `${option.name} has no value ${valueId}.`;
  }
  return null;
};

/**
 * Whether a product is sold with these add-ons (docs/rules/basket.md#add-ons). Choices that say the same count once.
 */
export const chooseAddons = (root: Offers, choices: readonly AddonChoice[] = []): ChosenAddons => {
  if (choices.length === 0 && root.options.every(({ isVariant }) => isVariant)) return nothingChosen;
  const options = addOnOptions(root);
  const unknown = choices.length === 0 ? null : unknownChoice(root, options, choices);
  if (unknown !== null) return refused(unknown);
  const isChosen = (option: ProductOption, { id }: ChosenAddon['value']): boolean =>
    choices.some(({ optionId, valueId }) => optionId === option.id && valueId === id);
  const chosen = options.flatMap((option) =>
    option.values
      .filter((value) => isChosen(option, value))
      .sort((one, other) => one.sortOrder - other.sortOrder)
      .map((value) => ({ option, value })),
  );
  const countOf = (option: ProductOption): number =>
    chosen.reduce((count, addon) => (addon.option === option ? count + 1 : count), 0);
  const crowded = options.find((option) => !option.isMultiSelect && countOf(option) > 1);
  if (crowded) return refused(`${crowded.name} takes one value only.`);
  const missing = options.filter((option) => option.isRequired && countOf(option) === 0);
  if (missing.length === 0) return { chosen, problem: null };
  return refused(`${root.rootName} needs a choice of ${missing.map(({ name }) => name).join(', ')}.`);
};

/** The sku of an add-on: its product's with the suffix of the value, else one that is made of the value's id. */
export const addonSku = (productSku: string, { skuSuffix, id }: ChosenAddon['value']): string =>
  skuSuffix === null || skuSuffix === '' ? `ADDON-${id.slice(0, 8)}` : `${productSku}-${skuSuffix}`;
