import type { Document, IndexSpec } from '#kernel/projection.ts';

export type Scalar = string | number | boolean | null;

/**
 * What a field must satisfy. A bare scalar means equality. `in` takes at most 1,000 values; `gt` … `lte` compare like
 * types only; `contains` finds a text anywhere in a field that was stored in lower case; `has` finds a scalar, or
 * one of at most 1,000, in an array field; `exists` false also matches null.
 */
export type Condition =
  | Scalar
  | {
      readonly in?: readonly Scalar[];
      readonly ne?: Scalar;
      readonly gt?: string | number;
      readonly gte?: string | number;
      readonly lt?: string | number;
      readonly lte?: string | number;
      readonly contains?: string;
      readonly has?: Scalar | readonly Scalar[];
      readonly exists?: boolean;
    };

/** All conditions must hold. Keys are dotted paths. */
export type Filter = Readonly<Record<string, Condition>>;

export interface FindOptions {
  readonly filter?: Filter;
  /** `-1` is descending. Ties are broken by `_id`, ascending. */
  readonly sort?: readonly (readonly [field: string, direction: 1 | -1])[];
  readonly skip?: number;
  /** At most 1,000, which is the default. */
  readonly limit?: number;
}

/**
 * One write of a batch. `put` replaces or creates; with `position`, a document that already reflects that position or a
 * later one is left as it is. `remove` leaves a tombstone with its position when there is one, so that an older event
 * cannot bring the document back; without a position the document goes for good.
 */
export type Write =
  | { readonly collection: string; readonly put: Document; readonly position?: number }
  | { readonly collection: string; readonly remove: string; readonly position?: number };

/** `set` and `unset` by dotted path, `increment` a number (a missing field counts as 0). */
export interface Patch {
  readonly set?: Readonly<Record<string, unknown>>;
  readonly unset?: readonly string[];
  readonly increment?: Readonly<Record<string, number>>;
}

/** One of several changes: as `updateIf` makes it. */
export interface Change {
  readonly filter: Filter;
  readonly patch: Patch;
}

export interface DeclareOptions {
  /**
   * `begins`: the indexes are those that the collection is to have once it is full; an engine may make ready for them.
   * `ends`: it is full, and nothing is written to it until they are there.
   */
  readonly filling?: 'begins' | 'ends';
}

/** Documents that have the same values at the fields by which they are counted. */
export interface Group {
  readonly values: readonly (string | number | null)[];
  readonly count: number;
}

/** A write that would give two documents the same value under a unique index. */
export class DuplicateKey extends Error {
  override readonly name = 'DuplicateKey';
}

/** A find whose filter and sort no declared index serves: a mistake of the programmer, never of a caller. */
export class NoIndexServes extends Error {
  override readonly name = 'NoIndexServes';
}

/**
 * JSON documents in named collections. Used twice with different promises: READ_STORE holds what the log can rebuild,
 * STATE_STORE what it cannot (durable once a write's promise resolves).
 *
 * A find is refused (`NoIndexServes`) when neither `_id` nor a declared index serves its filter or its sort; further
 * conditions narrow what the index yields. Tombstones are never found. Errors: `EngineUnavailable`, `DuplicateKey`.
 */
export interface DocumentStore {
  /** Creates the collection and its indexes where they are missing. Repeatable. */
  declare(collection: string, indexes?: readonly IndexSpec[], options?: DeclareOptions): Promise<void>;
  get<Doc extends Document>(collection: string, id: string): Promise<Doc | null>;
  /** In any order; missing ones are left out. */
  getMany<Doc extends Document>(collection: string, ids: readonly string[]): Promise<readonly Doc[]>;
  /** The texts at one field, by id, without the rest of the documents; what is no text there is left out. */
  textsAt(collection: string, field: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /**
   * Writes in order. On an engine with transactions all or nothing; elsewhere each write is idempotent and the last one
   * (the checkpoint) comes last.
   */
  write(batch: readonly Write[]): Promise<void>;
  find<Doc extends Document>(collection: string, options?: FindOptions): Promise<readonly Doc[]>;
  count(collection: string, filter?: Filter): Promise<number>;
  /** What the numbers at `field` come to, over all matching documents; anything else there counts nothing. */
  sum(collection: string, field: string, filter?: Filter): Promise<number>;
  /**
   * How many matching documents have which texts, numbers or nulls at some fields, in any order; what is missing reads
   * null. An index that holds all that is asked about is read instead of the documents.
   */
  countBy(collection: string, fields: readonly string[], filter?: Filter): Promise<readonly Group[]>;
  /** False when a document with that `_id` exists already. */
  insertIfAbsent(collection: string, document: Document): Promise<boolean>;
  /** Changes one matching document atomically and returns it as it is afterwards; null when none matches. */
  updateIf<Doc extends Document>(collection: string, filter: Filter, patch: Patch): Promise<Doc | null>;
  /**
   * Makes each change as `updateIf` does, and returns how many found their document. On an engine with transactions all
   * or nothing; elsewhere each by itself.
   */
  updateEach(collection: string, changes: readonly Change[]): Promise<number>;
  /** Deletes at most `limit` matching documents for good and returns how many. */
  deleteMany(collection: string, filter: Filter, limit: number): Promise<number>;
  drop(collection: string): Promise<void>;
  /**
   * Resolves once what was deleted or replaced before is gone from the engine's files, as far as the adapter can have
   * that at once (docs/rules/personal-data.md#files). `isRewrite`: all of it, however long that takes. `occasion`: a
   * repeat for the same one goes on where the one before has failed.
   */
  erase(options?: { readonly isRewrite?: boolean; readonly occasion?: number | null }): Promise<void>;
  /** Names of the collections that exist. */
  collections(): Promise<readonly string[]>;
  /** What has been written since the start, for metrics; missing where the adapter does not count. */
  readonly written?: { readonly commits: number; readonly documents: number };
  /** True when this process is the only one that can write while it runs: what an earlier one held died with it. */
  readonly isOnlyWriter: boolean;
  /** Throws `EngineUnavailable` when the engine does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
