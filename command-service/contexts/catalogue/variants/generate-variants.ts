import { newVariant } from '#entities/product.entity.ts';
import {
  choicesAt,
  choicesOf,
  keyOf,
  valuesInOrder,
  variantOptions,
  type Choice,
} from '#entities/product-options.ts';
import { underRoot, type ProductParts } from '#entities/product-parts.ts';
import {
  generatedVariants,
  type GeneratedVariants,
  type ProductRoot,
  type ProductVariant,
} from '#events/catalogue.events.ts';
import { isSameJson } from '#kernel/same-json.ts';
import { MAX_AMOUNT } from '#values/money.ts';
import { withRows } from './merge-variants.ts';
import type { VariantGiven } from '../product-input.ts';
import type { Generated, VariantPatch } from '../product.commands.ts';

/** The most variants a product's options may generate. */
const MAX_COMBINATIONS = 2000;
const MAX_SKU_LENGTH = 250;

/** What a generated variant is made from: before the adjustments and suffixes of its values. */
interface Base {
  readonly sku: string;
  readonly price: number;
  readonly costOfGoods: number;
  readonly common: GeneratedVariants['common'];
}

type Places = readonly number[];
/** Gives a new variant its id; its sku tells it apart from its siblings. */
type IdOf = (sku: string) => string;

/** The places of the values of every combination; those of the last option change first. */
const combinationsOf = (root: ProductRoot): readonly Places[] =>
  variantOptions(root).reduce<readonly Places[]>(
    (places, { values }) => places.flatMap((before) => values.map((_, place) => [...before, place])),
    [[]],
  );

const countOf = (root: ProductRoot): number =>
  variantOptions(root).reduce((count, { values }) => count * values.length, 1);

const suffixOf = (choices: readonly Choice[]): string =>
  choices.map(({ value }) => `-${value.skuSuffix ?? value.name.toUpperCase()}`).join('');

const adjustmentOf = (choices: readonly Choice[], of: 'priceAdjustment' | 'costAdjustment'): number =>
  choices.reduce((sum, { value }) => sum + value[of], 0);

/** What the values of a combination make of sku, price and cost (docs/rules/catalogue.md#generated-variants). */
const adjusted = ({ sku, price, costOfGoods }: Omit<Base, 'common'>, choices: readonly Choice[]) => ({
  sku: `${sku}${suffixOf(choices)}`,
  price: price + adjustmentOf(choices, 'priceAdjustment'),
  costOfGoods: costOfGoods + adjustmentOf(choices, 'costAdjustment'),
});

const isPossible = (amount: number): boolean => amount >= 0 && amount <= MAX_AMOUNT;

const problemsOf = ({ sku, price, costOfGoods }: Omit<Base, 'common'>): readonly string[] => [
  ...(sku.length > MAX_SKU_LENGTH ? [`sku: must be at most ${MAX_SKU_LENGTH} characters with ${sku}`] : []),
  ...(isPossible(price) ? [] : [`options: must be adjustments with which ${sku} costs 0 or more`]),
  ...(isPossible(costOfGoods)
    ? []
    : [`options: must be adjustments with which the cost of ${sku} is 0 or more`]),
];

const generate = (root: ProductRoot, base: Base, combinations: readonly Places[], idOf: IdOf): Generated => {
  const made = combinations.map((values) => {
    const own = adjusted(base, choicesAt(root, values));
    return { id: idOf(own.sku), ...own, values: [...values] };
  });
  return { common: base.common, combinations: made, problems: made.flatMap(problemsOf) };
};

type Given = Omit<VariantGiven, 'stock' | 'default' | 'name'>;

const commonFields = Object.keys(generatedVariants.shape.common.shape) as readonly (keyof Given)[];

/** The fields that every variant of a body has alike. */
const commonOf = (given: Given, stockRows: ProductVariant['stockRows']): GeneratedVariants['common'] => ({
  ...(Object.fromEntries(
    commonFields.map((field) => [field, given[field] ?? newVariant[field as keyof typeof newVariant]]),
  ) as GeneratedVariants['common']),
  stockRows,
});

const nothing = (...problems: readonly string[]): Generated => ({
  common: commonOf({}, []),
  combinations: [],
  problems,
});

const tooMany = (count: number): Generated =>
  nothing(`options: must make at most ${MAX_COMBINATIONS} variants, not ${count}`);

/** All variants that the options of a new product make. */
export const generatedAtFirst = (
  root: ProductRoot,
  given: Given,
  stockRows: VariantPatch['stockRows'],
  idOf: IdOf,
): Generated => {
  const { sku, price, costOfGoods = 0 } = given;
  if (sku === undefined || price === undefined)
    return nothing(
      ...(sku === undefined ? ['sku: must be a sku'] : []),
      ...(price === undefined ? ['price: must be a price'] : []),
    );
  const count = countOf(root);
  if (count > MAX_COMBINATIONS) return tooMany(count);
  const base = { sku, price, costOfGoods, common: commonOf(given, withRows([], stockRows)) };
  return generate(root, base, combinationsOf(root), idOf);
};

/** Whether a variant is one of what the options make: it chooses a value of each. Without options, a lone variant. */
const isCombination = (root: ProductRoot, { selectedOptions }: ProductVariant, siblings: number): boolean => {
  const options = variantOptions(root);
  if (options.length === 0) return siblings === 1;
  return choicesOf(root, selectedOptions).length === options.length;
};

/** How many of the combinations of one root the other has, too. */
const countInBoth = (before: ProductRoot, root: ProductRoot): number => {
  const known = new Map(variantOptions(before).map((option) => [option.id, option]));
  const options = variantOptions(root);
  if (options.length !== known.size) return 0;
  return options.reduce((count, { id, values }) => {
    const ids = new Set(known.get(id)?.values.map((value) => value.id));
    return count * values.filter((value) => ids.has(value.id)).length;
  }, 1);
};

/** Whether another root has a combination. */
const isIn = (before: ProductRoot): ((choices: readonly Choice[]) => boolean) => {
  const options = variantOptions(before);
  const known = new Set(
    options.flatMap((option) => valuesInOrder(option).map(({ id }) => `${option.id} ${id}`)),
  );
  return (choices) =>
    choices.length === options.length &&
    choices.every(({ option, value }) => known.has(`${option.id} ${value.id}`));
};

/** What new combinations begin with: the default as it would be without its values. */
const baseOf = ({ root, variants }: ProductParts, given: Given): Base => {
  const like = variants.find(({ isDefault }) => isDefault);
  const choices = choicesOf(root, like?.selectedOptions ?? []);
  const suffix = suffixOf(choices);
  const sku = like?.sku ?? '';
  const { availableForPurchase, canPurchase, hsCode, packages, stockRows } = like ?? newVariant;
  const { shippingRestrictionMode, allowedShippingOptionIds, excludedShippingOptionIds } = like ?? newVariant;
  const shipping = { shippingRestrictionMode, allowedShippingOptionIds, excludedShippingOptionIds };
  return {
    sku: given.sku ?? (sku.endsWith(suffix) ? sku.slice(0, sku.length - suffix.length) : sku),
    price: given.price ?? (like?.price ?? 0) - adjustmentOf(choices, 'priceAdjustment'),
    costOfGoods: given.costOfGoods ?? (like?.costOfGoods ?? 0) - adjustmentOf(choices, 'costAdjustment'),
    common: commonOf(
      { availableForPurchase, canPurchase, hsCode, packages, ...shipping, ...given },
      stockRows,
    ),
  };
};

/** A change of a product: what it was, its root from now on, and what is said of its variants. */
export interface OptionsChange {
  readonly before: ProductParts;
  readonly root: ProductRoot;
  readonly patches: readonly VariantPatch[];
}

/**
 * The combinations that changed options add; none when the change names variants of such combinations itself. `given`:
 * what it says of all variants.
 */
export const generatedLater = (
  { before, root, patches }: OptionsChange,
  given: Given,
  stockRows: VariantPatch['stockRows'],
  idOf: IdOf,
): Generated => {
  const count = countOf(root) - countInBoth(before.root, root);
  const wasThere = isIn(before.root);
  const isNamed = patches.some(({ fields: { selectedOptions } }) => {
    const choices = choicesOf(root, selectedOptions ?? []);
    return keyOf(choices) !== null && choices.length === variantOptions(root).length && !wasThere(choices);
  });
  if (count === 0 || isNamed) return nothing();
  if (count > MAX_COMBINATIONS) return tooMany(count);
  const fresh = combinationsOf(root).filter((places) => !wasThere(choicesAt(root, places)));
  const base = baseOf(before, given);
  const rows = withRows(base.common.stockRows, stockRows);
  return generate(root, { ...base, common: { ...base.common, stockRows: rows } }, fresh, idOf);
};

/** The variant that something is said of, by its id or sku. */
const foundBy = (variants: readonly ProductVariant[], { find }: VariantPatch): ProductVariant | undefined =>
  typeof find === 'object'
    ? variants.find((variant) => ('id' in find ? variant.id === find.id : variant.sku === find.sku))
    : undefined;

/** What is left of a product when its options change. */
export interface RetainedVariants {
  /** Those whose combination the options still make, under the new root. */
  readonly variants: readonly ProductVariant[];
  readonly vanished: readonly ProductVariant[];
  /** What is said of the others. */
  readonly patches: readonly VariantPatch[];
}

/**
 * Separates the variants whose combination no longer exists under the changed options. A body that repeats a
 * variant's choices or name changes nothing about it.
 */
export const retainedVariants = ({ before, root, patches }: OptionsChange): RetainedVariants => {
  const { variants } = before;
  const spoken = patches.map((patch) => {
    const found = foundBy(variants, patch);
    const { selectedOptions, name, ...others } = patch.fields;
    const isMoved = selectedOptions !== undefined && !isSameJson(selectedOptions, found?.selectedOptions);
    const fields = {
      ...others,
      ...(isMoved && { selectedOptions }),
      ...(name !== undefined && name !== found?.name && { name }),
    };
    return { found, patch: { ...patch, fields }, isMoved };
  });
  const moved = new Set(spoken.flatMap(({ found, isMoved }) => (found && isMoved ? [found.id] : [])));
  const isKept = (now: ProductVariant, place: number): boolean => {
    const was = variants[place];
    if (!was || moved.has(was.id) || !isCombination(before.root, was, variants.length)) return true;
    return isCombination(root, now, variants.length);
  };
  const after = underRoot(before, root);
  const kept = after.filter(isKept);
  const left = new Set(kept.map(({ id }) => id));
  return {
    variants: kept,
    vanished: variants.filter(({ id }) => !left.has(id)),
    patches: spoken.filter(({ found }) => !found || left.has(found.id)).map(({ patch }) => patch),
  };
};

/** Generated variants without those that another request has added meanwhile. */
export const stillNew = (
  root: ProductRoot,
  { variants, patches }: Pick<RetainedVariants, 'variants' | 'patches'>,
  generated: Generated | null | undefined,
): Generated | null => {
  if (!generated) return null;
  const keys = new Set(variants.map(({ variantOptionsKey }) => variantOptionsKey));
  const isThere = ({ values }: Generated['combinations'][number]) => keys.has(keyOf(choicesAt(root, values)));
  const combinations = generated.combinations.filter((one) => !isThere(one));
  const count = variants.length + patches.filter(({ find }) => find === 'none').length + combinations.length;
  const tooManyNow = combinations.length > 0 && count > MAX_COMBINATIONS ? tooMany(count).problems : [];
  return { ...generated, combinations, problems: [...generated.problems, ...tooManyNow] };
};

/** What a body says of all variants, as it is said of each that the options make: with adjustments and suffixes. */
export const patchesOfAll = (
  { root, variants }: ProductParts,
  given: Given,
  stockRows: VariantPatch['stockRows'],
): readonly VariantPatch[] =>
  variants
    .filter((variant) => isCombination(root, variant, variants.length))
    .map(({ id, selectedOptions }) => {
      const { sku = '', price = 0, costOfGoods = 0 } = given;
      const own = adjusted({ sku, price, costOfGoods }, choicesOf(root, selectedOptions));
      const said = Object.entries(own).filter(([field]) => field in given);
      return {
        find: { id },
        newId: id,
        path: '',
        fields: { ...given, ...Object.fromEntries(said) },
        stockRows,
      };
    });
