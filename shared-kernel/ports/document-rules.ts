import type { Document, IndexSpec } from '#kernel/projection.ts';
import type { Condition, Filter, FindOptions, Patch } from './document-store.ts';
import { NoIndexServes } from './document-store.ts';

// What every adapter of DocumentStore holds its callers to, even where its engine would allow more.

/** The most documents that a find returns, and the most values of an `in`. */
export const MAX_FIND = 1000;

type Fields = Record<string, unknown>;
export type Operators = Exclude<Condition, string | number | boolean | null>;

const operators: readonly string[] = ['in', 'ne', 'gt', 'gte', 'lt', 'lte', 'contains', 'has', 'exists'];

/** Returns the name. It becomes a table or a file elsewhere, so nothing but letters, digits, `_` and `-`. */
export function checkCollection(name: string): string {
  if (!/^[A-Za-z][\w-]{0,119}$/.test(name) || /^sqlite_/i.test(name)) {
    throw new TypeError(`"${name}" cannot be the name of a collection`);
  }
  return name;
}

/** The parts of a dotted path. It stands in queries as it is, so nothing but letters, digits, `_` and `-`. */
export function pathOf(field: string): readonly string[] {
  const path = field.split('.');
  if (!path.every((part) => /^[\w-]+$/.test(part) && part !== '__proto__')) {
    throw new TypeError(`"${field}" cannot be the path of a field`);
  }
  return path;
}

/** What stands at a dotted path; undefined where nothing does. Arrays are not looked into. */
export function valueAt(document: Document, field: string): unknown {
  return valueOn(document, pathOf(field));
}

/** The same, for a path that is taken apart already. */
export function valueOn(document: Document, path: readonly string[]): unknown {
  let value: unknown = document;
  for (const part of path) {
    if (!isObject(value) || !Object.hasOwn(value, part)) return undefined;
    value = value[part];
  }
  return value;
}

/** The texts that stand at a field, by the ids of their documents. */
export const textsIn = (documents: readonly Document[], field: string): ReadonlyMap<string, string> => {
  const path = pathOf(field);
  const texts = new Map<string, string>();
  for (const document of documents) {
    const text = valueOn(document, path);
    if (typeof text === 'string') texts.set(document._id, text);
  }
  return texts;
};

/** The condition in its long form; a bare scalar is an `in` of one value. */
export function operatorsOf(field: string, condition: Condition): Operators {
  pathOf(field);
  if (condition === undefined) throw new TypeError(`the condition on "${field}" is undefined`);
  if (condition === null || typeof condition !== 'object') return { in: [condition] };
  for (const [name, value] of Object.entries(condition)) {
    if (!operators.includes(name) || value === undefined)
      throw new TypeError(`"${field}" has no condition "${name}"`);
  }
  if ([condition.in, condition.has].some((values) => Array.isArray(values) && values.length > MAX_FIND)) {
    throw new RangeError(`the condition on "${field}" lists more than ${MAX_FIND} values`);
  }
  return condition;
}

/** The options with their defaults. */
export function checkFind(options: FindOptions): Required<FindOptions> {
  const { filter = {}, sort = [], skip = 0, limit = MAX_FIND } = options;
  if (!Number.isInteger(skip) || skip < 0) throw new RangeError(`a find cannot skip ${skip} documents`);
  if (!Number.isInteger(limit) || limit < 0 || limit > MAX_FIND) {
    throw new RangeError(`a find returns 0 to ${MAX_FIND} documents, not ${limit}`);
  }
  return { filter, sort, skip, limit };
}

/**
 * A filter is served by a condition on `_id` or on the first field of an index, by which the engine can look up: one
 * with `in`, `gt` … `lte` or a bare scalar. A sort is served when it is `_id`, or the first fields of an index in one
 * direction. What asks for everything in the order of `_id` needs nothing else.
 */
export function isServed(
  indexes: readonly IndexSpec[],
  filter: Filter,
  sort: FindOptions['sort'] = [],
): boolean {
  const conditions = Object.entries(filter);
  for (const [field, condition] of conditions) operatorsOf(field, condition);
  for (const [field] of sort) pathOf(field);
  if (conditions.length === 0 && sort.length === 0) return true;
  const looksUp = ([field, condition]: [string, Condition]): boolean => {
    const { in: values, gt, gte, lt, lte } = operatorsOf(field, condition);
    return [values, gt, gte, lt, lte].some((operand) => operand !== undefined);
  };
  const isFirst = (field: string): boolean =>
    field === '_id' || indexes.some(({ fields, contains }) => !contains && fields[0] === field);
  return (
    conditions.some((condition) => isFirst(condition[0]) && looksUp(condition)) || servesSort(indexes, sort)
  );
}

function servesSort(indexes: readonly IndexSpec[], sort: NonNullable<FindOptions['sort']>): boolean {
  const [first] = sort;
  if (!first) return false;
  if (first[0] === '_id') return true;
  const fields = sort.at(-1)?.[0] === '_id' ? sort.slice(0, -1) : sort;
  const inOneDirection = fields.every(([, direction]) => direction === first[1]);
  const isSorted = ({ fields: sorted, contains }: IndexSpec): boolean =>
    !contains && fields.every(([field], place) => sorted[place] === field);
  return inOneDirection && indexes.some(isSorted);
}

/** The error of a query that is not served. */
export function noIndexServes(
  collection: string,
  filter: Filter,
  sort: FindOptions['sort'] = [],
): NoIndexServes {
  const wanted = `filter on [${Object.keys(filter).join(', ')}], sort by [${sort.map(([field]) => field).join(', ')}]`;
  return new NoIndexServes(`no index of ${collection} serves ${wanted}`);
}

/**
 * A changed copy of the document, which shares with it what the patch leaves alone. Throws TypeError where a path leads
 * through a value that is not an object.
 */
export function applyPatch<Doc extends Document>(document: Doc, patch: Patch): Doc {
  const changed = { ...document };
  for (const [field, value] of Object.entries(patch.set ?? {})) {
    if (value !== undefined) change(changed, field, () => value);
  }
  for (const field of patch.unset ?? []) change(changed, field, () => undefined);
  for (const [field, by] of Object.entries(patch.increment ?? {})) {
    change(changed, field, (before = 0) => {
      if (typeof before !== 'number')
        throw new TypeError(`"${field}" is not a number and cannot be incremented`);
      return before + by;
    });
  }
  return changed;
}

function change(document: Document, field: string, toValue: (before: unknown) => unknown): void {
  const path = pathOf(field);
  const last = path[path.length - 1] ?? '';
  if (path[0] === '_id') throw new TypeError('the _id of a document never changes');
  const after = toValue(valueAt(document, field));
  let parent: unknown = document;
  for (const part of path.slice(0, -1)) {
    if (!isObject(parent)) break;
    const isThere = Object.hasOwn(parent, part);
    if (!isThere && after === undefined) return;
    const child = isThere ? parent[part] : {};
    parent[part] = isObject(child) ? { ...child } : child;
    parent = parent[part];
  }
  if (isObject(parent)) {
    if (after === undefined) delete parent[last];
    else parent[last] = after;
  } else if (after !== undefined) {
    throw new TypeError(`"${field}" leads through a value that is not an object`);
  }
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
