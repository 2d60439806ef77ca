import type { IndexSpec } from '#kernel/projection.ts';
import { operatorsOf } from '#ports/document-rules.ts';
import type { Filter, FindOptions, Scalar } from '#ports/document-store.ts';
import { orderOf, tableOf, valueOf, whereOf, type Sql } from './document-query.ts';
import { indexName } from './document-tables.ts';
import { isInOrder } from './short-reads.ts';

/*
 * How a find goes about it. SQLite knows nothing of how many documents a condition leaves, and its own choice of an
 * index may read and sort all of them: so it is told which index to use where one is certain to be right.
 */

type Asked = Required<FindOptions>;

/** The values of a condition that are read side by side; above that, SQLite plans on its own. */
const MAX_ARMS = 40;

interface Plan {
  readonly sql: Sql;
  /** Several pieces of an index, each in order, are merged: no more is looked at than skipped and answered. */
  readonly isMerged: boolean;
}

const indexedBy = (collection: string, index: IndexSpec | undefined): string =>
  index ? `${tableOf(collection)} INDEXED BY "${indexName(collection, index)}"` : tableOf(collection);

const columnsOf = ({ fields, including = [] }: IndexSpec): ReadonlySet<string> =>
  new Set(['_id', ...fields, ...including]);

/** An index that holds everything that is asked about, so that no document is taken apart to see whether it fits. */
const covering = (
  indexes: readonly IndexSpec[],
  filter: Filter,
  sort: Asked['sort'] = [],
): IndexSpec | undefined => {
  const isLookUp = (field: string | undefined): boolean => {
    const condition = field === undefined ? undefined : filter[field];
    return condition !== undefined && operatorsOf(field ?? '', condition).in !== undefined;
  };
  const asked = [...Object.keys(filter), ...sort.map(([field]) => field)];
  const isArrayAsked = Object.entries(filter).some(
    ([field, condition]) => operatorsOf(field, condition).has !== undefined,
  );
  if (isArrayAsked) return undefined;
  return indexes
    .filter((index) => index.including && isLookUp(index.fields[0]))
    .find((index) => asked.every((field) => columnsOf(index).has(field)));
};

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
  indexes.find(({ fields, unique }) => !unique && isInOrder([...fields, '_id'], filter, sort));

/** The rows of a find without their documents, with what they are sorted by. */
const rowsOf = (source: string, filter: Filter, sort: Asked['sort']): Sql => {
  const { text, parameters } = whereOf(filter);
  const keys = sort.map(([field], place) => `, ${valueOf(field)} AS k${place}`).join('');
  return { text: `SELECT rowid AS r, id AS i${keys} FROM ${source} ${text}`, parameters };
};

const orderOfRows = (sort: Asked['sort']): string => {
  const terms = sort.map(([, direction], place) => `k${place} ${direction === 1 ? 'ASC' : 'DESC'}`);
  return `ORDER BY ${[...terms, 'i ASC'].join(', ')}`;
};

/** First which rows, then their documents: those that are skipped or sorted away are not read. */
const documentsOf = (collection: string, rows: readonly Sql[], { sort, skip, limit }: Asked): Sql => {
  const found = rows.map(({ text }) => text).join(' UNION ALL ');
  const order = orderOfRows(sort);
  const chosen = `${found} ${order} LIMIT ? OFFSET ?`;
  return {
    text: `SELECT doc FROM (${chosen}) CROSS JOIN ${tableOf(collection)} AS o ON o.rowid = r ${order}`,
    parameters: [...rows.flatMap(({ parameters }) => parameters), limit, skip],
  };
};

export const planOf = (collection: string, indexes: readonly IndexSpec[], asked: Asked): Plan => {
  const { filter, sort, skip, limit } = asked;
  const inOrder = exact(indexes, filter, sort);
  if (sort.length > 0 && !inOrder) {
    const arms = armsOf(filter);
    const merged = arms?.[0] && exact(indexes, arms[0], sort);
    if (arms && merged) {
      const rows = arms.map((arm) => rowsOf(indexedBy(collection, merged), arm, sort));
      return { sql: documentsOf(collection, rows, asked), isMerged: true };
    }
    const index = covering(indexes, filter, sort);
    if (index) {
      const rows = [rowsOf(indexedBy(collection, index), filter, sort)];
      return { sql: documentsOf(collection, rows, asked), isMerged: false };
    }
  }
  const { text, parameters } = whereOf(filter);
  const source = indexedBy(collection, sort.length > 0 ? inOrder : undefined);
  const select = `SELECT doc FROM ${source} ${text} ${orderOf(sort)} LIMIT ? OFFSET ?`;
  return { sql: { text: select, parameters: [...parameters, limit, skip] }, isMerged: false };
};

/** Where documents are counted: a whole index is read sooner than the documents. */
export const countedIn = (collection: string, indexes: readonly IndexSpec[], filter: Filter): string => {
  const { _id: _, ...others } = filter;
  const isCounted = exact(indexes, others, []) !== undefined;
  return indexedBy(collection, isCounted ? undefined : covering(indexes, filter));
};
