import { MongoClient, type Collection } from 'mongodb';

import type { Document, IndexSpec } from '#kernel/projection.ts';
import { checkCollection, checkFind, textsIn } from '#ports/document-rules.ts';
import type {
  Change,
  DeclareOptions,
  DocumentStore,
  Filter,
  FindOptions,
  Group,
  Patch,
  Write,
} from '#ports/document-store.ts';
import { isLive, queryOf, sortOf } from './document-filter.ts';
import { documentOf, placeOf, storedValue, type Row } from './document-row.ts';
import { insertIfAbsent, requestsOf, updateOne, writeInOrder } from './document-writes.ts';
import { responseTimeout, inTime, MongoConnection } from './mongo-connection.ts';
import { asPortError, brokenIndex, isNoCollection } from './mongo-errors.ts';
import { clientOptionsOf, databaseOf } from './mongo-url.ts';

export interface MongoDocumentStoreOptions {
  /** `mongodb://` or `mongodb+srv://`. Pool and timeouts may be set in it. */
  readonly url: string;
  /** Default: the one of the URL, else `tillroll`. */
  readonly database?: string;
  /** After this long without an answer a new client looks for the server beside the old one. Default 3,000. */
  readonly renewAfterMilliseconds?: number;
}

const pingTimeout = 2000;
const renewAfter = 3000;
/** Documents of a find taken in at once: more would hold up the rest of this process. */
const takenAtOnce = 200;

/**
 * Documents in MongoDB 6 or newer, or a server that speaks its protocol: a database, a collection for each of ours.
 * Waits for the server at most 3 s (`EngineUnavailable`); one that goes away later is reconnected to by itself.
 */
export async function openMongoDocumentStore(options: MongoDocumentStoreOptions): Promise<DocumentStore> {
  const { url, database = databaseOf(url), renewAfterMilliseconds = renewAfter } = options;
  const createClient = (): MongoClient => new MongoClient(url, clientOptionsOf(url));
  const client = createClient();
  try {
    await client.connect();
  } catch (error) {
    await client.close();
    throw asPortError(error);
  }
  return new MongoDocumentStore(
    new MongoConnection({ client, createClient, database, renewAfterMilliseconds }),
  );
}

class MongoDocumentStore implements DocumentStore {
  readonly isOnlyWriter = false;
  readonly #connection: MongoConnection;

  constructor(connection: MongoConnection) {
    this.#connection = connection;
  }

  /** An index over documents that are there may take as long as it takes. */
  async declare(
    collection: string,
    indexes: readonly IndexSpec[] = [],
    { filling }: DeclareOptions = {},
  ): Promise<void> {
    const name = checkCollection(collection);
    const wanted = filling === 'begins' ? [] : indexes;
    await this.#connection.ask(() => this.#connection.indexes.declare(name, wanted), Infinity);
  }

  async get<Doc extends Document>(collection: string, id: string): Promise<Doc | null> {
    const rows = this.#rows(collection);
    const row = await this.#connection.ask(() =>
      rows.findOne({ _id: id, ...isLive }, { projection: { doc: 1 } }),
    );
    return row && documentOf<Doc>(row);
  }

  async getMany<Doc extends Document>(collection: string, ids: readonly string[]): Promise<readonly Doc[]> {
    return this.#chosen<Doc>(collection, ids, 'doc');
  }

  async textsAt(
    collection: string,
    field: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    return textsIn(await this.#chosen(collection, ids, placeOf(field)), field);
  }

  async write(batch: readonly Write[]): Promise<void> {
    const writes = batch.map((write) => ('put' in write ? { ...write, put: storedValue(write.put) } : write));
    for (const { collection } of writes) checkCollection(collection);
    await this.#connection.ask(async () => {
      for (const { collection, writes: some } of requestsOf(writes)) {
        const done = this.#change(collection, (rows, uniques) => writeInOrder(rows, some, uniques));
        await inTime(done, responseTimeout);
      }
    }, Infinity);
  }

  async find<Doc extends Document>(collection: string, options: FindOptions = {}): Promise<readonly Doc[]> {
    const { filter, sort, skip, limit } = checkFind(options);
    const rows = this.#rows(collection);
    const query = queryOf(filter);
    return this.#connection.ask(async () => {
      await this.#connection.indexes.check(collection, filter, sort);
      if (limit === 0) return [];
      const page = { skip, limit, sort: sortOf(sort), projection: { doc: 1 } };
      const batchSize = Math.min(limit, takenAtOnce);
      const found: Doc[] = [];
      for await (const row of rows.find(query, { ...page, batchSize, maxTimeMS: responseTimeout }))
        found.push(documentOf<Doc>(row));
      return found;
    });
  }

  async count(collection: string, filter: Filter = {}): Promise<number> {
    const rows = this.#rows(collection);
    const query = queryOf(filter);
    return this.#connection.ask(async () => {
      await this.#connection.indexes.check(collection, filter);
      return rows.countDocuments(query, { maxTimeMS: responseTimeout });
    });
  }

  async sum(collection: string, field: string, filter: Filter = {}): Promise<number> {
    const rows = this.#rows(collection);
    const group = { _id: null, sum: { $sum: `$${placeOf(field)}` } };
    const steps = [{ $match: queryOf(filter) }, { $group: group }];
    return this.#connection.ask(async () => {
      await this.#connection.indexes.check(collection, filter);
      const [found] = await rows.aggregate<{ sum: number }>(steps, { maxTimeMS: responseTimeout }).toArray();
      return found?.sum ?? 0;
    });
  }

  async countBy(
    collection: string,
    fields: readonly string[],
    filter: Filter = {},
  ): Promise<readonly Group[]> {
    const rows = this.#rows(collection);
    const values = fields.map((field, index) => [`v${index}`, { $ifNull: [`$${placeOf(field)}`, null] }]);
    const steps = [
      { $match: queryOf(filter) },
      { $group: { _id: Object.fromEntries(values), count: { $sum: 1 } } },
    ];
    return this.#connection.ask(async () => {
      await this.#connection.indexes.check(collection, filter);
      const found = rows.aggregate<{ _id: Readonly<Record<string, Group['values'][number]>>; count: number }>(
        steps,
        {
          maxTimeMS: responseTimeout,
        },
      );
      return (await found.toArray()).map(({ _id, count }) => ({
        values: fields.map((_, index) => _id[`v${index}`] ?? null),
        count,
      }));
    });
  }

  async insertIfAbsent(collection: string, document: Document): Promise<boolean> {
    const stored = storedValue(document);
    return this.#connection.ask(() =>
      this.#change(collection, (rows, uniques) => insertIfAbsent(rows, stored, uniques)),
    );
  }

  async updateIf<Doc extends Document>(
    collection: string,
    filter: Filter,
    patch: Patch,
  ): Promise<Doc | null> {
    const query = queryOf(filter);
    const wanted = structuredClone(patch);
    return this.#connection.ask(async () => {
      await this.#connection.indexes.check(checkCollection(collection), filter);
      return this.#change(collection, (rows, uniques) => updateOne<Doc>(rows, query, wanted, uniques));
    });
  }

  async updateEach(collection: string, changes: readonly Change[]): Promise<number> {
    const changed = await Promise.all(
      changes.map(({ filter, patch }) => this.updateIf(collection, filter, patch)),
    );
    return changed.filter((document) => document !== null).length;
  }

  async deleteMany(collection: string, filter: Filter, limit: number): Promise<number> {
    const rows = this.#rows(collection);
    const query = queryOf(filter);
    return this.#connection.ask(async () => {
      await this.#connection.indexes.check(collection, filter);
      if (limit === 0) return 0;
      if (typeof filter['_id'] === 'string') return (await rows.deleteOne(query)).deletedCount;
      const chosen = await rows.find(query, { limit, batchSize: limit, projection: { _id: 1 } }).toArray();
      // A document that changed meanwhile no longer matches; an id never changes.
      const stillMatching = { ...query, _id: { $in: chosen.map(({ _id }) => _id) } };
      const { deletedCount } = await rows.deleteMany(stillMatching);
      return deletedCount;
    });
  }

  async drop(collection: string): Promise<void> {
    const rows = this.#rows(collection);
    await this.#connection.ask(() =>
      rows.drop().catch((error: unknown) => {
        if (!isNoCollection(error)) throw error;
      }),
    );
    this.#connection.indexes.forget(collection);
  }

  /** The server reuses the space of what was deleted; it offers no way to have it overwritten. */
  async erase(): Promise<void> {}

  async collections(): Promise<readonly string[]> {
    const found = await this.#connection.ask(() =>
      this.#connection.db.listCollections({}, { nameOnly: true }).toArray(),
    );
    return found.map(({ name }) => name).filter((name) => !name.startsWith('system.'));
  }

  async ping(): Promise<void> {
    await this.#connection.ask(() => this.#connection.db.command({ ping: 1 }), pingTimeout);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  #rows(collection: string): Collection<Row> {
    return this.#connection.db.collection<Row>(checkCollection(collection));
  }

  /** What stands at a place of the rows with these ids, each once. */
  async #chosen<Doc extends Document>(
    collection: string,
    ids: readonly string[],
    place: string,
  ): Promise<readonly Doc[]> {
    const rows = this.#rows(collection);
    if (ids.length === 0) return [];
    const found = await this.#connection.ask(() =>
      rows
        .find(
          { _id: { $in: [...new Set(ids)] }, ...isLive },
          { projection: { [place]: 1 }, batchSize: ids.length + 1 },
        )
        .toArray(),
    );
    return found.map((row) => documentOf<Doc>(row));
  }

  /** Once more when it was refused by a unique index that another process declared after this one had looked. */
  async #change<Answer>(
    collection: string,
    change: (rows: Collection<Row>, uniques: readonly IndexSpec[]) => Promise<Answer>,
  ): Promise<Answer> {
    const rows = this.#rows(collection);
    try {
      return await change(rows, await this.#connection.indexes.uniquesOf(collection));
    } catch (error) {
      if (brokenIndex(error) === null || !(await this.#connection.indexes.refresh(collection))) throw error;
      return change(rows, await this.#connection.indexes.uniquesOf(collection));
    }
  }
}
