import type { Filter, Group } from '#ports/document-store.ts';
import { covering, indexedBy } from './document-plan.ts';
import { valueOf, whereOf, type Sql, type Table } from './document-query.ts';

/**
 * Groups of documents as JSON lists. The inner question stands for itself (`LIMIT -1`): only then does SQLite take the
 * values of an index for those of the expressions, and no document apart.
 */
export const countByOf = (table: Table, fields: readonly string[], filter: Filter): Sql => {
  const { indexes, columns } = table;
  const sort = fields.map((field) => [field, 1] as const);
  const source = indexedBy(table, covering(indexes, filter, sort));
  const keys = fields.map((_, place) => `k${place}`);
  const values = fields.map((field, place) => `${valueOf(field, columns)} AS k${place}`).join(', ');
  const { text, parameters } = whereOf(filter, columns);
  const rows = `SELECT ${values} FROM ${source} ${text} LIMIT -1`;
  const group = `SELECT json_array(${[...keys, 'count(*)'].join(', ')}) AS doc`;
  return { text: `${group} FROM (${rows}) GROUP BY ${keys.join(', ')}`, parameters };
};

/** The group of such a list. */
export const groupOf = (text: string): Group => {
  const list = JSON.parse(text) as Group['values'];
  return { values: list.slice(0, -1), count: Number(list.at(-1)) };
};
