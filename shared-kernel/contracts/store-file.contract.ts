import { z } from 'zod';
import {
  changeCollection,
  changeProduct,
  changeProductType,
  createCollection,
  createProduct,
  createProductType,
} from './catalogue.contract.ts';
import { changeDiscount, createDiscount } from './discounts.contract.ts';
import { expectation } from './expectation.ts';
import type { CurrencyOf } from './management.contract.ts';
import { storeSettingsInput } from './settings.contract.ts';
import {
  changeShippingOption,
  changeWarehouse,
  createShippingOption,
  createWarehouse,
} from './shipping.contract.ts';
import { changeTaxGroup, createTaxGroup } from './tax.contract.ts';

/** The lists of a store file, in the order in which they are imported (decisions, management 8). */
export const storeLists = [
  'taxGroups',
  'warehouses',
  'shippingOptions',
  'productTypes',
  'collections',
  'products',
  'discounts',
] as const;
export type StoreList = (typeof storeLists)[number];

const entries = z
  .array(
    z.looseObject({
      key: z.string().trim().min(1).max(250),
      id: z.guid('a GUID was expected').toLowerCase().optional(),
    }),
  )
  .default([]);
export type StoreEntry = z.output<typeof entries>[number];

/** What surrounds the entries. Their own fields are checked once the keys that they name have been looked up. */
export const storeFile = z.strictObject({
  formatVersion: z.literal(1, '1 was expected'),
  settings: z.record(z.string(), z.unknown()).default({}),
  taxGroups: entries,
  warehouses: entries,
  shippingOptions: entries,
  productTypes: entries,
  collections: entries,
  products: entries,
  discounts: entries,
  webhooks: z
    .array(z.unknown())
    .max(0, 'an empty list was expected: webhooks cannot be imported yet')
    .default([]),
});
export type StoreFile = z.output<typeof storeFile>;

/** The bodies of the management API: of something new, and of what is there already. */
export const storeBodies = (currency: CurrencyOf) => ({
  taxGroups: { create: createTaxGroup, change: changeTaxGroup },
  warehouses: { create: createWarehouse, change: changeWarehouse },
  shippingOptions: { create: createShippingOption(currency), change: changeShippingOption(currency) },
  productTypes: { create: createProductType, change: changeProductType },
  collections: { create: createCollection, change: changeCollection },
  products: { create: createProduct(currency), change: changeProduct(currency) },
  discounts: { create: createDiscount(currency), change: changeDiscount(currency) },
});
export type StoreBodies = ReturnType<typeof storeBodies>;
export type NewOf<List extends StoreList> = z.output<StoreBodies[List]['create']>;
export type ChangeOf<List extends StoreList> = z.output<StoreBodies[List]['change']>;

export const storeSettings = z.strictObject(storeSettingsInput.shape);

/** Parses, or adds what was expected where to the problems. */
export const parseAt = <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  path: string,
  problems: string[],
): z.output<Schema> | null => {
  const parsed = schema.safeParse(value, { error: expectation });
  if (parsed.success) return parsed.data;
  for (const issue of parsed.error.issues) {
    const unknown = issue.code === 'unrecognized_keys' ? issue.keys : [];
    const where = [path, ...issue.path.map(String)].filter((part) => part !== '').join('.');
    if (unknown.length === 0) problems.push(`${where}: ${issue.message}`);
    for (const name of unknown)
      problems.push(`${where === '' ? '' : `${where}.`}${name}: no such name is known`);
  }
  return null;
};
