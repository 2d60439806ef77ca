import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import type { Document, IndexSpec } from '#kernel/projection.ts';
import { applyPatch } from '#ports/document-rules.ts';
import type { Patch } from '#ports/document-store.ts';
import { tableOf, type Sql } from './document-query.ts';
import {
  createCollection,
  createTable,
  DocumentTables,
  dropCollection,
  dropPiece,
} from './document-tables.ts';
import { namingDamage } from './file-damage.ts';
import type { GroupCommitter } from './group-commit.ts';
import { limitAsGiven } from './limit-as-given.ts';
import { createTraces, type ErasingStep, type Traces } from './erase-traces.ts';
import { createSameFile, identityOfFile, type FileIdentity } from './same-file.ts';

/** A `Write` whose document is JSON already; null removes. */
export interface TextWrite {
  readonly collection: string;
  readonly id: string;
  readonly position: number | null;
  readonly doc: string | null;
}

/** A `Change` whose patch is JSON already. */
export interface TextChange {
  readonly where: Sql;
  readonly patch: string;
}

/** What the store asks of its writer. Plain data, so that it can go to another thread. */
export type Operation =
  | { readonly kind: 'write'; readonly writes: readonly TextWrite[] }
  | {
      readonly kind: 'insertIfAbsent';
      readonly collection: string;
      readonly id: string;
      readonly doc: string;
    }
  | { readonly kind: 'updateIf'; readonly collection: string; readonly where: Sql; readonly patch: string }
  | { readonly kind: 'updateEach'; readonly collection: string; readonly changes: readonly TextChange[] }
  | { readonly kind: 'deleteMany'; readonly collection: string; readonly where: Sql; readonly limit: number }
  | {
      readonly kind: 'declare';
      readonly collection: string;
      readonly indexes: readonly IndexSpec[];
      /** Those that it is to have one day, for which a new table is made ready. */
      readonly planned: readonly IndexSpec[];
    }
  /** `piece`: one index of it, or once there is none so many documents; whether there was anything. */
  | { readonly kind: 'drop'; readonly collection: string; readonly piece?: number }
  | { readonly kind: 'erase'; readonly step: ErasingStep };

/**
 * insertIfAbsent, erase: whether it did; updateIf: the JSON or null; updateEach: the ids, also as often as one was
 * changed; deleteMany: the ids; drop of a piece: whether there was one; otherwise null.
 */
export type CommitResult = boolean | string | null | readonly string[];

/** `refused` concerns this operation alone: its neighbours in the transaction hold. */
export type Outcome =
  | { readonly kind: 'done'; readonly answer: CommitResult }
  | {
      readonly kind: 'refused';
      readonly error: 'DuplicateKey' | 'TypeError' | 'EngineUnavailable' | 'Error';
      readonly message: string;
    };

export interface DocumentCommitterOptions {
  readonly file: string;
  /** FULL: on disk once acknowledged. NORMAL: a power cut may cost the last moments, never the file. */
  readonly synchronous: 'FULL' | 'NORMAL';
  /** How long a transaction waits for that of another connection, such as a rebuild's. */
  readonly busyTimeoutMilliseconds: number;
  /** Which file it is to be; left out: whichever is there. */
  readonly identity?: FileIdentity;
  /** For a rebuild beside the process that holds the file: after each transaction that one has its turn. */
  readonly givesWay?: boolean;
}

/** What an operation costs the writer beside its characters, in characters. */
const operationOverhead = 1024;

const LONG_TRANSACTION = 8 * 1024 * 1024;
const SHORT_TRANSACTION = 1024 * 1024;
const MAX_REST_MILLISECONDS = 50;

/** Memory for pages of the file. */
const CACHE_KILOBYTES = 16_000;

/** The writing half of a document store in a file, which it creates where it is missing. */
export function createDocumentCommitter(
  options: DocumentCommitterOptions,
  tracesOf: (db: DatabaseSync) => Traces = createTraces,
): GroupCommitter<Operation, Outcome> {
  const db = new DatabaseSync(options.file, { timeout: options.busyTimeoutMilliseconds });
  // A longer log between checkpoints, and memory for the pages that a rebuild touches: twice the speed of a rebuild.
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = ${options.synchronous};
    PRAGMA wal_autocheckpoint = 8000;
    PRAGMA journal_size_limit = 67108864;
    PRAGMA cache_size = -${CACHE_KILOBYTES};
  `);
  keepTempFilesBeside(db, options.file);
  const traces = tracesOf(db);
  const tables = new DocumentTables(db);
  // What is on disk once acknowledged must be in the file that the next start opens; the rest can be made again.
  const sameFile =
    options.synchronous === 'FULL'
      ? createSameFile(options.file, options.identity ?? identityOfFile(options.file))
      : null;
  return {
    commit: (operations) => {
      try {
        sameFile?.beforeCommit();
        db.exec('BEGIN IMMEDIATE');
        const begun = performance.now();
        const outcomes = attemptAll(db, tables, operations);
        tables.keepParts();
        db.exec('COMMIT');
        sameFile?.afterCommit();
        if (options.givesWay) restAfter(begun);
        return withErased(operations, outcomes, traces);
      } catch (error) {
        tables.forget();
        if (db.isTransaction) db.exec('ROLLBACK');
        throw namingDamage('document store', options.file, error);
      }
    },
    sizeOf: (operation) => {
      if (operation.kind === 'updateEach') return operationOverhead * operation.changes.length;
      if (operation.kind !== 'write') return operationOverhead;
      return operation.writes.reduce((sum, { doc }) => sum + (doc?.length ?? 0), operationOverhead);
    },
    limit: options.givesWay ? SHORT_TRANSACTION : LONG_TRANSACTION,
    fold: () => db.exec('PRAGMA wal_checkpoint(PASSIVE)'),
    close: () => {
      // A connection that holds the file would wait for it, too.
      if (!options.givesWay) db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      db.close();
    },
  };
}

/**
 * What SQLite sorts for an index, and what a statement overwrites, is as large as the collection: beyond its cache it
 * goes to files. They hold what the store holds, hence its folder: /tmp may be open to others, or in memory. SQLite
 * unlinks them as it opens them, so that a kill leaves none. The folder is that of the process: stores share theirs.
 */
const keepTempFilesBeside = (db: DatabaseSync, file: string): void => {
  const folder = dirname(file).replaceAll("'", "''");
  db.exec(`PRAGMA temp_store = FILE; PRAGMA temp_store_directory = '${folder}'`);
};

/** As long as the transaction took, so that others who wait for the file get it. This thread does nothing else. */
const restAfter = (begun: number): void => {
  const milliseconds = Math.min(performance.now() - begun, MAX_REST_MILLISECONDS);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
};

/** What came of a step of erasing. The neighbours are committed: its failure is its own. */
const erased = (step: ErasingStep, traces: Traces): Outcome => {
  try {
    return { kind: 'done', answer: traces.erase(step) };
  } catch (error) {
    return { kind: 'refused', error: 'EngineUnavailable', message: messageOf(error) };
  }
};

/** Outside the transaction, each step once, however many ask for it. */
const withErased = (
  operations: readonly Operation[],
  outcomes: readonly Outcome[],
  traces: Traces,
): readonly Outcome[] => {
  const steps = new Set(operations.flatMap((one) => (one.kind === 'erase' ? [one.step] : [])));
  if (steps.size === 0) return outcomes;
  const done = new Map([...steps].map((step) => [step, erased(step, traces)]));
  return outcomes.map((outcome, index) => {
    const operation = operations[index];
    return operation?.kind === 'erase' ? (done.get(operation.step) ?? outcome) : outcome;
  });
};

/** A single statement undoes itself when it fails. */
const hasManyStatements = (operation: Operation): boolean =>
  operation.kind === 'declare' ||
  (operation.kind === 'write' && operation.writes.length > 1) ||
  (operation.kind === 'updateEach' && operation.changes.length > 1);

/**
 * What one operation breaks is undone, and nothing else. Within a savepoint, SQLite looks at the end of each statement
 * through all pages that were changed since it began: there are some only where one is refused, and all is done again.
 */
function attemptAll(
  db: DatabaseSync,
  tables: DocumentTables,
  operations: readonly Operation[],
): readonly Outcome[] {
  let isHalfDone = false;
  const outcomes: Outcome[] = [];
  for (const operation of operations) {
    const outcome = attempt(db, tables, operation);
    isHalfDone = outcome.kind === 'refused' && hasManyStatements(operation);
    if (isHalfDone) break;
    outcomes.push(outcome);
  }
  if (!isHalfDone) return outcomes;
  db.exec('ROLLBACK; BEGIN IMMEDIATE');
  return operations.map((operation) =>
    hasManyStatements(operation) ? attemptOrUndo(db, tables, operation) : attempt(db, tables, operation),
  );
}

/** Of several statements, those before a refused one hold. */
function attempt(db: DatabaseSync, tables: DocumentTables, operation: Operation): Outcome {
  try {
    return { kind: 'done', answer: perform(db, tables, operation) };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null || !db.isTransaction) throw error;
    tables.forget();
    return { kind: 'refused', error: refusal, message: messageOf(error) };
  }
}

function attemptOrUndo(db: DatabaseSync, tables: DocumentTables, operation: Operation): Outcome {
  db.exec('SAVEPOINT operation');
  const outcome = attempt(db, tables, operation);
  if (outcome.kind === 'refused') db.exec('ROLLBACK TO operation');
  db.exec('RELEASE operation');
  return outcome;
}

function perform(db: DatabaseSync, tables: DocumentTables, operation: Operation): CommitResult {
  if (operation.kind === 'write') {
    for (const { collection, id, position, doc } of operation.writes) {
      const { put, remove } = tables.of(collection);
      if (doc === null && position === null) remove.run(id);
      else put.run(id, position, doc === null ? 1 : 0, doc);
    }
    return null;
  }
  // Behind the transaction.
  if (operation.kind === 'erase') return false;
  const { collection } = operation;
  const table = tableOf(collection);
  switch (operation.kind) {
    case 'insertIfAbsent':
      return tables.of(collection).insert.run(operation.id, operation.doc).changes === 1n;
    case 'updateIf':
      return updateOne(tables, collection, operation)?.doc ?? null;
    case 'updateEach':
      return operation.changes.flatMap((change) => updateOne(tables, collection, change)?.id ?? []);
    case 'deleteMany': {
      const { text, parameters } = operation.where;
      const chosen = `SELECT id FROM ${table} ${text} ${limitAsGiven}`;
      tables.of(collection);
      const deleted = tables.prepare(`DELETE FROM ${table} WHERE id IN (${chosen}) RETURNING id`);
      return deleted.all(...parameters, operation.limit).map(({ id }) => String(id));
    }
    case 'declare':
      tables.forget();
      createTable(db, collection, operation.planned);
      if (operation.indexes.length > 0)
        whileSorting(db, () => createCollection(db, collection, operation.indexes));
      return null;
    case 'drop':
      tables.forget();
      if (operation.piece !== undefined) return dropPiece(db, collection, operation.piece);
      dropCollection(db, collection);
      return null;
  }
}

/** SQLite sorts in as much memory as it has for pages: both together get no more than those have otherwise. */
const whileSorting = (db: DatabaseSync, sort: () => void): void => {
  db.exec(`PRAGMA cache_size = -${CACHE_KILOBYTES / 2}`);
  try {
    sort();
  } finally {
    db.exec(`PRAGMA cache_size = -${CACHE_KILOBYTES}`);
  }
};

const updateOne = (
  tables: DocumentTables,
  collection: string,
  { where: { text, parameters }, patch }: TextChange,
): { readonly id: string; readonly doc: string } | null => {
  const { update } = tables.of(collection);
  const found = tables.prepare(`SELECT doc FROM ${tableOf(collection)} ${text} LIMIT 1`).get(...parameters);
  if (!found) return null;
  const document = applyPatch(JSON.parse(String(found.doc)) as Document, JSON.parse(patch) as Patch);
  const doc = JSON.stringify(document);
  update.run(doc, document._id);
  return { id: document._id, doc };
};

const SQLITE_ERROR = 1;
const SQLITE_CONSTRAINT = 19;

/** Null when the engine itself failed: a full disk, a broken file, a lock that was not given in time. */
function refusalOf(error: unknown): 'DuplicateKey' | 'TypeError' | 'Error' | null {
  if (error instanceof Error && 'errcode' in error) {
    const code = Number(error.errcode) & 0xff;
    if (code === SQLITE_CONSTRAINT) return 'DuplicateKey';
    return code === SQLITE_ERROR ? 'Error' : null;
  }
  return error instanceof TypeError ? 'TypeError' : 'Error';
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
