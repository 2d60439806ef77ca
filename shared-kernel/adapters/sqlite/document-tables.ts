import type { DatabaseSync, StatementSync } from 'node:sqlite';

import type { IndexSpec } from '#kernel/projection.ts';
import { pathOf } from '#ports/document-rules.ts';
import { tableOf, valueOf } from './document-query.ts';

// Collections as tables. SQLite's own schema is the only register: the name of an index says what it indexes.

export const indexName = (collection: string, { fields, unique, including = [] }: IndexSpec): string =>
  [collection, unique ? 'unique' : 'plain', ...fields, ...including.map((field) => `+${field}`)].join(':');

export function createCollection(
  db: DatabaseSync,
  collection: string,
  indexes: readonly IndexSpec[] = [],
): void {
  const columns = 'id TEXT PRIMARY KEY, position INTEGER, removed INTEGER NOT NULL, doc TEXT';
  db.exec(`CREATE TABLE IF NOT EXISTS ${tableOf(collection)} (${columns}) STRICT`);
  for (const index of indexes) {
    const { fields, including = [] } = index;
    [...fields, ...including].forEach(pathOf);
    const kind = index.unique ? 'UNIQUE INDEX' : 'INDEX';
    // The trailing id yields ties in the order that every find asks for.
    const more = index.unique ? [] : ['id', ...including.map(valueOf)];
    const keys = [...fields.map(valueOf), ...more].join(', ');
    const name = `"${indexName(collection, index)}"`;
    db.exec(`CREATE ${kind} IF NOT EXISTS ${name} ON ${tableOf(collection)} (${keys}) WHERE removed = 0`);
  }
}

export function indexesOf(db: DatabaseSync, collection: string): readonly IndexSpec[] {
  const rows = db
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL`)
    .all(collection);
  return rows.map(({ name }) => {
    const [, kind, ...all] = String(name).split(':');
    const fields = all.filter((field) => !field.startsWith('+'));
    const including = all.slice(fields.length).map((field) => field.slice(1));
    return { fields, unique: kind === 'unique', ...(including.length > 0 && { including }) };
  });
}

export const collectionsOf = (db: DatabaseSync): readonly string[] =>
  db
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`)
    .all()
    .map(({ name }) => String(name));

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
