import { z } from 'zod';
import { entities } from '#entities/entities.ts';
import { expectation } from './expectation.ts';
import { storeSettingsInput } from './settings.contract.ts';

const entityLists = entities.map(({ list }) => list);

/**
 * The lists of a store file, in the order in which they are imported (docs/rules/store-file.md#entries). Products name
 * managed things of every kind but discounts.
 */
export const storeLists: readonly string[] = [
  ...entityLists.filter((list) => list !== 'discounts'),
  'products',
  'discounts',
  'exchangeRates',
];

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
export const storeFile = z
  .strictObject({
    formatVersion: z.literal(1, '1 was expected'),
    settings: z.record(z.string(), z.unknown()).default({}),
    ...Object.fromEntries(storeLists.map((list) => [list, entries])),
    webhooks: z
      .array(z.unknown())
      .max(0, 'an empty list was expected: webhooks cannot be imported yet')
      .default([]),
  })
  .transform(({ formatVersion: _, settings, webhooks: __, ...lists }) => ({
    settings,
    lists: lists as Readonly<Record<string, readonly StoreEntry[]>>,
  }));
export type StoreFile = z.output<typeof storeFile>;

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
