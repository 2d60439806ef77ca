import type { Collection, Db, IndexDescription } from 'mongodb';

import type { IndexSpec } from '#kernel/projection.ts';
import { isServed, noIndexServes, pathOf } from '#ports/document-rules.ts';
import type { Filter, FindOptions } from '#ports/document-store.ts';
import { exemptionOf, placeOf, type Row } from './document-row.ts';
import { isCollectionThere, isNoCollection } from './mongo-errors.ts';

// MongoDB's own list of indexes is the only register; a process remembers what it read there.

export class DocumentIndexes {
  readonly #db: Db;
  readonly #known = new Map<string, readonly IndexSpec[]>();

  constructor(db: Db) {
    this.#db = db;
  }

  /** Creates the collection and its indexes where they are missing; several clients may do so at once. */
  async declare(collection: string, wanted: readonly IndexSpec[]): Promise<void> {
    for (const { fields, including = [] } of wanted) [...fields, ...including].forEach(pathOf);
    await this.#db.createCollection(collection).catch(async (error: unknown) => {
      // Where two clients create it at once, not every server says so with a code.
      if (!isCollectionThere(error) && !(await this.#isThere(collection))) throw error;
    });
    await this.refresh(collection);
    const rows = this.#db.collection<Row>(collection);
    for (const index of wanted) {
      // A pattern is looked for in what an index includes, by the server: there is none for parts of texts.
      if (index.contains) continue;
      if (this.#known.get(collection)?.some((known) => isSame(known, index))) continue;
      if (index.unique) await exemptAll(rows, index);
      await rows.createIndexes(descriptionsOf(index));
    }
    await this.refresh(collection);
  }

  /** Throws `NoIndexServes`. */
  async check(collection: string, filter: Filter, sort?: FindOptions['sort']): Promise<void> {
    if (isServed(this.#known.get(collection) ?? [], filter, sort)) return;
    await this.refresh(collection);
    if (!isServed(this.#known.get(collection) ?? [], filter, sort))
      throw noIndexServes(collection, filter, sort);
  }

  async uniquesOf(collection: string): Promise<readonly IndexSpec[]> {
    if (!this.#known.has(collection)) await this.refresh(collection);
    return (this.#known.get(collection) ?? []).filter(({ unique }) => unique);
  }

  /** Reads the list again and returns whether it says something new. */
  async refresh(collection: string): Promise<boolean> {
    const found = await this.#db
      .collection(collection)
      .listIndexes()
      .toArray()
      .catch((error: unknown) => {
        if (isNoCollection(error)) return [];
        throw error;
      });
    const before = this.#known.get(collection);
    const indexes = found.map(specOf).filter(({ fields }) => fields.length > 0);
    this.#known.set(collection, indexes);
    return JSON.stringify(before) !== JSON.stringify(indexes);
  }

  #isThere(collection: string): Promise<boolean> {
    return this.#db.listCollections({ name: collection }, { nameOnly: true }).hasNext();
  }

  forget(collection: string): void {
    this.#known.delete(collection);
  }
}

/**
 * A find breaks ties by ascending id unless it says otherwise, and MongoDB walks an index in its own order or in
 * exactly the opposite one: so a plain index comes in two directions. One that holds more fields than it is sorted by
 * is large: it comes in one.
 */
function descriptionsOf(index: IndexSpec): IndexDescription[] {
  const keyed = (direction: 1 | -1) => index.fields.map((field) => [placeOf(field), direction] as const);
  if (index.unique) {
    return [{ key: new Map([...keyed(1), [`exempt.${exemptionOf(index)}`, 1]]), unique: true }];
  }
  const { including } = index;
  if (including) {
    const more = including.map((field) => [placeOf(field), 1] as const);
    return [{ key: new Map([...keyed(1), ['_id', 1] as const, ...more]) }];
  }
  return ([1, -1] as const).map((direction) => ({
    key: new Map([...keyed(direction), ['_id', 1] as const]),
  }));
}

const specOf = ({ key, unique }: { readonly key: object; readonly unique?: boolean }): IndexSpec => {
  const places = Object.keys(key);
  const fieldsOf = (some: readonly string[]): readonly string[] =>
    some.filter((place) => place.startsWith('doc.')).map((place) => place.slice('doc.'.length));
  const end = places.indexOf('_id');
  const including = end < 0 ? [] : fieldsOf(places.slice(end));
  return {
    fields: fieldsOf(end < 0 ? places : places.slice(0, end)),
    unique: unique === true,
    ...(including.length > 0 && { including }),
  };
};

const isSame = (one: IndexSpec, other: IndexSpec): boolean =>
  one.fields.join() === other.fields.join() &&
  one.including?.join() === other.including?.join() &&
  Boolean(one.unique) === Boolean(other.unique);

/** Marks the rows written before the unique index was there, tombstones too. */
async function exemptAll(rows: Collection<Row>, index: IndexSpec): Promise<void> {
  const mark = `exempt.${exemptionOf(index)}`;
  const unmarked = {
    [mark]: { $exists: false },
    $or: index.fields.map((field) => ({ [placeOf(field)]: null })),
  };
  for (;;) {
    const found = await rows.find(unmarked, { projection: { _id: 1 }, limit: 1000 }).toArray();
    if (found.length === 0) return;
    await rows.bulkWrite(
      found.map(({ _id }) => ({
        updateOne: { filter: { ...unmarked, _id }, update: { $set: { [mark]: _id } } },
      })),
    );
  }
}
