import { referenceTo, type StoreReference } from '#command/engine/store-reference.ts';
import { targetTypes, type TargetType } from '#values/discount-targets.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The list of a store file that has what such a target names. Tags and skus are no keys. */
const lists: Readonly<Record<TargetType, string | null>> = {
  AllProducts: null,
  SpecificProducts: 'products',
  Collections: 'collections',
  ProductFilters: 'filters',
  ProductTypes: 'productTypes',
  Suppliers: 'suppliers',
  Warehouses: 'warehouses',
  Tags: null,
  Skus: null,
};
const buyers: Readonly<Record<string, string>> = {
  customersegments: 'segments',
  1: 'segments',
  specificcustomers: 'customers',
  2: 'customers',
};

/** By name in any case, or by number, as in every body. */
const listBy = (field: string) => (beside: Fields) => {
  const given = String(beside[field]).toLowerCase();
  const isGiven = ([name, number]: readonly [string, number]) =>
    name.toLowerCase() === given || String(number) === given;
  const found = Object.entries(targetTypes).find(isGiven)?.[0] as TargetType | undefined;
  return found === undefined ? null : lists[found];
};

/** What the parts of a rule name by keys in a store file (docs/rules/store-file.md#entries). */
export const targetKeys: readonly StoreReference[] = [
  referenceTo('targetIds', listBy('targetType')),
  referenceTo('buyTargetIds', listBy('buyTargetType')),
  referenceTo('getTargetIds', listBy('getTargetType')),
  {
    field: 'ids',
    becomes: 'ids',
    list: (beside) => buyers[String(beside['eligibilityType']).toLowerCase()] ?? null,
  },
];
