import type { Document, IndexSpec } from '#kernel/projection.ts';
import {
  applyPatch,
  checkCollection,
  checkFind,
  isServed,
  noIndexServes,
  operatorsOf,
  pathOf,
  textsIn,
  valueAt,
  valueOn,
  type Operators,
} from '#ports/document-rules.ts';
import type {
  Change,
  DeclareOptions,
  DocumentStore,
  Filter,
  FindOptions,
  Group,
  Patch,
  Scalar,
  Write,
} from '#ports/document-store.ts';
import { DuplicateKey } from '#ports/document-store.ts';

/** A tombstone has no document. */
interface Row {
  readonly document: Document | null;
  readonly position: number | null;
}

interface Collection {
  readonly indexes: IndexSpec[];
  readonly rows: Map<string, Row>;
}

export interface MemoryDocumentStoreOptions {
  /** For tests in which several services stand for processes of their own. Default false. */
  readonly isShared?: boolean;
}

/** Documents in this process, gone with it: for tests, and the yardstick of the other adapters. */
export const createMemoryDocumentStore = ({
  isShared = false,
}: MemoryDocumentStoreOptions = {}): DocumentStore => new MemoryDocumentStore(isShared);

class MemoryDocumentStore implements DocumentStore {
  readonly isOnlyWriter: boolean;
  readonly #collections = new Map<string, Collection>();

  constructor(isShared: boolean) {
    this.isOnlyWriter = !isShared;
  }

  async declare(
    name: string,
    indexes: readonly IndexSpec[] = [],
    { filling }: DeclareOptions = {},
  ): Promise<void> {
    const { indexes: declared, rows } = this.#collection(name);
    if (filling === 'begins') return;
    for (const index of indexes) {
      if (declared.some((other) => isSame(index, other))) continue;
      for (const { document } of rows.values()) if (document) checkUnique(name, [index], rows, document);
      declared.push(index);
    }
  }

  async get<Doc extends Document>(name: string, id: string): Promise<Doc | null> {
    return structuredClone((this.#find(name)?.rows.get(id)?.document ?? null) as Doc | null);
  }

  async getMany<Doc extends Document>(name: string, ids: readonly string[]): Promise<readonly Doc[]> {
    const found = await Promise.all([...new Set(ids)].map((id) => this.get<Doc>(name, id)));
    return found.filter((document) => document !== null);
  }

  async textsAt(name: string, field: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return textsIn(await this.getMany(name, ids), field);
  }

  async write(batch: readonly Write[]): Promise<void> {
    const undo: (() => void)[] = [];
    try {
      for (const write of batch) undo.push(apply(this.#collection(write.collection), write));
    } catch (error) {
      for (const step of undo.reverse()) step();
      throw error;
    }
  }

  async find<Doc extends Document>(name: string, options: FindOptions = {}): Promise<readonly Doc[]> {
    const { filter, sort, skip, limit } = checkFind(options);
    const found = this.#matching(name, filter, sort).sort((one, other) => compareBy(sort, one, other));
    return structuredClone(found.slice(skip, skip + limit)) as Doc[];
  }

  async count(name: string, filter: Filter = {}): Promise<number> {
    return this.#matching(name, filter).length;
  }

  async sum(name: string, field: string, filter: Filter = {}): Promise<number> {
    const values = this.#matching(name, filter).map((document) => valueAt(document, field));
    return values.reduce<number>((sum, value) => (typeof value === 'number' ? sum + value : sum), 0);
  }

  async countBy(name: string, fields: readonly string[], filter: Filter = {}): Promise<readonly Group[]> {
    const groups = Map.groupBy(this.#matching(name, filter), (document) =>
      JSON.stringify(fields.map((field) => valueAt(document, field) ?? null)),
    );
    return [...groups].map(([values, { length }]) => ({
      values: JSON.parse(values) as Group['values'],
      count: length,
    }));
  }

  async insertIfAbsent(name: string, document: Document): Promise<boolean> {
    const collection = this.#collection(name);
    if (collection.rows.get(document._id)?.document) return false;
    apply(collection, { collection: name, put: document });
    return true;
  }

  async updateIf<Doc extends Document>(name: string, filter: Filter, patch: Patch): Promise<Doc | null> {
    const [document] = this.#matching(name, filter);
    if (!document) return null;
    const { indexes, rows } = this.#collection(name);
    const changed = asStored(applyPatch(document, patch));
    checkUnique(name, indexes, rows, changed);
    rows.set(changed._id, { document: changed, position: rows.get(changed._id)?.position ?? null });
    return structuredClone(changed) as Doc;
  }

  async updateEach(name: string, changes: readonly Change[]): Promise<number> {
    let changed = 0;
    for (const { filter, patch } of changes) if (await this.updateIf(name, filter, patch)) changed++;
    return changed;
  }

  async deleteMany(name: string, filter: Filter, limit: number): Promise<number> {
    const found = this.#matching(name, filter).slice(0, limit);
    for (const { _id } of found) this.#collection(name).rows.delete(_id);
    return found.length;
  }

  async drop(name: string): Promise<void> {
    this.#collections.delete(checkCollection(name));
  }

  /** There are no files. */
  async erase(): Promise<void> {}

  async collections(): Promise<readonly string[]> {
    return [...this.#collections.keys()];
  }

  async ping(): Promise<void> {}

  async close(): Promise<void> {}

  #find(name: string): Collection | undefined {
    return this.#collections.get(checkCollection(name));
  }

  #collection(name: string): Collection {
    const collection = this.#find(name) ?? { indexes: [], rows: new Map<string, Row>() };
    this.#collections.set(name, collection);
    return collection;
  }

  #matching(name: string, filter: Filter, sort?: FindOptions['sort']): Document[] {
    const { indexes = [], rows } = this.#find(name) ?? {};
    if (!isServed(indexes, filter, sort)) throw noIndexServes(name, filter, sort);
    const isMatch = matching(filter);
    const found: Document[] = [];
    for (const { document } of rows?.values() ?? []) if (document && isMatch(document)) found.push(document);
    return found;
  }
}

/** Returns how to take the write back. */
function apply({ indexes, rows }: Collection, write: Write): () => void {
  const id = 'put' in write ? write.put._id : write.remove;
  const before = rows.get(id);
  const position = write.position ?? null;
  if (before && before.position !== null && position !== null && position <= before.position) return () => {};
  if ('put' in write) {
    const document = asStored(write.put);
    checkUnique(write.collection, indexes, rows, document);
    rows.set(id, { document, position });
  } else if (position === null) {
    rows.delete(id);
  } else {
    rows.set(id, { document: null, position });
  }
  return () => (before ? rows.set(id, before) : rows.delete(id));
}

/** What a document is once it has been JSON; no caller holds a part of it. */
const asStored = <Doc extends Document>(document: Doc): Doc => JSON.parse(JSON.stringify(document)) as Doc;

function checkUnique(
  name: string,
  indexes: readonly IndexSpec[],
  rows: ReadonlyMap<string, Row>,
  document: Document,
): void {
  for (const { fields } of indexes.filter(({ unique }) => unique)) {
    const values = fields.map((field) => valueAt(document, field) ?? null);
    if (values.includes(null)) continue;
    for (const { document: other } of rows.values()) {
      if (!other || other._id === document._id) continue;
      if (fields.every((field, place) => valueAt(other, field) === values[place])) {
        throw new DuplicateKey(`${name} already has a document with this ${fields.join(', ')}`);
      }
    }
  }
}

const isSame = (one: IndexSpec, other: IndexSpec): boolean =>
  one.fields.join() === other.fields.join() && Boolean(one.unique) === Boolean(other.unique);

const holds = (value: unknown, operators: Operators): boolean => {
  const { in: values, ne, gt, gte, lt, lte, contains, has, exists } = operators;
  const is = (bound: string | number | undefined, isInOrder: (order: number) => boolean): boolean =>
    bound === undefined || (typeof value === typeof bound && isInOrder(compare(value, bound)));
  return (
    (values === undefined || values.includes(value as Scalar)) &&
    (ne === undefined || value !== ne) &&
    is(gt, (order) => order > 0) &&
    is(gte, (order) => order >= 0) &&
    is(lt, (order) => order < 0) &&
    is(lte, (order) => order <= 0) &&
    (contains === undefined || (typeof value === 'string' && value.includes(contains))) &&
    (has === undefined || (Array.isArray(value) && [has].flat().some((one) => value.includes(one)))) &&
    (exists === undefined || (value !== null) === exists)
  );
};

/** Reads a filter once, for all the documents that are held against it. */
export function matching(filter: Filter): (document: Document) => boolean {
  const conditions = Object.entries(filter).map(([field, condition]) => ({
    path: pathOf(field),
    operators: operatorsOf(field, condition),
  }));
  return (document) =>
    conditions.every(({ path, operators }) => holds(valueOn(document, path) ?? null, operators));
}

export function compareBy(sort: NonNullable<FindOptions['sort']>, one: Document, other: Document): number {
  for (const [field, direction] of sort) {
    const order = compare(valueAt(one, field), valueAt(other, field));
    if (order !== 0) return order * direction;
  }
  return compare(one._id, other._id);
}

/** Missing or null before numbers before texts, these by code point. */
function compare(one: unknown, other: unknown): number {
  if (typeof one === 'string' && typeof other === 'string')
    return Buffer.compare(Buffer.from(one), Buffer.from(other));
  const rank = (value: unknown): number =>
    ['undefined', 'number', 'string', 'boolean'].indexOf(typeof (value ?? undefined));
  return rank(one) - rank(other) || Math.sign(Number(one ?? 0) - Number(other ?? 0)) || 0;
}
