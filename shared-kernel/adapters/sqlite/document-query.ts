import type { IndexSpec } from '#kernel/projection.ts';
import type { Condition, Filter, FindOptions, Scalar } from '#ports/document-store.ts';
import { checkCollection, operatorsOf, pathOf, type Operators } from '#ports/document-rules.ts';

// From filters and sorts to SQL. A collection is a table (id, position, removed, doc); doc is the document as JSON. The
// fields that indexes name have columns of their own, unless the table was made by a release that gave them none.

type Parameter = string | number | null;

/** Numbers of rows, as a JSON list. Where they are more than `most`, another question is asked instead. */
interface RowsLookedUp {
  readonly rows: Sql;
  readonly most: number;
  readonly ifMore: Sql;
}

/** The fields of a table's documents that have a column. */
export type Columns = ReadonlySet<string>;

export const noColumns: Columns = new Set();

/** What is known of the table of a collection. */
export interface Table {
  readonly collection: string;
  readonly indexes: readonly IndexSpec[];
  readonly columns: Columns;
}

/** SQL with a `?` for each parameter, in order. */
export interface Sql {
  readonly text: string;
  readonly parameters: readonly Parameter[];
  /** Rows whose numbers are its first parameter. */
  readonly among?: RowsLookedUp;
}

const sql = (text: string, ...parameters: readonly Parameter[]): Sql => ({ text, parameters });

const join = (parts: readonly Sql[], by: string): Sql =>
  sql(parts.map(({ text }) => text).join(by), ...parts.flatMap(({ parameters }) => parameters));

export const tableOf = (collection: string): string => `"${checkCollection(collection)}"`;

const FIELDS_KEPT = 1000;

/** Queries ask for few fields, over and over: what a field is in SQL is put together once. */
const oncePerField = (make: (field: string) => string): ((field: string) => string) => {
  const made = new Map<string, string>();
  return (field) => {
    const known = made.get(field);
    if (known !== undefined) return known;
    const text = make(field);
    if (made.size >= FIELDS_KEPT) made.clear();
    made.set(field, text);
    return text;
  };
};

export const jsonPath = oncePerField(
  (field) =>
    `'$${pathOf(field)
      .map((part) => `."${part}"`)
      .join('')}'`,
);

/** No column of ours begins with a point. */
export const columnOf = (field: string): string => `".${field}"`;

/**
 * What a column has of a document. Missing and null read NULL, booleans 0 and 1, objects and arrays their JSON: where
 * that matters, `typeIs` must stand beside it.
 */
export const extracted = oncePerField((field) =>
  field === '_id' ? 'id' : `json_extract(doc,${jsonPath(field)})`,
);

/** The value of a field as SQLite compares it. An index serves only queries that contain this very text. */
export const valueOf = (field: string, columns: Columns): string =>
  columns.has(field) ? columnOf(field) : extracted(field);

function jsonTypes(value: Scalar): string {
  if (typeof value === 'number') return `('integer','real')`;
  return typeof value === 'string' ? `('text')` : `('${value}')`;
}

/** Whether the value has the JSON type of an example. */
export const typeIs = (field: string, value: Scalar, columns: Columns): string => {
  if (field === '_id') return `'text' IN ${jsonTypes(value)}`;
  const isType = `json_type(doc,${jsonPath(field)}) IN ${jsonTypes(value)}`;
  if (typeof value !== 'string') return isType;
  // Only what looks like an array or an object needs the document: an index tells the rest.
  // Compared, as that is quick; the plus keeps SQLite from looking the comparison up.
  const text = `+${valueOf(field, columns)}`;
  const isPlain = String.raw`${text} < '[' OR (${text} >= '\' AND ${text} < '{') OR ${text} >= '|'`;
  return `${text} >= '' AND (${isPlain} OR ${isType})`;
};

/** Every id is a text. */
const isNoBound = (field: string, operator: string, bound: string | number): boolean =>
  field === '_id' && operator === '>=' && bound === '';

/** Whether everything between two bounds is a text: SQLite sorts numbers before, and JSON begins with these. */
const isTextBetween = ({ gt, gte, lt, lte }: Operators): boolean =>
  typeof (gt ?? gte) === 'string' && isBeforeJson(lt ?? lte);

const isBeforeJson = (bound: string | number | undefined): boolean =>
  typeof bound === 'string' && bound < '[';

const parameterOf = (value: Scalar): Parameter => (typeof value === 'boolean' ? Number(value) : value);

/** Finds what is not a tombstone and satisfies the filter. `removed = 0` is the condition of the partial indexes. */
export function whereOf(filter: Filter, columns: Columns): Sql {
  const conditions = Object.entries(filter).flatMap(([field, condition]) =>
    conditionsOn(field, condition, columns),
  );
  return join([sql('WHERE removed = 0'), ...conditions], ' AND ');
}

export function orderOf(sort: NonNullable<FindOptions['sort']>, columns: Columns): string {
  const terms = sort.map(
    ([field, direction]) => `${valueOf(field, columns)} ${direction === 1 ? 'ASC' : 'DESC'}`,
  );
  const ties = sort.some(([field]) => field === '_id') ? [] : ['id ASC'];
  return `ORDER BY ${[...terms, ...ties].join(', ')}`;
}

function conditionsOn(field: string, condition: Condition, columns: Columns): readonly Sql[] {
  const operators = operatorsOf(field, condition);
  const { in: values, ne, gt, gte, lt, lte, contains, has, exists } = operators;
  const value = valueOf(field, columns);
  const conditions: Sql[] = [];
  if (values) conditions.push(isOneOf(field, values, columns));
  if (ne !== undefined) conditions.push(isNot(field, ne, columns));
  const bounds = Object.entries({ '>': gt, '>=': gte, '<': lt, '<=': lte });
  for (const [operator, bound] of bounds) {
    if (bound === undefined || isNoBound(field, operator, bound)) continue;
    const type = isTextBetween(operators) ? '' : ` AND ${typeIs(field, bound, columns)}`;
    conditions.push(sql(`${value} ${operator} ?${type}`, bound));
  }
  if (contains !== undefined)
    // The text first: it is rarely there, and each look at a field takes its document apart.
    conditions.push(sql(`instr(${value}, ?) > 0 AND ${typeIs(field, '', columns)}`, contains));
  if (has !== undefined) conditions.push(hasElement(field, [has].flat()));
  if (exists !== undefined) conditions.push(sql(`${value} IS ${exists ? 'NOT ' : ''}NULL`));
  return conditions;
}

/** True when a value of another type looks the same to SQLite, so that the type must be asked for too. */
function isAmbiguous(field: string, value: Scalar): boolean {
  if (field === '_id') return typeof value !== 'string';
  return typeof value === 'string'
    ? /^[[{]/.test(value)
    : typeof value !== 'number' || value === 0 || value === 1;
}

function isOneOf(field: string, values: readonly Scalar[], columns: Columns): Sql {
  // Known before the first document is looked at.
  if (values.length === 0) return sql('FALSE');
  const [only] = values;
  if (values.length === 1 && only !== undefined) return is(field, only, columns);
  const plain = values.filter((value) => !isAmbiguous(field, value));
  const list = sql(`${valueOf(field, columns)} IN (SELECT value FROM json_each(?))`, JSON.stringify(plain));
  const others = values
    .filter((value) => isAmbiguous(field, value))
    .map((value) => is(field, value, columns));
  const { text, parameters } = join([list, ...others], ' OR ');
  return sql(`(${text})`, ...parameters);
}

function is(field: string, value: Scalar, columns: Columns): Sql {
  const found = valueOf(field, columns);
  if (value === null) return sql(`${found} IS NULL`);
  const type = isAmbiguous(field, value) ? ` AND ${typeIs(field, value, columns)}` : '';
  return sql(`${found} = ?${type}`, parameterOf(value));
}

/** Holds for missing fields too. */
function isNot(field: string, value: Scalar, columns: Columns): Sql {
  const { text, parameters } = is(field, value, columns);
  return sql(`(${text}) IS NOT TRUE`, ...parameters);
}

/** Whether one of the elements of an array is one of the values: those of a type at once, as there may be very many. */
function hasElement(field: string, values: readonly Scalar[]): Sql {
  const elements = `SELECT 1 FROM json_each(doc,${jsonPath(field)}) AS element`;
  const isArray = `json_type(doc,${jsonPath(field)}) = 'array'`;
  const byTypes = [...Map.groupBy(values, jsonTypes)].map(([types, some]) => {
    const [only = null] = some;
    const isType = `element.type IN ${types} AND element.value`;
    return some.length === 1
      ? sql(`${isType} IS ?`, parameterOf(only))
      : sql(`${isType} IN (SELECT value FROM json_each(?))`, JSON.stringify(some));
  });
  const { text, parameters } = byTypes.length === 0 ? sql('FALSE') : join(byTypes, ' OR ');
  return sql(`${isArray} AND EXISTS (${elements} WHERE ${text})`, ...parameters);
}
