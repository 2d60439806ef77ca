import { DatabaseSync, type StatementSync } from 'node:sqlite';

import { LRUCache } from 'lru-cache';

import type { IndexSpec } from '#kernel/projection.ts';
import { checkFind, isServed, noIndexServes } from '#ports/document-rules.ts';
import type { Filter, FindOptions } from '#ports/document-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { orderOf, tableOf, whereOf, type Sql } from './document-query.ts';
import { collectionsOf, indexesOf } from './document-tables.ts';

/** The reading half of a document store in a file. Answers JSON texts; a collection that is not there is empty. */
export class DocumentReader {
  readonly #db: DatabaseSync;
  readonly #statements = new LRUCache<string, StatementSync>({ max: 256 });
  readonly #indexes = new Map<string, readonly IndexSpec[]>();

  constructor(file: string) {
    this.#db = new DatabaseSync(file, { readOnly: true, timeout: 1000 });
    this.#db.exec('PRAGMA cache_size = -8000');
  }

  get(collection: string, id: string): string | null {
    const text = `SELECT doc FROM ${tableOf(collection)} WHERE id = ? AND removed = 0`;
    const [doc] = this.#texts({ text, parameters: [id] });
    return doc ?? null;
  }

  getMany(collection: string, ids: readonly string[]): readonly string[] {
    const chosen = 'id IN (SELECT value FROM json_each(?))';
    const text = `SELECT doc FROM ${tableOf(collection)} WHERE ${chosen} AND removed = 0`;
    return this.#texts({ text, parameters: [JSON.stringify(ids)] });
  }

  find(collection: string, options: FindOptions): readonly string[] {
    const { filter, sort, skip, limit } = checkFind(options);
    const { text, parameters } = this.where(collection, filter, sort);
    const select = `SELECT doc FROM ${tableOf(collection)} ${text} ${orderOf(sort)} LIMIT ? OFFSET ?`;
    return this.#texts({ text: select, parameters: [...parameters, limit, skip] });
  }

  count(collection: string, filter: Filter): number {
    const { text, parameters } = this.where(collection, filter);
    const [count] = this.#texts({
      text: `SELECT count(*) AS doc FROM ${tableOf(collection)} ${text}`,
      parameters,
    });
    return Number(count ?? 0);
  }

  /** The filter as SQL. Throws `NoIndexServes`. */
  where(collection: string, filter: Filter, sort?: FindOptions['sort']): Sql {
    const where = whereOf(filter);
    if (isServed(this.#indexes.get(collection) ?? [], filter, sort)) return where;
    const indexes = this.#ask(() => indexesOf(this.#db, collection));
    this.#indexes.set(collection, indexes);
    if (!isServed(indexes, filter, sort)) throw noIndexServes(collection, filter, sort);
    return where;
  }

  forget(collection: string): void {
    this.#indexes.delete(collection);
  }

  collections(): readonly string[] {
    return this.#ask(() => collectionsOf(this.#db));
  }

  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }

  #texts({ text, parameters }: Sql): readonly string[] {
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

  #ask<Answer>(question: () => Answer): Answer {
    try {
      return question();
    } catch (cause) {
      throw new EngineUnavailable(`the document store cannot be read: ${String(cause)}`, { cause });
    }
  }
}
