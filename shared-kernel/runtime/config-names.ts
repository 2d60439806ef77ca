import type { z } from 'zod';
import { nearest } from '#values/nearest-name.ts';

export type Tree = Readonly<Record<string, unknown>>;

interface Definition {
  readonly type: string;
  readonly innerType?: z.core.$ZodType;
  readonly in?: z.core.$ZodType;
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
}

const definitionOf = (schema: z.core.$ZodType): Definition => schema._zod.def as unknown as Definition;

/** The schema itself, without what makes it optional or gives it a default. */
const coreOf = (schema: z.core.$ZodType): Definition => {
  const definition = definitionOf(schema);
  const inner = definition.innerType ?? definition.in;
  return inner ? coreOf(inner) : definition;
};

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const upperFirst = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** A setting's name as the documentation writes it: `Webhooks.MaxRetries`, but `Store.lowStockThreshold`. */
export const displayName = (path: readonly string[]): string =>
  path.map((word, depth) => (path[0] === 'store' && depth > 0 ? word : upperFirst(word))).join('.');

/** Converts text of the environment for the schema; what does not fit is left for the schema to refuse. */
const fromText = ({ type }: Definition, text: string, isNullable: boolean): unknown => {
  if (isNullable && text === '') return null;
  if (type === 'number' && text.trim() !== '') return Number(text);
  if (text === 'true' || text === 'false') return type === 'string' ? text : text === 'true';
  if (type === 'array') return text.trim().startsWith('[') ? parsedOr(text) : listOf(text);
  return text;
};

const parsedOr = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const listOf = (text: string): unknown[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map((entry) => (/^-?\d+(\.\d+)?$/.test(entry) ? Number(entry) : entry));

const hasNull = (schema: z.core.$ZodType): boolean => {
  const definition = definitionOf(schema);
  return definition.type === 'nullable' || (!!definition.innerType && hasNull(definition.innerType));
};

export interface Naming {
  readonly problems: string[];
  /** Values are texts of the environment. */
  readonly isText: boolean;
  readonly aliases: Readonly<Record<string, string>>;
}

/** Maps keys, in any case, to names of the schema; unknown ones become problems. */
export const withKnownNames = (
  schema: z.core.$ZodType,
  given: unknown,
  naming: Naming,
  path: readonly string[] = [],
): unknown => {
  const core = coreOf(schema);
  const { shape } = core;
  if (!shape || !isTree(given)) {
    return naming.isText && typeof given === 'string' ? fromText(core, given, hasNull(schema)) : given;
  }
  const named: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(given)) {
    const wanted = (path.length === 0 && naming.aliases[key.toLowerCase()]) || key;
    const name = Object.keys(shape).find((known) => known.toLowerCase() === wanted.toLowerCase());
    const child = name === undefined ? undefined : shape[name];
    if (name === undefined || child === undefined)
      naming.problems.push(unknown(path, key, Object.keys(shape)));
    else
      Object.assign(named, merged(named, { [name]: withKnownNames(child, value, naming, [...path, name]) }));
  }
  return named;
};

const unknown = (path: readonly string[], key: string, known: readonly string[]): string => {
  const best = displayName([...path, nearest(key, known).name]);
  return `${displayName([...path, key])}: there is no such setting; the nearest is ${best}`;
};

/** Puts one tree over another, key by key; lists are replaced as a whole. */
export const merged = (below: Tree, above: Tree): Tree => {
  const result: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const under = result[key];
    result[key] = isTree(under) && isTree(value) ? merged(under, value) : value;
  }
  return result;
};

/** The tree that `A__B__C=value` spells. */
export const treeOf = (entries: readonly (readonly [path: readonly string[], value: string])[]): Tree =>
  entries.reduce<Tree>(
    (tree, [path, value]) =>
      merged(tree, path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Tree),
    {},
  );
