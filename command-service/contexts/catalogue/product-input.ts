import {
  productRoot,
  type ProductOption,
  type ProductRoot,
  type ProductVariant,
} from '#events/catalogue.events.ts';
import { newRoot } from '#entities/product.entity.ts';
import { defined } from '#kernel/defined.ts';
import { derivedId } from '#kernel/ids.ts';
import { slugOf } from '#values/slug.ts';
import type { StockRowSaid } from '../inventory/stock.commands.ts';
import type { VariantPatch } from './product.commands.ts';

type Given<Fields> = { readonly [Field in keyof Fields]?: Fields[Field] };
type Maybe<Fields, Left extends keyof Fields> = Omit<Fields, Left> & {
  readonly [Field in Left]?: Fields[Field] | undefined;
};

/** What is said of a stock row. */
export type GivenStockRow = StockRowSaid & { readonly warehouseId: string };

type VariantFields = Omit<ProductVariant, 'id' | 'url' | 'variantOptionsKey' | 'stockRows' | 'isDefault'> & {
  readonly default: boolean;
  readonly stock: readonly GivenStockRow[];
};

/** What is said of a variant. */
export type VariantGiven = Given<VariantFields>;
/** The same within its product: found by `id` or `sku`, or new. */
export type VariantInProduct = Given<VariantFields & { readonly id: string }>;
export type NewVariant = VariantGiven & Pick<VariantFields, 'sku' | 'price'>;

type Value = ProductOption['values'][number];

/** An option whose ids, names and places follow from the rest where they are left out. */
interface OptionGiven extends Maybe<Omit<ProductOption, 'alias' | 'values'>, 'id' | 'sortOrder'> {
  readonly alias: string | null;
  readonly values: readonly Maybe<Value, 'id' | 'fullName' | 'sortOrder'>[];
}

/** What is said of a product. A simple product states its one variant's fields beside its own. */
export type ProductGiven = Given<
  Omit<VariantFields, 'images'> &
    Omit<ProductRoot, 'options' | 'productTypeId'> & {
      readonly options: readonly OptionGiven[];
      /** Null: the type Default. */
      readonly productTypeId: string | null;
      readonly variants: readonly VariantInProduct[];
    }
>;
export type NewProduct = ProductGiven & Pick<ProductRoot, 'rootName'>;

/** Gives a new variant its id; its sku tells it apart from its siblings. */
export type VariantIdOf = (sku: string) => string;

type RootGiven = Omit<ProductGiven, keyof VariantGiven | 'variants'> & Pick<ProductGiven, 'images'>;

const byName = <Item extends { readonly name: string }>(
  items: readonly Item[] | undefined,
  name: string,
): Item | undefined => items?.find((item) => item.name === name);

/**
 * Options with their ids: those that options and values of these names have, else such as follow from product, option
 * and value. Saying the same again changes nothing.
 */
const completeOptions = (
  productId: string,
  options: readonly OptionGiven[],
  known: readonly ProductOption[],
): ProductOption[] =>
  options.map(({ values, ...option }, place) => {
    const before = known.find(({ id }) => id === option.id) ?? byName(known, option.name);
    return {
      ...option,
      id: option.id ?? before?.id ?? derivedId('option', productId, option.name),
      alias: option.alias ?? slugOf(option.name),
      sortOrder: option.sortOrder ?? place,
      values: values.map((value, valuePlace) => ({
        ...value,
        id:
          value.id ??
          byName(before?.values, value.name)?.id ??
          derivedId('option-value', productId, option.name, value.name),
        fullName: value.fullName ?? `${option.name}: ${value.name}`,
        sortOrder: value.sortOrder ?? valuePlace,
      })),
    };
  });

const rootNames = Object.keys(productRoot.shape) as readonly (keyof RootGiven)[];

const rootFields = (given: ProductGiven): RootGiven =>
  Object.fromEntries(
    rootNames.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]),
  ) as RootGiven;

/** The given fields of the root; `productTypeId: null` asks for the type Default, which the caller knows. */
export const rootChanges = (
  productId: string,
  given: ProductGiven,
  defaultTypeId: string | null,
  known: readonly ProductOption[] = [],
): Partial<ProductRoot> => {
  const { options, productTypeId, ...fields } = rootFields(given);
  const typeId = productTypeId ?? defaultTypeId;
  return {
    ...fields,
    ...(options !== undefined && { options: completeOptions(productId, options, known) }),
    ...(productTypeId !== undefined && typeId !== null && { productTypeId: typeId }),
  };
};

/** A whole new root. */
export const createdRoot = (
  productId: string,
  given: NewProduct,
  rootUrl: string,
  productTypeId: string,
): ProductRoot => ({
  ...newRoot,
  ...rootChanges(productId, given, productTypeId),
  rootName: given.rootName,
  rootUrl,
  productTypeId,
});

export const rowsOf = (stock: readonly GivenStockRow[] = []): VariantPatch['stockRows'] =>
  stock.map(({ warehouseId, trackStock }) => ({ warehouseId, trackStock }));

/** What a body says of one variant. */
export const variantPatch = (
  given: VariantGiven,
  find: VariantPatch['find'],
  path: string,
  newId: string,
): VariantPatch => {
  const { stock, default: isDefault, ...fields } = given;
  return {
    find,
    newId,
    path,
    fields: { ...fields, ...defined({ isDefault }) },
    stockRows: rowsOf(stock),
  };
};

/** What a body says of a variant beside the product's own fields. */
export const variantFieldsOf = (given: ProductGiven): VariantGiven => {
  const { variants: _, ...fields } = given;
  const ofRoot = new Set(Object.keys(rootFields(fields)));
  return Object.fromEntries(Object.entries(fields).filter(([field]) => !ofRoot.has(field))) as VariantGiven;
};

const findFor = ({ id, sku }: VariantInProduct, isNew: boolean): VariantPatch['find'] => {
  if (id !== undefined && !isNew) return { id };
  return sku === undefined || isNew ? 'none' : { sku };
};

/** What a product's body says of its variants: those of the list, else the one of a simple product. */
export const variantPatches = (
  given: ProductGiven,
  isNew: boolean,
  idOf: VariantIdOf,
): readonly VariantPatch[] => {
  if (given.variants === undefined) {
    const fields = variantFieldsOf(given);
    const isSilent = Object.keys(fields).length === 0;
    if (isSilent && !isNew) return [];
    return [variantPatch(fields, isNew ? 'none' : 'only', '', idOf(fields.sku ?? ''))];
  }
  return given.variants.map((variant, index) => {
    const { id, ...fields } = variant;
    const newId = isNew && id !== undefined ? id : idOf(fields.sku ?? '');
    return variantPatch(fields, findFor(variant, isNew), `variants.${index}.`, newId);
  });
};

/** The stock rows that a body gives, by the sku or id of their variant and in its order. */
export const stockGiven = (given: ProductGiven): readonly (readonly GivenStockRow[])[] =>
  given.variants === undefined ? [given.stock ?? []] : given.variants.map(({ stock }) => stock ?? []);
