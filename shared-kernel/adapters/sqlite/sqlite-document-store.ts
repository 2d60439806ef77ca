import { statSync } from 'node:fs';

import type { Document, IndexSpec } from '#kernel/projection.ts';
import { checkCollection } from '#ports/document-rules.ts';
import {
  DuplicateKey,
  type Change,
  type DeclareOptions,
  type DocumentStore,
  type Filter,
  type FindOptions,
  type Group,
  type Patch,
  type Write,
} from '#ports/document-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { pause } from '#runtime/back-off.ts';
import { makePrivateFile } from '#runtime/private-files.ts';
import { DocumentCache, type DocumentCacheLimits } from './document-cache.ts';
import type { CommitResult, Operation, Outcome, TextWrite } from './document-committer.ts';
import { groupOf } from './document-groups.ts';
import { DocumentReader, type Read } from './document-reader.ts';
import type { GroupWriter } from './group-writer.ts';
import { parseInTurns } from './parse-in-turns.ts';
import { ReadingThreads } from './reading-threads.ts';
import { holdWriterLock, type WriterLock } from './sqlite-lock.ts';
import { naming } from './file-damage.ts';
import { startDocumentWriter } from './start-document-writer.ts';

const documentReading = new URL('./document-reading.ts', import.meta.url);
/** How often, and how long apart, what was deleted is tried to be folded in while others read; writes go in between. */
const ERASE_TRIES = 100;
const ERASE_PAUSE_MILLISECONDS = 100;

/** How many documents of a large collection are dropped at once, and for how long, with the rest after. */
const FIRST_DROPPED = 250;
const MOST_DROPPED = 4000;
const DROPPED_MILLISECONDS = 100;

type ErasingOptions = Parameters<DocumentStore['erase']>[0];

const defaultCache: DocumentCacheLimits = { documents: 5000, characters: 8_000_000 };

export interface SqliteDocumentStoreOptions {
  /** Path of the database file. Missing folders are created, unless `readOnly`. */
  readonly file: string;
  /** FULL (the default) for what the log cannot rebuild; NORMAL is enough for read models. */
  readonly synchronous?: 'FULL' | 'NORMAL';
  /** `thread` (the default) writes, and reads what takes long, in threads; `inline` on the caller's, which waits. */
  readonly mode?: 'thread' | 'inline';
  /** Beside a running shop: takes no lock, writes nothing (what is declared has been already), caches nothing. */
  readonly readOnly?: boolean;
  /**
   * False for a rebuild beside the process that holds the file: takes no lock, caches nothing, and gives way to that
   * one. Default true.
   */
  readonly exclusive?: boolean;
  /**
   * Parsed documents kept for `get` and `getMany`. False where another process writes what this one reads, or where
   * it reads little twice, as a rebuild: it then keeps fewer pages of the file, too.
   */
  readonly cache?: DocumentCacheLimits | false;
  /** A find, count or sum that may look at more documents is answered by a thread. Default 250. */
  readonly shortRead?: number;
  /**
   * How many documents may be sorted while others wait. Beside the process that holds the file, a collection that is
   * being filled keeps its indexes from then on; a larger one is dropped piece by piece. Default 10,000.
   */
  readonly sortedAtOnce?: number;
  /** How long a write waits for a foreign transaction on the file. Default 10,000. */
  readonly busyTimeoutMilliseconds?: number;
}

/**
 * Documents in one SQLite file, a table per collection. A document that `get` returns may be the one that the next
 * `get` answers: it must not be changed, and what is derived from it may be kept in a WeakMap. Throws
 * `HeldByAnotherProcess` when someone else writes the file.
 */
export async function openSqliteDocumentStore(options: SqliteDocumentStoreOptions): Promise<DocumentStore> {
  const { file, readOnly = false, exclusive = true } = options;
  const open = (lock: WriterLock | null) =>
    naming('document store', file, () => new SqliteDocumentStore(options, lock));
  if (readOnly) return open(null);
  makePrivateFile(file);
  const lock = exclusive ? holdWriterLock(file) : null;
  try {
    return open(lock);
  } catch (error) {
    lock?.release();
    throw error;
  }
}

class SqliteDocumentStore implements DocumentStore {
  readonly isOnlyWriter: boolean;
  readonly #file: string;
  readonly #inode: number;
  readonly #lock: WriterLock | null;
  readonly #reader: DocumentReader;
  /** For reads that may take long; null where they hold up nothing else. */
  readonly #threads: ReadingThreads | null;
  readonly #writer: GroupWriter<Operation, Outcome> | null;
  readonly #givesWay: boolean;
  readonly #isPrecious: boolean;
  readonly #sortedAtOnce: number;
  /** The indexes of collections that are being filled, until they are there. */
  readonly #planned = new Map<string, readonly IndexSpec[]>();
  readonly #cache: DocumentCache | null;
  #closing: Promise<void> | null = null;
  /** On what occasion the file was rewritten last. */
  #rewrittenFor: number | null = null;
  #documents = 0;

  constructor(options: SqliteDocumentStoreOptions, lock: WriterLock | null) {
    const { file, readOnly = false, exclusive = true, cache = defaultCache, mode = 'thread' } = options;
    this.#isPrecious = options.synchronous !== 'NORMAL';
    this.#givesWay = !readOnly && !exclusive;
    this.#sortedAtOnce = options.sortedAtOnce ?? 10_000;
    this.#file = file;
    this.#lock = lock;
    this.isOnlyWriter = lock !== null;
    this.#cache = cache && lock ? new DocumentCache(cache) : null;
    this.#writer = readOnly ? null : startDocumentWriter({ ...options, givesWay: this.#givesWay });
    this.#reader = new DocumentReader(file, options.shortRead, this.#cache !== null);
    this.#threads = lock && mode === 'thread' ? new ReadingThreads(documentReading, file) : null;
    this.#inode = statSync(file).ino;
  }

  get written(): { readonly commits: number; readonly documents: number } {
    return { commits: this.#writer?.commits ?? 0, documents: this.#documents };
  }

  async declare(
    collection: string,
    indexes: readonly IndexSpec[] = [],
    { filling }: DeclareOptions = {},
  ): Promise<void> {
    if (!this.#writer) return;
    const declare = (some: readonly IndexSpec[], planned = some) =>
      this.#submit({ kind: 'declare', collection: checkCollection(collection), indexes: some, planned });
    if (filling === 'begins') {
      if (this.#givesWay) this.#planned.set(collection, indexes);
      return void (await declare([], indexes));
    }
    this.#planned.delete(collection);
    if (!this.#givesWay && filling !== 'ends') return void (await declare(indexes));
    await declare([], indexes);
    // Who holds the file has its turn after each.
    for (const index of indexes) await declare([index]);
    this.#reader.forget(collection);
  }

  async get<Doc extends Document>(collection: string, id: string): Promise<Doc | null> {
    const cached = this.#cache?.get(collection, id);
    if (cached) return cached as Doc;
    const text = this.#reader.get(collection, id);
    return text === null ? null : this.#parse<Doc>(collection, text);
  }

  async getMany<Doc extends Document>(collection: string, ids: readonly string[]): Promise<readonly Doc[]> {
    const found: Doc[] = [];
    const missing: string[] = [];
    for (const id of new Set(ids)) {
      const cached = this.#cache?.get(collection, id);
      if (cached) found.push(cached as Doc);
      else missing.push(id);
    }
    if (missing.length === 0) return found;
    return [
      ...found,
      ...this.#reader.getMany(collection, missing).map((text) => this.#parse<Doc>(collection, text)),
    ];
  }

  async textsAt(
    collection: string,
    field: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    if (ids.length === 0) return new Map();
    const found = JSON.parse(this.#reader.textsAt(collection, field, ids)) as Record<string, string>;
    return new Map(Object.entries(found));
  }

  async write(batch: readonly Write[]): Promise<void> {
    if (batch.length === 0) return;
    const places = batch.map(placeOf);
    // Not awaited here, where documents and texts would be kept until they are written: they are collected young.
    return this.#afterWriting(places, this.#submit({ kind: 'write', writes: batch.map(textOf) }));
  }

  async #afterWriting(places: readonly Place[], written: Promise<unknown>): Promise<void> {
    await written;
    this.#documents += places.length;
    for (const { collection, id } of places) this.#cache?.forget(collection, id);
    for (const collection of new Set(places.map((place) => place.collection))) {
      const indexes = this.#planned.get(collection);
      if (indexes && this.#isLarge(collection)) await this.declare(collection, indexes);
    }
  }

  async find<Doc extends Document>(collection: string, options: FindOptions = {}): Promise<readonly Doc[]> {
    const read = this.#reader.find(collection, options);
    return parseInTurns<Doc>(await this.#texts(read));
  }

  async count(collection: string, filter: Filter = {}): Promise<number> {
    const [count] = await this.#texts(this.#reader.count(collection, filter));
    return Number(count ?? 0);
  }

  async sum(collection: string, field: string, filter: Filter = {}): Promise<number> {
    const [sum] = await this.#texts(this.#reader.sum(collection, field, filter));
    return Number(sum ?? 0);
  }

  async countBy(name: string, fields: readonly string[], filter: Filter = {}): Promise<readonly Group[]> {
    return (await this.#texts(this.#reader.countBy(name, fields, filter))).map(groupOf);
  }

  async insertIfAbsent(collection: string, document: Document): Promise<boolean> {
    const { id, doc } = textOf({ collection, put: document });
    const isInserted = await this.#submit({ kind: 'insertIfAbsent', collection, id, doc: doc ?? '' });
    this.#cache?.forget(collection, id);
    return isInserted === true;
  }

  async updateIf<Doc extends Document>(
    collection: string,
    filter: Filter,
    patch: Patch,
  ): Promise<Doc | null> {
    const where = this.#reader.where(collection, filter);
    const text = await this.#submit({ kind: 'updateIf', collection, where, patch: JSON.stringify(patch) });
    if (typeof text !== 'string') return null;
    const document = JSON.parse(text) as Doc;
    this.#cache?.forget(collection, document._id);
    return document;
  }

  async updateEach(collection: string, given: readonly Change[]): Promise<number> {
    if (given.length === 0) return 0;
    const changes = given.map(({ filter, patch }) => ({
      where: this.#reader.where(collection, filter),
      patch: JSON.stringify(patch),
    }));
    return this.#forgetting(collection, { kind: 'updateEach', collection, changes });
  }

  async deleteMany(collection: string, filter: Filter, limit: number): Promise<number> {
    const where = this.#reader.where(collection, filter);
    return this.#forgetting(collection, { kind: 'deleteMany', collection, where, limit });
  }

  /** Of an operation that answers which documents it has touched: how many. */
  async #forgetting(collection: string, operation: Operation): Promise<number> {
    const ids = (await this.#submit(operation)) as readonly string[];
    for (const id of ids) this.#cache?.forget(collection, id);
    return ids.length;
  }

  async drop(collection: string): Promise<void> {
    const drop = { kind: 'drop', collection: checkCollection(collection) } as const;
    this.#planned.delete(collection);
    if (this.#isLarge(collection)) await this.#empty(collection);
    await this.#submit(drop);
    this.#reader.forget(collection);
    this.#cache?.forgetAll();
  }

  async erase({ isRewrite = false, occasion = null }: ErasingOptions = {}): Promise<void> {
    this.#cache?.forgetAll();
    if (occasion === null || occasion !== this.#rewrittenFor) {
      const step = isRewrite ? 'rewrite what was put off' : 'rewrite';
      if ((await this.#submit({ kind: 'erase', step })) === false) return;
      this.#rewrittenFor = occasion;
    }
    for (let tries = 0; tries < ERASE_TRIES; tries++) {
      if ((await this.#submit({ kind: 'erase', step: 'fold in' })) === true) return;
      await pause(ERASE_PAUSE_MILLISECONDS);
    }
    throw new EngineUnavailable(
      `${this.#file} is read all the time: what was deleted is still in the log beside it`,
    );
  }

  async collections(): Promise<readonly string[]> {
    return this.#reader.collections();
  }

  async ping(): Promise<void> {
    this.#reader.collections();
    const problem = this.#isPrecious ? this.#writer?.problem : null;
    if (problem) throw new EngineUnavailable(`the last write failed: ${problem}`);
    // An open file outlives its name: what is written after a deletion would be gone with this process.
    if (statSync(this.#file, { throwIfNoEntry: false })?.ino === this.#inode) return;
    throw new EngineUnavailable(`${this.#file} was deleted or replaced while it was open`);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#reader.close();
    await this.#threads?.close();
    await this.#writer?.close();
    this.#lock?.release();
  }

  #isLarge(collection: string): boolean {
    return this.#reader.newest(collection) > this.#sortedAtOnce;
  }

  /** To drop a million documents at once keeps others from writing for seconds. */
  async #empty(collection: string): Promise<void> {
    let piece = FIRST_DROPPED;
    for (let isMore: CommitResult = true; isMore === true;) {
      const begun = performance.now();
      isMore = await this.#submit({ kind: 'drop', collection, piece });
      const isSlow = performance.now() - begun > DROPPED_MILLISECONDS;
      piece = isSlow ? Math.max(FIRST_DROPPED, Math.floor(piece / 2)) : Math.min(2 * piece, MOST_DROPPED);
    }
  }

  /** A write makes the cache forget what it touched before it is acknowledged. */
  #submit(operation: Operation): Promise<CommitResult> {
    if (!this.#writer) return Promise.reject(new Error(`${this.#file} was opened for reading only`));
    return this.#answered(this.#writer.submit(operation));
  }

  async #answered(asked: Promise<Outcome>): Promise<CommitResult> {
    const outcome = await asked.catch((error: unknown) => {
      this.#cache?.forgetAll(); // it may have been committed all the same
      throw error;
    });
    if (outcome.kind === 'done') return outcome.answer;
    if (outcome.error === 'DuplicateKey') throw new DuplicateKey(outcome.message);
    if (outcome.error === 'EngineUnavailable') throw new EngineUnavailable(outcome.message);
    throw outcome.error === 'TypeError' ? new TypeError(outcome.message) : new Error(outcome.message);
  }

  async #texts({ sql, isShort }: Read): Promise<readonly string[]> {
    return isShort || !this.#threads ? this.#reader.texts(sql) : this.#threads.ask(sql);
  }

  #parse<Doc extends Document>(collection: string, text: string): Doc {
    const document = JSON.parse(text) as Doc;
    this.#cache?.keep(collection, document, text.length);
    return document;
  }
}

type Place = Pick<TextWrite, 'collection' | 'id'>;

const placeOf = (write: Write): Place => ({
  collection: checkCollection(write.collection),
  id: 'put' in write ? write.put._id : write.remove,
});

function textOf(write: Write): TextWrite {
  const doc = 'put' in write ? JSON.stringify(write.put) : null;
  return { ...placeOf(write), position: write.position ?? null, doc };
}
