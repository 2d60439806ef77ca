import { LRUCache } from 'lru-cache';
import type { DataSubject } from '#kernel/decider.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { keyFor } from '#runtime/keys.ts';
import { newKey, seal, unseal } from '#runtime/encryption.ts';

/**
 * The keys of data subjects. Each encrypts the personal fields of one subject (a basket, a customer); without it they
 * read as null. Errors: `EngineUnavailable`.
 */
export interface SubjectKeys {
  /**
   * The subject's key, durable before this resolves. A customer who is named is kept with it. Two callers at once get
   * the same key. Of a new subject, nothing is looked for first.
   */
  ensure(subject: DataSubject, isNew?: boolean): Promise<Buffer>;
  /** Keeps the customer's name with the key of a basket, if it has one. */
  nameCustomer(subject: DataSubject): Promise<void>;
  /** The keys that exist; forgotten subjects are left out, and those whose keys cannot be opened. */
  load(subjects: ReadonlySet<string>): Promise<ReadonlyMap<string, Buffer>>;
  /**
   * Destroys the key of the subject and those of the baskets that name it as their customer. Other processes may read
   * the personal fields for up to a minute more. Returns how many keys there were.
   */
  forget(subject: string): Promise<number>;
  /** How often a key was met that the application key does not open. */
  unreadable(): number;
}

interface KeyRecord extends Document {
  readonly wrapped: string;
  readonly customerId: string | null;
  /** Keys of this subject that were sealed with another application key, kept in case that one is found again. */
  readonly unreadable?: readonly string[];
}

interface KnownKey {
  readonly key: Buffer;
  readonly customerId: string | null;
}

const collection = 'subjectKeys';
const maxKnown = 10_000;
/** How long a key that was destroyed elsewhere may still be known here. Real time. */
const knownForMs = 60_000;
const pageSize = 500;
/** The keys sampled to tell whether a store was written under an application key. */
const sampleSize = 100;

/** Keys in the state store, each wrapped with the application key (32 bytes). */
export const createSubjectKeys = async (options: {
  readonly store: DocumentStore;
  readonly applicationKey: Buffer;
}): Promise<SubjectKeys> => {
  await options.store.declare(collection, [{ fields: ['customerId'] }]);
  return new StoredSubjectKeys(options.store, keyFor(options.applicationKey, 'subject keys'));
};

/** False where there are keys of subjects, and this application key opens none of the first hundred. */
export const opensSome = async (store: DocumentStore, applicationKey: Buffer): Promise<boolean> => {
  const wrappingKey = keyFor(applicationKey, 'subject keys');
  const sample = await store.find<KeyRecord>(collection, { limit: sampleSize });
  return sample.length === 0 || sample.some(({ wrapped }) => unseal(wrappingKey, wrapped) !== null);
};

class StoredSubjectKeys implements SubjectKeys {
  readonly #store: DocumentStore;
  readonly #wrappingKey: Buffer;
  readonly #known = new LRUCache<string, KnownKey>({ max: maxKnown, ttl: knownForMs });
  #unreadable = 0;

  constructor(store: DocumentStore, wrappingKey: Buffer) {
    this.#store = store;
    this.#wrappingKey = wrappingKey;
  }

  async ensure(subject: DataSubject, isNew = false): Promise<Buffer> {
    const found = this.#known.get(subject.id) ?? (isNew ? null : await this.#find(subject.id));
    const known = found ?? (await this.#create(subject));
    if (isToBeNamed(known, subject)) await this.nameCustomer(subject);
    return known.key;
  }

  async nameCustomer({ id, customerId = null }: DataSubject): Promise<void> {
    if (customerId === null || customerId === id || this.#known.get(id)?.customerId === customerId) return;
    const record = await this.#store.updateIf<KeyRecord>(collection, { _id: id }, { set: { customerId } });
    if (record) this.#remember(record);
  }

  async load(subjects: ReadonlySet<string>): Promise<ReadonlyMap<string, Buffer>> {
    const found = new Map<string, Buffer>();
    const missing: string[] = [];
    for (const subject of subjects) {
      const known = this.#known.get(subject);
      if (known) found.set(subject, known.key);
      else missing.push(subject);
    }
    for (let from = 0; from < missing.length; from += pageSize) {
      const page = missing.slice(from, from + pageSize);
      for (const record of await this.#store.getMany<KeyRecord>(collection, page)) {
        const known = this.#remember(record);
        if (known) found.set(record._id, known.key);
      }
    }
    return found;
  }

  async forget(subject: string): Promise<number> {
    let destroyed = await this.#store.deleteMany(collection, { _id: subject }, 1);
    for (;;) {
      const deleted = await this.#store.deleteMany(collection, { customerId: subject }, pageSize);
      destroyed += deleted;
      if (deleted < pageSize) break;
    }
    for (const [id, { customerId }] of [...this.#known.entries()]) {
      if (id === subject || customerId === subject) this.#known.delete(id);
    }
    return destroyed;
  }

  unreadable(): number {
    return this.#unreadable;
  }

  async #find(subject: string): Promise<KnownKey | null> {
    const record = await this.#store.get<KeyRecord>(collection, subject);
    return record && (this.#remember(record) ?? this.#replace(record));
  }

  /** What was sealed with a key that cannot be opened stays unreadable; what is written from now on is not. */
  async #replace({ _id, wrapped, unreadable = [] }: KeyRecord): Promise<KnownKey | null> {
    const key = newKey();
    const set = { wrapped: seal(this.#wrappingKey, key), unreadable: [...unreadable, wrapped] };
    const replaced = await this.#store.updateIf<KeyRecord>(collection, { _id, wrapped }, { set });
    return replaced ? this.#keep(replaced, key) : this.#find(_id);
  }

  async #create({ id, customerId = null }: DataSubject): Promise<KnownKey> {
    const key = newKey();
    const record: KeyRecord = { _id: id, wrapped: seal(this.#wrappingKey, key), customerId };
    const isOurs = await this.#store.insertIfAbsent(collection, record);
    const known = isOurs ? this.#keep(record, key) : await this.#find(id);
    if (!known) throw new Error(`the key of data subject ${id} was destroyed while it was being made`);
    return known;
  }

  /** Null for a key that was sealed with another application key. */
  #remember(record: KeyRecord): KnownKey | null {
    const opened = unseal(this.#wrappingKey, record.wrapped);
    if (opened) return this.#keep(record, onItsOwn(opened));
    this.#unreadable++;
    return null;
  }

  #keep({ _id, customerId }: KeyRecord, key: Buffer): KnownKey {
    const known = { key, customerId };
    this.#known.set(_id, known);
    return known;
  }
}

/** Outside Node's pool, a slab of which each of ten thousand known keys would otherwise keep from being freed. */
const onItsOwn = (key: Buffer): Buffer => {
  const copy = Buffer.allocUnsafeSlow(key.length);
  key.copy(copy);
  return copy;
};

const isToBeNamed = (known: KnownKey, { id, customerId = null }: DataSubject): boolean =>
  customerId !== null && customerId !== id && known.customerId !== customerId;
