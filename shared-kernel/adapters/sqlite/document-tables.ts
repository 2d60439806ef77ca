import type { DatabaseSync, StatementSync } from 'node:sqlite';

import type { IndexSpec } from '#kernel/projection.ts';
import { pathOf } from '#ports/document-rules.ts';
import { jsonPath, tableOf, valueOf } from './document-query.ts';

// Collections as tables. SQLite's own schema is the only register: the name of an index says what it indexes.

const kindOf = ({ unique, contains }: IndexSpec): string => {
  if (contains) return 'parts';
  return unique ? 'unique' : 'plain';
};

export const indexName = (collection: string, index: IndexSpec): string => {
  const { fields, including = [] } = index;
  return [collection, kindOf(index), ...fields, ...including.map((field) => `+${field}`)].join(':');
};

export function createCollection(
  db: DatabaseSync,
  collection: string,
  indexes: readonly IndexSpec[] = [],
): void {
  // A number that a rewriting of the file (VACUUM) must keep: the indexes of parts of texts know rows by it. In tables
  // of older releases it is the one that SQLite gives.
  const key = 'number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE';
  const columns = `${key}, position INTEGER, removed INTEGER NOT NULL, doc TEXT`;
  db.exec(`CREATE TABLE IF NOT EXISTS ${tableOf(collection)} (${columns}) STRICT`);
  for (const index of indexes) {
    const { fields, including = [] } = index;
    [...fields, ...including].forEach(pathOf);
    if (index.contains) {
      createPartsIndex(db, collection, index);
      continue;
    }
    const kind = index.unique ? 'UNIQUE INDEX' : 'INDEX';
    // The trailing id yields ties in the order that every find asks for.
    const more = index.unique ? [] : ['id', ...including.map(valueOf)];
    const keys = [...fields.map(valueOf), ...more].join(', ');
    const name = `"${indexName(collection, index)}"`;
    db.exec(`CREATE ${kind} IF NOT EXISTS ${name} ON ${tableOf(collection)} (${keys}) WHERE removed = 0`);
  }
}

/**
 * The texts of a field in threes of letters, by the number of their row: a table of FTS5 that triggers keep, so that it
 * changes with the documents or not at all.
 */
function createPartsIndex(db: DatabaseSync, collection: string, index: IndexSpec): void {
  const name = indexName(collection, index);
  const [field = ''] = index.fields;
  if (partsTablesOf(db, collection).includes(name)) return;
  // As JSON, which tells types apart.
  const [before, now] = ['old', 'new'].map((row) => `${row}.doc -> ${jsonPath(field)}`);
  const forget = `DELETE FROM "${name}" WHERE rowid = old.rowid;`;
  const keep = `INSERT INTO "${name}" (rowid, text) ${textsOf(field, 'new', '')};`;
  const on = (event: string, when: string, statements: string): string =>
    `CREATE TRIGGER "${name}:${event}" AFTER ${event} ON ${tableOf(collection)} ${when} BEGIN ${statements} END;`;
  db.exec(`
    CREATE VIRTUAL TABLE "${name}"
      USING fts5(text, tokenize = 'trigram case_sensitive 1', content = '', contentless_delete = 1);
    ${on('INSERT', '', keep)}
    ${on('UPDATE', `WHEN old.removed <> new.removed OR ${before} IS NOT ${now}`, forget + keep)}
    ${on('DELETE', '', forget)}
    INSERT INTO "${name}" (rowid, text) ${textsOf(field, 'one', `FROM ${tableOf(collection)} AS one`)};
  `);
}

/**
 * The texts of a field in rows that are there, by the number of the row. FTS5 reads no further than a zero byte: 1
 * stands for it. With a limit, SQLite takes each document apart once instead of wherever its text is named.
 */
const textsOf = (field: string, row: string, from: string): string => {
  const path = `${row}.doc, ${jsonPath(field)}`;
  const found = `SELECT ${row}.rowid AS number, json_extract(${path}) AS text, json_type(${path}) AS type`;
  const quoted = String.raw`replace(json_quote(text), '\u0000', '\u0001')`;
  const readable = `CASE WHEN instr(text, char(0)) > 0 THEN json_extract(${quoted}, '$') ELSE text END`;
  return `SELECT number, ${readable} FROM (${found} ${from} WHERE ${row}.removed = 0 LIMIT -1) WHERE type = 'text'`;
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

export function dropCollection(db: DatabaseSync, collection: string): void {
  for (const name of [...partsTablesOf(db, collection), collection])
    db.exec(`DROP TABLE IF EXISTS "${name}"`);
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

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  of(collection: string): TableStatements {
    const known = this.#known.get(collection);
    if (known) return known;
    createCollection(this.#db, collection);
    const table = tableOf(collection);
    const replace =
      'ON CONFLICT (id) DO UPDATE SET position = excluded.position, removed = excluded.removed, doc = excluded.doc';
    const statements = {
      // Without a position on either side the comparison is NULL, and the write goes ahead.
      put: this.#db.prepare(
        `INSERT INTO ${table} (id, position, removed, doc) VALUES (?, ?, ?, ?)
         ${replace} WHERE (excluded.position > position) IS NOT FALSE`,
      ),
      insert: this.#db.prepare(
        `INSERT INTO ${table} (id, removed, doc) VALUES (?, 0, ?) ${replace} WHERE removed = 1`,
      ),
      remove: this.#db.prepare(`DELETE FROM ${table} WHERE id = ?`),
      update: this.#db.prepare(`UPDATE ${table} SET doc = ? WHERE id = ?`),
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

  forget(): void {
    this.#known.clear();
    this.#queries.clear();
  }
}
