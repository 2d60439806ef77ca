import { DatabaseSync, type StatementSync } from 'node:sqlite';

import { LRUCache } from 'lru-cache';

import { checkFind, isServed, noIndexServes } from '#ports/document-rules.ts';
import type { Filter, FindOptions } from '#ports/document-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { countByOf } from './document-groups.ts';
import { countOf, planOf } from './document-plan.ts';
import { noColumns, tableOf, typeIs, valueOf, whereOf, type Sql, type Table } from './document-query.ts';
import { collectionsOf, tableIn } from './document-tables.ts';
import { unreadable } from './file-damage.ts';
import { isShortFind, SHORT_READ } from './short-reads.ts';

/** A question to the file, and whether it is over in a moment: what may take longer is for another thread. */
export interface Read {
  readonly sql: Sql;
  readonly isShort: boolean;
}

/** By the ids in a list. */
const chosen = 'id IN (SELECT value FROM json_each(?)) AND removed = 0';

/** The reading half of a document store in a file. Returns JSON texts; a collection that is not there is empty. */
export class DocumentReader {
  readonly #file: string;
  readonly #db: DatabaseSync;
  readonly #statements = new LRUCache<string, StatementSync>({ max: 256 });
  readonly #tables = new Map<string, Table>();
  readonly #shortRead: number;

  /** `isRepeating`: reads the same again and again, for which pages are kept in memory. */
  constructor(file: string, shortRead: number = SHORT_READ, isRepeating = true) {
    this.#file = file;
    this.#shortRead = shortRead;
    this.#db = new DatabaseSync(file, { readOnly: true, timeout: 1000 });
    // Without, SQLite keeps 2 MB, enough to find the way to one page among many.
    if (isRepeating) this.#db.exec('PRAGMA cache_size = -8000');
  }

  get(collection: string, id: string): string | null {
    const text = `SELECT doc FROM ${tableOf(collection)} WHERE id = ? AND removed = 0`;
    const [doc] = this.texts({ text, parameters: [id] });
    return doc ?? null;
  }

  getMany(collection: string, ids: readonly string[]): readonly string[] {
    const text = `SELECT doc FROM ${tableOf(collection)} WHERE ${chosen}`;
    return this.texts({ text, parameters: [JSON.stringify(ids)] });
  }

  /** The texts at a field as one object, by id. */
  textsAt(collection: string, field: string, ids: readonly string[]): string {
    const texts = `json_group_object(id, ${valueOf(field, noColumns)})`;
    const isText = typeIs(field, '', noColumns);
    const text = `SELECT ${texts} AS doc FROM ${tableOf(collection)} WHERE ${chosen} AND ${isText}`;
    const [found = '{}'] = this.texts({ text, parameters: [JSON.stringify(ids)] });
    return found;
  }

  /** The find as SQL, and whether it is over in a moment. Throws `NoIndexServes`. */
  find(collection: string, options: FindOptions): Read {
    const asked = checkFind(options);
    const { filter, sort, skip, limit } = asked;
    const table = this.#tableFor(collection, filter, sort);
    const { sql, isMerged } = planOf(table, asked);
    const isShort = isMerged
      ? skip + limit <= this.#shortRead
      : isShortFind(table.indexes, asked, this.#shortRead);
    return { sql, isShort: isShort || this.#isSmall(collection) };
  }

  /** As SQL that selects one text. */
  count(collection: string, filter: Filter): Read {
    const sql = countOf(this.#tableFor(collection, filter), filter);
    return { sql, isShort: this.#isSmall(collection) };
  }

  /** As SQL that selects one text. */
  sum(collection: string, field: string, filter: Filter): Read {
    const { columns } = this.#tableFor(collection, filter);
    const { text, parameters } = whereOf(filter, columns);
    const numbers = `sum(${valueOf(field, columns)}) FILTER (WHERE ${typeIs(field, 0, columns)})`;
    const select = `SELECT coalesce(${numbers}, 0) AS doc FROM ${tableOf(collection)} ${text}`;
    return { sql: { text: select, parameters }, isShort: this.#isSmall(collection) };
  }

  /** As SQL that selects a list as text for each group: its values, then how many have them. */
  countBy(collection: string, fields: readonly string[], filter: Filter): Read {
    const sql = countByOf(this.#tableFor(collection, filter), fields, filter);
    return { sql, isShort: this.#isSmall(collection) };
  }

  /** Answers in the caller's thread, however long it takes. */
  texts({ text, parameters, among }: Sql): readonly string[] {
    if (among) {
      const [rows = '[]'] = this.texts(among.rows);
      const isMore = (JSON.parse(rows) as readonly number[]).length > among.most;
      return this.texts(isMore ? among.ifMore : { text, parameters: [rows, ...parameters] });
    }
    return this.#ask(() => {
      try {
        const statement = this.#statements.get(text) ?? this.#db.prepare(text);
        this.#statements.set(text, statement);
        return statement.all(...parameters).map(({ doc }) => String(doc));
      } catch (error) {
        if (error instanceof Error && error.message.startsWith('no such table')) return [];
        throw error;
      }
    });
  }

  /** The filter as SQL. Throws `NoIndexServes`. */
  where(collection: string, filter: Filter): Sql {
    return whereOf(filter, this.#tableFor(collection, filter).columns);
  }

  /** The number of the newest document: about how many there are, or more. */
  newest(collection: string): number {
    const text = `SELECT coalesce(max(rowid), 0) AS doc FROM ${tableOf(collection)}`;
    const [newest = 0] = this.texts({ text, parameters: [] });
    return Number(newest);
  }

  forget(collection: string): void {
    this.#tables.delete(collection);
  }

  collections(): readonly string[] {
    return this.#ask(() => collectionsOf(this.#db));
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }

  /** What is known of the table, which is not looked at while that serves. Throws `NoIndexServes`. */
  #tableFor(collection: string, filter: Filter, sort?: FindOptions['sort']): Table {
    const known = this.#tables.get(collection) ?? { collection, indexes: [], columns: noColumns };
    if (isServed(known.indexes, filter, sort)) return known;
    const table = this.#ask(() => tableIn(this.#db, collection));
    this.#tables.set(collection, table);
    if (!isServed(table.indexes, filter, sort)) throw noIndexServes(collection, filter, sort);
    return table;
  }

  /** The number of the newest row is at least that of all rows, and known at once. */
  #isSmall(collection: string): boolean {
    return this.newest(collection) <= this.#shortRead;
  }

  #ask<Answer>(question: () => Answer): Answer {
    try {
      return question();
    } catch (cause) {
      throw new EngineUnavailable(unreadable('document store', this.#file, cause), { cause });
    }
  }
}
