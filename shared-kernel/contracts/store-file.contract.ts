import { z } from 'zod';
import { entities } from '#entities/entities.ts';
import { expectation } from '#fields/expectation.ts';
import { storeSettingsInput } from './settings.contract.ts';

const ofProducts = ['discounts', 'upsells'];
const entityLists = entities.map(({ list }) => list);

/**
 * The lists of a store file, in the order in which they are imported (docs/rules/store-file.md#entries). Products name
 * resources of every kind but discounts and upsell rules, which may name products and customers.
 */
export const storeLists: readonly string[] = [
  ...entityLists.filter((list) => !ofProducts.includes(list)),
  'products',
  'customers',
  ...ofProducts,
  'exchangeRates',
  'webhooks',
];

/** Lists whose entries stand within those of another one, and the field that names the entry around them. */
const nested = { filters: { within: 'filterGroups', names: 'filterGroup' } } as const;

const entry = z.looseObject({
  key: z.string().trim().min(1).max(250),
  id: z.guid('must be a GUID').toLowerCase().optional(),
});
const entries = z.array(entry).default([]);
export type StoreEntry = z.output<typeof entry>;

type Lists = Readonly<Record<string, readonly StoreEntry[]>>;

/** Every list by itself, and where its entries stand in the file. */
const apart = (lists: Lists): Pick<StoreFile, 'lists' | 'paths'> => {
  const all: Record<string, readonly StoreEntry[]> = { ...lists };
  const paths: Record<string, readonly string[]> = {};
  for (const [list, { within, names }] of Object.entries(nested)) {
    const around = (lists[within] ?? []).map(({ [list]: inner, ...outer }) => ({
      outer: outer as StoreEntry,
      inner: inner as readonly StoreEntry[],
    }));
    all[within] = around.map(({ outer }) => outer);
    all[list] = around.flatMap(({ outer, inner }) => inner.map((one) => ({ ...one, [names]: outer.key })));
    paths[list] = around.flatMap(({ inner }, place) =>
      inner.map((_, index) => `${within}.${place}.${list}.${index}`),
    );
  }
  return { lists: all, paths };
};

/** What surrounds the entries. Their own fields are checked once the keys that they name have been looked up. */
export const storeFile = z
  .strictObject({
    formatVersion: z.literal(1, 'must be 1'),
    settings: z.record(z.string(), z.unknown()).default({}),
    ...Object.fromEntries(storeLists.filter((list) => !(list in nested)).map((list) => [list, entries])),
    filterGroups: z.array(entry.extend({ filters: entries })).default([]),
  })
  .transform(({ formatVersion: _, settings, ...lists }) => ({
    settings,
    ...apart(lists as unknown as Lists),
  }));
export interface StoreFile {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly lists: Lists;
  /** Of the entries of lists that stand within others. */
  readonly paths: Readonly<Record<string, readonly string[]>>;
}

/** Where an entry stands in the file. */
export const entryPath = ({ paths }: Pick<StoreFile, 'paths'>, list: string, index: number): string =>
  paths[list]?.[index] ?? `${list}.${index}`;

/** Reads an entry of a list. */
export type BodySchema<Body> = z.ZodType<Body>;

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
