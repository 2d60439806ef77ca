import { setTimeout as sleep } from 'node:timers/promises';

import { MongoClient, type Collection, type Db } from 'mongodb';

import type { Document, IndexSpec } from '#kernel/projection.ts';
import { checkCollection, checkFind } from '#ports/document-rules.ts';
import type { DocumentStore, Filter, FindOptions, Patch, Write } from '#ports/document-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { isLive, queryOf, sortOf } from './document-filter.ts';
import { DocumentIndexes } from './document-indexes.ts';
import { documentOf, placeOf, storedValue, type Row } from './document-row.ts';
import { insertIfAbsent, updateOne, writeInOrder } from './document-writes.ts';
import { asPortError, brokenIndex, isNoCollection } from './mongo-errors.ts';
import { clientOptionsOf, databaseOf } from './mongo-url.ts';

export interface MongoDocumentStoreOptions {
  /** `mongodb://` or `mongodb+srv://`. Pool and timeouts may be set in it. */
  readonly url: string;
  /** Default: the one of the URL, else `tillroll`. */
  readonly database?: string;
  /** After so many milliseconds without an answer a new client looks for the server beside the old. Default 3,000. */
  readonly renewAfterMilliseconds?: number;
}

/** Longest wait for an answer, in milliseconds, so that a caller gets his 503 within 10 s. */
const answerTimeout = 7000;
const pingTimeout = 2000;
const renewAfter = 3000;
/** A server that is merely slow must not be asked for new connections all the time. */
const renewEvery = 15_000;
const knockEvery = 100;
/** Documents of a find taken in at once: more of them would hold up everybody else in this process. */
const takenAtOnce = 200;
/** Longest run of writes in one request. */
const requestLength = 1000;

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
  return new MongoDocumentStore({ client, createClient, database, renewAfterMilliseconds });
}

interface Connected {
  readonly client: MongoClient;
  readonly createClient: () => MongoClient;
  readonly database: string;
  readonly renewAfterMilliseconds: number;
}

class MongoDocumentStore implements DocumentStore {
  readonly #connected: Connected;
  readonly #clients = new Set<MongoClient>();
  #db: Db;
  #indexes: DocumentIndexes;
  readonly #underWay = new Set<Promise<unknown>>();
  #answeredAt = performance.now();
  #renewedAt = -Infinity;
  /** Set while a new client looks for the server. */
  #renewal: Promise<void> | null = null;
  #closing: Promise<void> | null = null;

  constructor(connected: Connected) {
    this.#connected = connected;
    this.#clients.add(connected.client);
    this.#db = connected.client.db(connected.database);
    this.#indexes = new DocumentIndexes(this.#db);
  }

  /** An index over documents that are there may take as long as it takes. */
  async declare(collection: string, indexes: readonly IndexSpec[] = []): Promise<void> {
    const name = checkCollection(collection);
    await this.#ask(() => this.#indexes.declare(name, indexes), Infinity);
  }

  async get<Doc extends Document>(collection: string, id: string): Promise<Doc | null> {
    const rows = this.#rows(collection);
    const row = await this.#ask(() => rows.findOne({ _id: id, ...isLive }, { projection: { doc: 1 } }));
    return row && documentOf<Doc>(row);
  }

  async getMany<Doc extends Document>(collection: string, ids: readonly string[]): Promise<readonly Doc[]> {
    const rows = this.#rows(collection);
    if (ids.length === 0) return [];
    const found = await this.#ask(() =>
      rows
        .find(
          { _id: { $in: [...new Set(ids)] }, ...isLive },
          { projection: { doc: 1 }, batchSize: ids.length + 1 },
        )
        .toArray(),
    );
    return found.map((row) => documentOf<Doc>(row));
  }

  async write(batch: readonly Write[]): Promise<void> {
    const writes = batch.map((write) => ('put' in write ? { ...write, put: storedValue(write.put) } : write));
    for (const { collection } of writes) checkCollection(collection);
    await this.#ask(async () => {
      for (const { collection, writes: some } of requestsOf(writes)) {
        const done = this.#change(collection, (rows, uniques) => writeInOrder(rows, some, uniques));
        await inTime(done, answerTimeout);
      }
    }, Infinity);
  }

  async find<Doc extends Document>(collection: string, options: FindOptions = {}): Promise<readonly Doc[]> {
    const { filter, sort, skip, limit } = checkFind(options);
    const rows = this.#rows(collection);
    const query = queryOf(filter);
    return this.#ask(async () => {
      await this.#indexes.check(collection, filter, sort);
      if (limit === 0) return [];
      const page = { skip, limit, sort: sortOf(sort), projection: { doc: 1 } };
      const batchSize = Math.min(limit, takenAtOnce);
      const found: Doc[] = [];
      for await (const row of rows.find(query, { ...page, batchSize, maxTimeMS: answerTimeout }))
        found.push(documentOf<Doc>(row));
      return found;
    });
  }

  async count(collection: string, filter: Filter = {}): Promise<number> {
    const rows = this.#rows(collection);
    const query = queryOf(filter);
    return this.#ask(async () => {
      await this.#indexes.check(collection, filter);
      return rows.countDocuments(query, { maxTimeMS: answerTimeout });
    });
  }

  async sum(collection: string, field: string, filter: Filter = {}): Promise<number> {
    const rows = this.#rows(collection);
    const group = { _id: null, sum: { $sum: `$${placeOf(field)}` } };
    const steps = [{ $match: queryOf(filter) }, { $group: group }];
    return this.#ask(async () => {
      await this.#indexes.check(collection, filter);
      const [found] = await rows.aggregate<{ sum: number }>(steps, { maxTimeMS: answerTimeout }).toArray();
      return found?.sum ?? 0;
    });
  }

  async insertIfAbsent(collection: string, document: Document): Promise<boolean> {
    const stored = storedValue(document);
    return this.#ask(() =>
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
    return this.#ask(async () => {
      await this.#indexes.check(checkCollection(collection), filter);
      return this.#change(collection, (rows, uniques) => updateOne<Doc>(rows, query, wanted, uniques));
    });
  }

  async deleteMany(collection: string, filter: Filter, limit: number): Promise<number> {
    const rows = this.#rows(collection);
    const query = queryOf(filter);
    return this.#ask(async () => {
      await this.#indexes.check(collection, filter);
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
    await this.#ask(() =>
      rows.drop().catch((error: unknown) => {
        if (!isNoCollection(error)) throw error;
      }),
    );
    this.#indexes.forget(collection);
  }

  async collections(): Promise<readonly string[]> {
    const found = await this.#ask(() => this.#db.listCollections({}, { nameOnly: true }).toArray());
    return found.map(({ name }) => name).filter((name) => !name.startsWith('system.'));
  }

  async ping(): Promise<void> {
    await this.#ask(() => this.#db.command({ ping: 1 }), pingTimeout);
  }

  /** Lets what is under way end first. */
  close(): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#underWay).then(async () => {
      await this.#closeClients();
      await this.#renewal;
    });
    return this.#closing;
  }

  #rows(collection: string): Collection<Row> {
    return this.#db.collection<Row>(checkCollection(collection));
  }

  /** Once more when it was refused by a unique index that somebody else declared after this process had looked. */
  async #change<Answer>(
    collection: string,
    change: (rows: Collection<Row>, uniques: readonly IndexSpec[]) => Promise<Answer>,
  ): Promise<Answer> {
    const rows = this.#rows(collection);
    try {
      return await change(rows, await this.#indexes.uniquesOf(collection));
    } catch (error) {
      if (brokenIndex(error) === null || !(await this.#indexes.refresh(collection))) throw error;
      return change(rows, await this.#indexes.uniquesOf(collection));
    }
  }

  async #ask<Answer>(question: () => Promise<Answer>, timeout = answerTimeout): Promise<Answer> {
    if (this.#closing) throw new EngineUnavailable('the document store is closed');
    const answer = inTime(question(), timeout);
    this.#underWay.add(answer);
    try {
      const answered = await answer;
      this.#answeredAt = performance.now();
      return answered;
    } catch (error) {
      const problem = asPortError(error);
      if (problem instanceof EngineUnavailable) this.#renewIfStuck();
      throw problem;
    } finally {
      this.#underWay.delete(answer);
    }
  }

  /**
   * The driver's client has been seen not to find a server again that was back and served everybody else. So where
   * nothing is answered, a new one looks for the server, and takes over once it has found it: never before, as a client
   * whose first connection fails is closed for good.
   */
  #renewIfStuck(): void {
    const now = performance.now();
    const { renewAfterMilliseconds } = this.#connected;
    if (this.#closing || this.#renewal || now - this.#answeredAt < renewAfterMilliseconds) return;
    if (now - this.#renewedAt < Math.min(renewEvery, 5 * renewAfterMilliseconds)) return;
    this.#renewal = this.#renew(this.#answeredAt).finally(() => (this.#renewal = null));
  }

  /** Knocks until the server answers this client or has answered the old one. */
  async #renew(answeredAt: number): Promise<void> {
    const isWanted = (): boolean => !this.#closing && this.#answeredAt === answeredAt;
    while (isWanted()) {
      const old = [...this.#clients];
      const client = this.#connected.createClient();
      this.#clients.add(client);
      const isThere = await client.connect().then(
        () => true,
        () => false,
      );
      if (isThere && isWanted()) return this.#takeOver(client, old);
      await this.#closeClients([client]);
      if (isWanted()) await sleep(knockEvery, undefined, { ref: false });
    }
  }

  /** The old clients go once nobody can be waiting for them any more. */
  #takeOver(client: MongoClient, old: readonly MongoClient[]): void {
    this.#renewedAt = performance.now();
    this.#db = client.db(this.#connected.database);
    this.#indexes = new DocumentIndexes(this.#db);
    setTimeout(() => void this.#closeClients(old), 2 * answerTimeout).unref();
  }

  async #closeClients(clients: readonly MongoClient[] = [...this.#clients]): Promise<void> {
    for (const client of clients) this.#clients.delete(client);
    await Promise.allSettled(clients.map((client) => client.close()));
  }
}

async function inTime<Answer>(answer: Promise<Answer>, milliseconds: number): Promise<Answer> {
  if (milliseconds === Infinity) return answer;
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new EngineUnavailable(`the document store did not answer within ${milliseconds} ms`)),
    milliseconds,
  );
  try {
    return await Promise.race([answer, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

interface WriteRequest {
  readonly collection: string;
  readonly writes: Write[];
}

/** Cut wherever the collection changes, so that the order is kept across collections. */
function requestsOf(batch: readonly Write[]): readonly WriteRequest[] {
  const requests: WriteRequest[] = [];
  for (const write of batch) {
    const last = requests.at(-1);
    if (last?.collection === write.collection && last.writes.length < requestLength) last.writes.push(write);
    else requests.push({ collection: write.collection, writes: [write] });
  }
  return requests;
}
