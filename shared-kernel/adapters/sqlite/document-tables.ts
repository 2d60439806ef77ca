import type { DatabaseSync, StatementSync } from 'node:sqlite';

import type { IndexSpec } from '#kernel/projection.ts';
import { checkCollection, pathOf } from '#ports/document-rules.ts';
import {
  columnOf,
  extracted,
  jsonPath,
  tableOf,
  valueOf,
  type Columns,
  type Table,
} from './document-query.ts';
import { limitAsGiven } from './limit-as-given.ts';

// Collections as tables. SQLite's own schema is the only register: the name of an index says what it indexes.

const kindOf = ({ unique, contains }: IndexSpec): string => {
  if (contains) return 'parts';
  return unique ? 'unique' : 'plain';
};

export const indexName = (collection: string, index: IndexSpec): string => {
  const { fields, including = [] } = index;
  return [collection, kindOf(index), ...fields, ...including.map((field) => `+${field}`)].join(':');
};

const fieldsOf = ({ fields, including = [] }: IndexSpec): readonly string[] => [...fields, ...including];

/**
 * The table of a collection, unless it is there. The fields of these indexes are columns that SQLite works out once a
 * write, however many of the indexes hold them. A table that is there gets none: what it was made without, its indexes
 * and its queries take from the document.
 */
export function createTable(
  db: DatabaseSync,
  collection: string,
  indexes: readonly IndexSpec[] = [],
  name: string = checkCollection(collection),
): void {
  const all = indexes.flatMap(fieldsOf).filter((field) => field !== '_id');
  all.forEach(pathOf);
  // SQLite does not tell capitals apart in the names of columns.
  const fields = new Map(all.map((field) => [field.toLowerCase(), field]));
  const columns = [
    // A number that a rewriting of the file (VACUUM) must keep: the indexes of parts of texts know rows by it. In
    // tables of older releases it is the one that SQLite gives.
    'number INTEGER PRIMARY KEY',
    'id TEXT NOT NULL UNIQUE',
    'position INTEGER',
    'removed INTEGER NOT NULL',
    // Before the document, which may go on over several pages.
    ...[...fields.values()].map((field) => `${columnOf(field)} ANY AS (${extracted(field)}) STORED`),
    'doc TEXT',
  ];
  db.exec(`CREATE TABLE IF NOT EXISTS "${name}" (${columns.join(', ')}) STRICT`);
}

/** With its indexes. */
export function createCollection(
  db: DatabaseSync,
  collection: string,
  indexes: readonly IndexSpec[] = [],
  table: string = checkCollection(collection),
): void {
  createTable(db, collection, indexes, table);
  if (indexes.length === 0) return;
  const columns = columnsOf(db, table);
  for (const index of indexes) {
    const { fields, including = [] } = index;
    fieldsOf(index).forEach(pathOf);
    if (index.contains) {
      createPartsIndex(db, collection, index, table, columns);
      continue;
    }
    const kind = index.unique ? 'UNIQUE INDEX' : 'INDEX';
    const values = (some: readonly string[]) => some.map((field) => valueOf(field, columns));
    // The trailing id yields ties in the order that every find asks for.
    const more = index.unique ? [] : ['id', ...values(including)];
    const keys = [...values(fields), ...more].join(', ');
    const name = `"${indexName(collection, index)}"`;
    db.exec(`CREATE ${kind} IF NOT EXISTS ${name} ON "${table}" (${keys}) WHERE removed = 0`);
  }
}

const columnsOf = (db: DatabaseSync, table: string): Columns => {
  const named = `SELECT substr(name, 2) AS field FROM pragma_table_xinfo(?) WHERE name LIKE '.%'`;
  const rows = db.prepare(named).all(table);
  return new Set(rows.map(({ field }) => String(field)));
};

export const tableIn = (db: DatabaseSync, collection: string): Table => ({
  collection,
  indexes: indexesOf(db, collection),
  columns: columnsOf(db, collection),
});

/** Where triggers note the numbers of rows whose text has changed, until the transaction ends. */
const changedIn = (name: string): string => `"${name}:changed"`;

/**
 * The texts of a field in threes of letters, by the number of their row: a table of FTS5. It is brought up to date
 * right before a transaction that has changed rows is committed: FTS5 writes everything out for each statement of a
 * trigger, which takes longer than all else. One of an older release, whose triggers did so, is given the new ones.
 */
function createPartsIndex(
  db: DatabaseSync,
  collection: string,
  index: IndexSpec,
  table: string,
  columns: Columns,
): void {
  const name = indexName(collection, index);
  const [field = ''] = index.fields;
  if (tablesOf(db).includes(`${name}:changed`)) return;
  if (!partsTablesOf(db, collection).includes(name))
    db.exec(`
      CREATE VIRTUAL TABLE "${name}"
        USING fts5(text, tokenize = 'trigram case_sensitive 1', content = '', contentless_delete = 1);
      INSERT INTO "${name}" (rowid, text) ${textsOf(`"${table}"`, field, '')};
    `);
  const isOther = `old.removed <> new.removed OR ${isOtherText(field, columns)}`;
  const on = (event: string, when: string, row: string): string => `
    DROP TRIGGER IF EXISTS "${name}:${event}";
    CREATE TRIGGER "${name}:${event}" AFTER ${event} ON "${table}" ${when}
      BEGIN INSERT OR IGNORE INTO ${changedIn(name)} (number) VALUES (${row}.rowid); END;`;
  db.exec(`
    CREATE TABLE ${changedIn(name)} (number INTEGER PRIMARY KEY) STRICT;
    ${on('INSERT', '', 'new')}
    ${on('UPDATE', `WHEN ${isOther}`, 'new')}
    ${on('DELETE', '', 'old')}
  `);
}

/** Whether an update has changed a text, or made something else a text. */
const isOtherText = (field: string, columns: Columns): string => {
  const [before, now] = ['old', 'new'].map((row) => `${row}.doc -> ${jsonPath(field)}`);
  // As JSON, which tells types apart.
  const isOther = `${before} IS NOT ${now}`;
  if (!columns.has(field)) return isOther;
  const column = columnOf(field);
  // A text may look like a number, a list or an object, but then documents are rarely taken apart for it.
  const isAmbiguous = `typeof(new.${column}) = 'text' AND substr(new.${column}, 1, 1) IN ('[', '{')`;
  return `old.${column} IS NOT new.${column} OR (${isAmbiguous} AND ${isOther})`;
};

/** It tells the number of the row that was inserted last: those of FTS5 are too large for a number of JavaScript. */
const prepared = (db: DatabaseSync, text: string): StatementSync => {
  const statement = db.prepare(text);
  statement.setReadBigInts(true);
  return statement;
};

/** Brings the parts of a collection's texts up to date with its rows. */
const partsStatements = (db: DatabaseSync, collection: string): readonly StatementSync[] =>
  indexesOf(db, collection).flatMap((index) => {
    const name = indexName(collection, index);
    const [field = ''] = index.fields;
    if (!index.contains || !tablesOf(db).includes(`${name}:changed`)) return [];
    const changed = `IN (SELECT number FROM ${changedIn(name)})`;
    return [
      `DELETE FROM "${name}" WHERE rowid ${changed}`,
      `INSERT INTO "${name}" (rowid, text) ${textsOf(tableOf(collection), field, `AND one.rowid ${changed}`)}`,
      `DELETE FROM ${changedIn(name)}`,
    ].map((text) => prepared(db, text));
  });

/**
 * The texts of a field in rows that are there, by the number of the row. FTS5 reads no further than a zero byte: 1
 * stands for it. With a limit, SQLite takes each document apart once instead of wherever its text is named.
 */
const textsOf = (table: string, field: string, which: string): string => {
  const path = `one.doc, ${jsonPath(field)}`;
  const found = `
    SELECT one.rowid AS number, json_extract(${path}) AS text, json_type(${path}) AS type
    FROM ${table} AS one WHERE one.removed = 0 ${which} LIMIT -1`;
  const quoted = String.raw`replace(json_quote(text), '\u0000', '\u0001')`;
  const readable = `CASE WHEN instr(text, char(0)) > 0 THEN json_extract(${quoted}, '$') ELSE text END`;
  return `SELECT number, ${readable} FROM (${found}) WHERE type = 'text'`;
};

const partsTablesOf = (db: DatabaseSync, collection: string): readonly string[] =>
  tablesOf(db, `sql LIKE 'CREATE VIRTUAL TABLE%'`).filter((name) => name.startsWith(`${collection}:parts:`));

const tablesOf = (db: DatabaseSync, where = 'TRUE'): readonly string[] =>
  db
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND ${where}`)
    .all()
    .map(({ name }) => String(name));

export function indexesOf(db: DatabaseSync, collection: string): readonly IndexSpec[] {
  const rows = db
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL`)
    .all(collection);
  const names = [...rows.map(({ name }) => String(name)), ...partsTablesOf(db, collection)];
  return names.map((name) => {
    const [, kind, ...all] = name.split(':');
    const fields = all.filter((field) => !field.startsWith('+'));
    const including = all.slice(fields.length).map((field) => field.slice(1));
    return {
      ...{ fields, unique: kind === 'unique' },
      ...(including.length > 0 && { including }),
      ...(kind === 'parts' && { contains: true as const }),
    };
  });
}

/** No collection has a colon in its name. */
export const collectionsOf = (db: DatabaseSync): readonly string[] =>
  tablesOf(db).filter((name) => !name.includes(':'));

/** With the parts of its texts. */
export function dropCollection(db: DatabaseSync, collection: string): void {
  db.exec(`DROP TABLE IF EXISTS ${tableOf(collection)}`);
  for (const name of partsTablesOf(db, collection)) dropParts(db, name);
}

const dropParts = (db: DatabaseSync, name: string): void =>
  db.exec(`DROP TABLE IF EXISTS ${changedIn(name)}; DROP TABLE "${name}"`);

/**
 * One of a collection's indexes or, once it has none, so many of its documents; false where nothing is left. To drop a
 * large collection at once overwrites all of it in one transaction.
 */
export function dropPiece(db: DatabaseSync, collection: string, documents: number): boolean {
  const named = `type IN ('trigger', 'index') AND tbl_name = ? AND sql IS NOT NULL`;
  const inOrder = `SELECT type, name FROM sqlite_schema WHERE ${named} ORDER BY type DESC LIMIT 1`;
  // Triggers first: what they note is dropped with the parts.
  const found = db.prepare(inOrder).get(collection);
  if (found) db.exec(`DROP ${String(found['type'])} "${String(found['name'])}"`);
  if (found) return true;
  const [parts] = partsTablesOf(db, collection);
  if (parts !== undefined) dropParts(db, parts);
  if (parts !== undefined) return true;
  if (!collectionsOf(db).includes(collection)) return false;
  const table = tableOf(collection);
  const some = `SELECT rowid FROM ${table} ORDER BY rowid ${limitAsGiven}`;
  return db.prepare(`DELETE FROM ${table} WHERE rowid IN (${some})`).run(documents).changes > 0;
}

interface TableStatements {
  readonly put: StatementSync;
  readonly remove: StatementSync;
  readonly insert: StatementSync;
  readonly update: StatementSync;
}

/** The tables known to exist with their prepared statements; forgotten whenever something is undone. */
export class DocumentTables {
  readonly #db: DatabaseSync;
  readonly #known = new Map<string, TableStatements>();
  readonly #queries = new Map<string, StatementSync>();
  readonly #parts = new Map<string, readonly StatementSync[]>();
  /** Collections that the transaction may have changed. */
  readonly #touched = new Set<string>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** The transaction changes rows of it. */
  touch(collection: string): void {
    this.#touched.add(collection);
  }

  of(collection: string): TableStatements {
    this.touch(collection);
    const known = this.#known.get(collection);
    if (known) return known;
    createCollection(this.#db, collection);
    const table = tableOf(collection);
    const replace =
      'ON CONFLICT (id) DO UPDATE SET position = excluded.position, removed = excluded.removed, doc = excluded.doc';
    const statements = {
      // Without a position on either side the comparison is NULL, and the write goes ahead.
      put: prepared(
        this.#db,
        `INSERT INTO ${table} (id, position, removed, doc) VALUES (?, ?, ?, ?)
         ${replace} WHERE (excluded.position > position) IS NOT FALSE`,
      ),
      insert: prepared(
        this.#db,
        `INSERT INTO ${table} (id, removed, doc) VALUES (?, 0, ?) ${replace} WHERE removed = 1`,
      ),
      remove: prepared(this.#db, `DELETE FROM ${table} WHERE id = ?`),
      update: prepared(this.#db, `UPDATE ${table} SET doc = ? WHERE id = ?`),
    };
    this.#known.set(collection, statements);
    return statements;
  }

  prepare(text: string): StatementSync {
    const query = this.#queries.get(text) ?? this.#db.prepare(text);
    if (this.#queries.size >= 200) this.#queries.clear();
    this.#queries.set(text, query);
    return query;
  }

  /** Before the transaction is committed. */
  keepParts(): void {
    for (const collection of this.#touched) {
      const statements = this.#parts.get(collection) ?? partsStatements(this.#db, collection);
      this.#parts.set(collection, statements);
      for (const statement of statements) statement.run();
    }
    this.#touched.clear();
  }

  forget(): void {
    this.#known.clear();
    this.#queries.clear();
    this.#parts.clear();
  }
}
