import type { Filter as MongoFilter } from 'mongodb';

import type { Condition, Filter, FindOptions, Scalar } from '#ports/document-store.ts';
import { operatorsOf, pathOf } from '#ports/document-rules.ts';
import { placeOf, type Row } from './document-row.ts';

// From filters and sorts to MongoDB's. MongoDB looks into arrays where a path meets one; here only `has` does, so
// every other condition also excludes arrays.

type Clause = Readonly<Record<string, unknown>>;
type Query = Record<string, unknown>;

const isArray = { $type: 'array' };
const isNoArray = { $not: isArray };

/** Finds rows that are no tombstones and satisfy the filter. */
export function queryOf(filter: Filter): MongoFilter<Row> {
  const clauses = Object.entries(filter).flatMap(([field, condition]) => clausesOn(field, condition));
  return allOf([...clauses, isLive]) as MongoFilter<Row>;
}

/** Holds for what is no tombstone. */
export const isLive = { removed: { $exists: false } } as const;

/** Ties by `_id`, ascending. */
export const sortOf = (sort: NonNullable<FindOptions['sort']>): Record<string, 1 | -1> => ({
  ...Object.fromEntries(sort.map(([field, direction]) => [placeOf(field), direction])),
  ...(!sort.some(([field]) => field === '_id') && { _id: 1 }),
});

/** The clauses in one, side by side by path where they can be, so that any engine sees which index serves. */
function allOf(clauses: readonly Clause[]): Query {
  const paths: Record<string, Query> = {};
  const others: Clause[] = [];
  for (const [path, operand] of clauses.flatMap((clause) => Object.entries(clause))) {
    const operators = { ...paths[path] };
    if (path.startsWith('$') || isTaken(operators, operand as Query)) others.push({ [path]: operand });
    else paths[path] = { ...operators, ...(operand as Query) };
  }
  return others.length > 0 ? { ...paths, $and: others } : paths;
}

const isTaken = (operators: Query, more: Query): boolean =>
  Object.entries(more).some(([name, operand]) => name in operators && operators[name] !== operand);

function clausesOn(field: string, condition: Condition): readonly Clause[] {
  const { in: values, ne, gt, gte, lt, lte, contains, has, exists } = operatorsOf(field, condition);
  const clauses: Clause[] = [];
  if (values) clauses.push(...isOneOf(field, values));
  if (ne !== undefined) clauses.push(not(isOneOf(field, [ne])));
  // MongoDB, too, compares like types only.
  for (const [operator, bound] of Object.entries({ $gt: gt, $gte: gte, $lt: lt, $lte: lte })) {
    if (bound !== undefined) clauses.push(...holds(field, { [operator]: bound }));
  }
  if (contains !== undefined) clauses.push(...isTextWith(field, contains));
  if (has !== undefined) {
    clauses.push(...reaches(field), {
      [placeOf(field)]: { $elemMatch: Array.isArray(has) ? { $in: has } : { $eq: has } },
    });
  }
  if (exists === true) clauses.push(not(isOneOf(field, [null])));
  if (exists === false) clauses.push(...isOneOf(field, [null]));
  return clauses;
}

const not = (clauses: readonly Clause[]): Clause => ({ $nor: [allOf(clauses)] });

function isOneOf(field: string, values: readonly Scalar[]): readonly Clause[] {
  const [only] = values;
  const isOne = holds(field, values.length === 1 ? { $eq: only } : { $in: values });
  const parents = parentsOf(field);
  if (!values.includes(null) || parents.length === 0) return isOne;
  // What a path does not reach has no value; and a path ends at an array.
  return [{ $or: [allOf(isOne), ...parents.map((parent) => ({ [parent]: isArray }))] }];
}

/** The pattern for itself: servers that speak the protocol forget what stands beside one. */
const isTextWith = (field: string, text: string): readonly Clause[] => [
  ...holds(field, { $type: 'string' }),
  { $and: [{ [placeOf(field)]: { $regex: patternOf(text) } }] },
];

/** The operators, on what is no array and is not reached through one. */
const holds = (field: string, operators: Query): readonly Clause[] =>
  field === '_id'
    ? [{ _id: operators }]
    : [{ [placeOf(field)]: { ...operators, ...isNoArray } }, ...reaches(field)];

const reaches = (field: string): readonly Clause[] =>
  parentsOf(field).map((parent) => ({ [parent]: isNoArray }));

const parentsOf = (field: string): readonly string[] =>
  pathOf(field)
    .slice(0, -1)
    .map((_, index, path) => `doc.${path.slice(0, index + 1).join('.')}`);

/** The text as a pattern for itself. A pattern must not contain zero bytes. */
const patternOf = (text: string): string =>
  text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`).replaceAll('\0', String.raw`\x00`);
