import type { IndexSpec } from '#kernel/projection.ts';
import { operatorsOf } from '#ports/document-rules.ts';
import type { Condition, Filter, FindOptions, Scalar } from '#ports/document-store.ts';
import { orderOf, tableOf, valueOf, whereOf, type Columns, type Sql, type Table } from './document-query.ts';
import { indexName } from './document-tables.ts';
import { limitAsGiven } from './limit-as-given.ts';
import { isInOrder } from './short-reads.ts';

/*
 * How a find goes about it. SQLite knows nothing of how many documents a condition leaves, and its own choice of an
 * index may read and sort all of them: so it is told which index to use where one is certain to be right.
 */

type Asked = Required<FindOptions>;

/** The values of a condition that are read side by side; above that, SQLite plans on its own. */
const MAX_ARMS = 40;

/** A text is looked up among the parts of texts if that leaves no more documents. */
const MAX_LOOKED_UP = 1000;

/** The most documents that are read to be left out of a count. */
const MAX_COUNTED_APART = 200_000;

/** FTS5 compares places for each letter: of longer texts an index is read sooner, where many have them. */
const LONGEST_COUNTED_APART = 8;

/** FTS5 looks for as many letters at least. */
const SHORTEST_PART = 3;

interface Plan {
  readonly sql: Sql;
  /** Several pieces of an index, each in order, are merged: no more is looked at than skipped and answered. */
  readonly isMerged: boolean;
}

export const indexedBy = ({ collection }: Table, index: IndexSpec | undefined): string =>
  index ? `${tableOf(collection)} INDEXED BY "${indexName(collection, index)}"` : tableOf(collection);

const heldBy = ({ fields, including = [] }: IndexSpec): ReadonlySet<string> =>
  new Set(['_id', ...fields, ...including]);

/** An index that holds everything that is asked about, so that no document is taken apart to see whether it fits. */
export const covering = (
  indexes: readonly IndexSpec[],
  filter: Filter,
  sort: Asked['sort'] = [],
): IndexSpec | undefined => {
  const asked = [...Object.keys(filter), ...sort.map(([field]) => field)];
  const isArrayAsked = Object.entries(filter).some(
    ([field, condition]) => operatorsOf(field, condition).has !== undefined,
  );
  if (isArrayAsked) return undefined;
  // The one of which the least is read, and of these the one with the fewest columns.
  const [best] = indexes
    .filter((index) => index.including && lookedUpIn(index, filter) > 0)
    .filter((index) => asked.every((field) => heldBy(index).has(field)))
    .sort(
      (one, other) =>
        lookedUpIn(other, filter) - lookedUpIn(one, filter) || heldBy(one).size - heldBy(other).size,
    );
  return best;
};

/** How many fields an index begins with whose values are known. */
const lookedUpIn = ({ fields }: IndexSpec, filter: Filter): number => {
  const unknown = fields.findIndex((field) => {
    const condition = filter[field];
    return condition === undefined || operatorsOf(field, condition).in === undefined;
  });
  return unknown < 0 ? fields.length : unknown;
};

/** What is in order is read until the page is full, unless much less is read of what is not. */
const sooner = (
  inOrder: IndexSpec | undefined,
  other: IndexSpec | undefined,
  filter: Filter,
): IndexSpec | undefined =>
  inOrder && other && lookedUpIn(other, filter) > lookedUpIn(inOrder, filter) ? other : (inOrder ?? other);

/** The filters that ask for one value each where this one asks for several; null where no condition is such. */
const armsOf = (filter: Filter): readonly Filter[] | null => {
  const several = Object.entries(filter).flatMap(([field, condition]) => {
    const { in: values, ...others } = operatorsOf(field, condition);
    const isPlain = values && values.length > 1 && Object.keys(others).length === 0;
    return isPlain ? [{ field, values: [...new Set<Scalar>(values)] }] : [];
  });
  const arms = several.reduce<readonly Filter[]>(
    (filters, { field, values }) =>
      filters.length * values.length > MAX_ARMS
        ? []
        : filters.flatMap((one) => values.map((value) => ({ ...one, [field]: value }))),
    [filter],
  );
  return several.length > 0 && arms.length > 0 ? arms : null;
};

const exact = (indexes: readonly IndexSpec[], filter: Filter, sort: Asked['sort']): IndexSpec | undefined =>
  indexes.find(
    ({ fields, unique, contains }) => !unique && !contains && isInOrder([...fields, '_id'], filter, sort),
  );

/** An index in the order of the sort that holds whatever else is asked about: it is read until the page is full. */
const walked = (
  indexes: readonly IndexSpec[],
  filter: Filter,
  sort: Asked['sort'],
): IndexSpec | undefined => {
  const isArray = (field: string, condition: Condition): boolean =>
    operatorsOf(field, condition).has !== undefined;
  return indexes.find((index) => {
    const { including = [] } = index;
    const conditions = Object.entries(filter);
    const besides = conditions.filter(([field]) => including.includes(field));
    if (besides.length === 0 || besides.some(([field, condition]) => isArray(field, condition))) return false;
    const others = Object.fromEntries(conditions.filter(([field]) => !including.includes(field)));
    return exact([index], others, sort) !== undefined;
  });
};

/** The parts of texts among which a filter looks for one. */
const partsOf = ({ collection, indexes }: Table, filter: Filter): Sql | undefined => {
  for (const index of indexes) {
    const [field = ''] = index.fields;
    const condition = filter[field];
    if (!index.contains || condition === undefined) continue;
    const { contains: part = '' } = operatorsOf(field, condition);
    // What is kept as JSON may have these otherwise.
    if ([...part].length < SHORTEST_PART || /["\\\p{Cc}]/u.test(part)) continue;
    const name = `"${indexName(collection, index)}"`;
    return { text: `SELECT rowid FROM ${name} WHERE ${name} MATCH ?`, parameters: [`"${part}"`] };
  }
  return undefined;
};

/** The question about the documents that the parts of texts lead to, unless these are many. */
const lookedUp = (parts: Sql, few: Sql, ifMore: Sql): Sql => {
  const rows = `SELECT json_group_array(rowid) AS doc FROM (${parts.text} LIMIT ${MAX_LOOKED_UP + 1})`;
  return {
    ...few,
    among: { rows: { text: rows, parameters: parts.parameters }, most: MAX_LOOKED_UP, ifMore },
  };
};

/** The condition of a filter, for rows whose numbers are the first parameter. */
const whereAmong = (filter: Filter, columns: Columns): Sql => {
  const { text, parameters } = whereOf(filter, columns);
  return { text: text.replace('WHERE', 'WHERE rowid IN (SELECT value FROM json_each(?)) AND'), parameters };
};

/** The rows of a find without their documents, with what they are sorted by. */
const rowsOf = (source: string, sort: Asked['sort'], columns: Columns, { text, parameters }: Sql): Sql => {
  const keys = sort.map(([field], place) => `, ${valueOf(field, columns)} AS k${place}`).join('');
  return { text: `SELECT rowid AS r, id AS i${keys} FROM ${source} ${text}`, parameters };
};

const orderOfRows = (sort: Asked['sort']): string => {
  const terms = sort.map(([, direction], place) => `k${place} ${direction === 1 ? 'ASC' : 'DESC'}`);
  const ties = sort.some(([field]) => field === '_id') ? [] : ['i ASC'];
  return `ORDER BY ${[...terms, ...ties].join(', ')}`;
};

/** First which rows, then their documents: those that are skipped or sorted away are not read. */
const documentsOf = (collection: string, rows: readonly Sql[], { sort, skip, limit }: Asked): Sql => {
  const found = rows.map(({ text }) => text).join(' UNION ALL ');
  const order = orderOfRows(sort);
  const chosen = `${found} ${order} ${limitAsGiven} OFFSET ?`;
  return {
    text: `SELECT doc FROM (${chosen}) CROSS JOIN ${tableOf(collection)} AS o ON o.rowid = r ${order}`,
    parameters: [...rows.flatMap(({ parameters }) => parameters), limit, skip],
  };
};

export const planOf = (table: Table, asked: Asked): Plan => {
  const { collection, columns } = table;
  const { filter, sort } = asked;
  const parts = partsOf(table, filter);
  const plan = planWithoutParts(table, asked);
  if (!parts) return plan;
  const source = `${tableOf(collection)} NOT INDEXED`;
  const rows = rowsOf(source, sort, columns, whereAmong(filter, columns));
  return { sql: lookedUp(parts, documentsOf(collection, [rows], asked), plan.sql), isMerged: false };
};

const planWithoutParts = (table: Table, asked: Asked): Plan => {
  const { collection, indexes, columns } = table;
  const { filter, sort, skip, limit } = asked;
  const inOrder = exact(indexes, filter, sort);
  if (sort.length > 0 && !inOrder) {
    const arms = armsOf(filter);
    const [arm = filter] = arms ?? [];
    const merged = exact(indexes, arm, sort);
    const inPieces = merged ?? walked(indexes, arm, sort);
    if (arms && inPieces) {
      const rows = arms.map((one) =>
        rowsOf(indexedBy(table, inPieces), sort, columns, whereOf(one, columns)),
      );
      return { sql: documentsOf(collection, rows, asked), isMerged: merged !== undefined };
    }
    const index = sooner(walked(indexes, filter, sort), covering(indexes, filter, sort), filter);
    if (index) {
      const rows = [rowsOf(indexedBy(table, index), sort, columns, whereOf(filter, columns))];
      return { sql: documentsOf(collection, rows, asked), isMerged: false };
    }
  }
  const { text, parameters } = whereOf(filter, columns);
  const source = indexedBy(table, sort.length > 0 ? inOrder : undefined);
  const select = `SELECT doc FROM ${source} ${text} ${orderOf(sort, columns)} ${limitAsGiven} OFFSET ?`;
  return { sql: { text: select, parameters: [...parameters, limit, skip] }, isMerged: false };
};

const countIn = (source: string, { text, parameters }: Sql): Sql => ({
  text: `SELECT count(*) AS doc FROM ${source} ${text}`,
  parameters,
});

/**
 * All texts with a short part, less those that have it in documents that are not asked for, as long as these are the
 * fewer, and few: FTS5 counts sooner than an index is read. For a filter of known texts at the beginning of an index
 * that holds the text.
 */
const countedApart = (table: Table, { _id: id, ...filter }: Filter, parts: Sql): Sql | undefined => {
  const { indexes, columns } = table;
  const index = covering(indexes, filter);
  const [first = ''] = index?.fields ?? [];
  const { [first]: known, ...text } = filter;
  const operators = Object.entries(text).flatMap(([field, condition]) =>
    Object.keys(operatorsOf(field, condition)),
  );
  const isOfEvery = id === undefined || JSON.stringify(id) === '{"gte":""}';
  if (!index || known === undefined || !isOfEvery || operators.join() !== 'contains') return undefined;
  const others = rangesBeside(first, known, columns);
  const [quoted = ''] = parts.parameters;
  const isLong = [...String(quoted)].length > LONGEST_COUNTED_APART + '""'.length;
  if (others === null || isLong) return undefined;
  const source = indexedBy(table, index);
  const withPart = whereOf(text, columns);
  const union = (select: string, where: string): string =>
    others
      .map(({ text: range }) => `SELECT ${select} FROM ${source} ${where} AND ${range}`)
      .join(' UNION ALL ');
  const rows = union('1', 'WHERE removed = 0');
  const beside = `(SELECT count(*) FROM (${rows} LIMIT ${MAX_COUNTED_APART + 1}))`;
  const among = whereOf({ [first]: known }, columns);
  const isMore = `EXISTS (SELECT 1 FROM ${source} ${among.text} LIMIT 1 OFFSET ${beside})`;
  const isFew = `${beside} <= ${MAX_COUNTED_APART} AND ${isMore}`;
  const apart = `(SELECT count(*) FROM (${parts.text})) - (SELECT count(*) FROM (${union('1', withPart.text)}))`;
  const direct = countIn(source, whereOf(filter, columns));
  const bounds = others.flatMap(({ parameters }) => parameters);
  return {
    text: `SELECT CASE WHEN ${isFew} THEN ${apart} ELSE (${direct.text}) END AS doc`,
    parameters: [
      ...[...bounds, ...among.parameters, ...bounds],
      ...parts.parameters,
      ...others.flatMap(({ parameters }) => [...withPart.parameters, ...parameters]),
      ...direct.parameters,
    ],
  };
};

/** Where a field is none of some texts, as ranges of its index; null unless they sort everywhere alike. */
const rangesBeside = (field: string, condition: Condition, columns: Columns): readonly Sql[] | null => {
  const { in: values = [], ...more } = operatorsOf(field, condition);
  const texts = [...new Set(values)].sort();
  const isPlain = texts.every((value) => typeof value === 'string' && /^\w[\x20-\x7e]*$/.test(value));
  if (texts.length === 0 || !isPlain || Object.keys(more).length > 0) return null;
  const value = valueOf(field, columns);
  const between = texts.map((text, place) => {
    const next = texts[place + 1];
    return next === undefined
      ? { text: `${value} > ?`, parameters: [String(text)] }
      : { text: `${value} > ? AND ${value} < ?`, parameters: [String(text), String(next)] };
  });
  return [
    { text: `${value} IS NULL`, parameters: [] },
    { text: `${value} < ?`, parameters: [String(texts[0])] },
    ...between,
  ];
};

/** How documents are counted: a whole index is read sooner than the documents. Selects one number as `doc`. */
export const countOf = (table: Table, filter: Filter): Sql => {
  const { collection, indexes, columns } = table;
  const { _id: _, ...others } = filter;
  const isCounted = exact(indexes, others, []) !== undefined;
  const source = indexedBy(table, isCounted ? undefined : covering(indexes, filter));
  const many = countIn(source, whereOf(filter, columns));
  const parts = partsOf(table, filter);
  if (!parts) return many;
  const few = countIn(`${tableOf(collection)} NOT INDEXED`, whereAmong(filter, columns));
  return lookedUp(parts, few, countedApart(table, filter, parts) ?? many);
};
