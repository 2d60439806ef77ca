import { LRUCache } from 'lru-cache';
import { atMost } from '#kernel/at-most.ts';
import type { DataSubject } from '#kernel/decider.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { keyFor } from '#runtime/keys.ts';
import { abandonedCheckoutId } from '#values/abandoned-checkout.ts';
import { newKey, seal, unseal } from '#runtime/encryption.ts';

/**
 * The keys of data subjects. Each encrypts the personal fields of one subject (a basket, a customer); without it they
 * read as null. Errors: `EngineUnavailable`.
 */
export interface SubjectKeys {
  /**
   * The subject's key, durable before this resolves; null once it is forgotten. A customer who is named is kept with
   * it. Two callers at once get the same key. Of a new subject, nothing is looked for first.
   */
  ensure(subject: DataSubject, isNew?: boolean): Promise<Buffer | null>;
  /** Keeps the customer's name with the key of a basket, if it has one. */
  nameCustomer(subject: DataSubject): Promise<void>;
  /** The keys that exist; forgotten subjects are left out, and those whose keys cannot be opened. */
  load(subjects: ReadonlySet<string>): Promise<ReadonlyMap<string, Buffer>>;
  /**
   * Destroys the key of the subject and those of the subjects that name it as their customer; none of them ever gets
   * one again. Other processes may read the personal fields for up to a minute more. Returns how many keys there were.
   */
  forget(subject: string): Promise<number>;
  isForgotten(subject: string): Promise<boolean>;
  /** The subjects that name a customer, or once did, forgotten ones too: a page of them, in the order of their ids. */
  namedBy(customerId: string, after?: string): Promise<NamedSubjects>;
  /** The customer whom a basket names, forgotten or not. */
  customerOf(subject: string): Promise<string | null>;
  /** Whose record of an abandoned checkout this is, forgotten or not; null for one that no key tells of. */
  ofRecord(recordId: string): Promise<DataSubject | null>;
  /** Looks for every key again: what other processes have destroyed is known here from then on. */
  dropKnown(): void;
  /** How often a key was met that the application key does not open. */
  unreadable(): number;
}

/** A page of subjects; `next` is where the following one begins, null after the last. */
export interface NamedSubjects {
  readonly ids: readonly string[];
  readonly next: string | null;
}

/**
 * The key of a subject. Without `wrapped` it is the mark of one that is forgotten; with `of`, what is left of the time
 * when that subject named another customer.
 */
interface KeyRecord extends Document {
  readonly wrapped: string | null;
  readonly customerId: string | null;
  readonly of?: string;
  /** Of a basket, under which its abandoned checkout is shown; missing in keys of older releases. */
  readonly recordId?: string;
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
export const KNOWN_KEYS_MILLISECONDS = 60_000;
const pageSize = 500;
/** The keys sampled to tell whether a store was written under an application key. */
const sampleSize = 100;

/** Keys in the state store, each wrapped with the application key (32 bytes). */
export const createSubjectKeys = async (options: {
  readonly store: DocumentStore;
  readonly applicationKey: Buffer;
}): Promise<SubjectKeys> => {
  await options.store.declare(collection, [{ fields: ['customerId'] }, { fields: ['recordId'] }]);
  return new StoredSubjectKeys(options.store, keyFor(options.applicationKey, 'subject keys'));
};

/** False where there are keys of subjects, and this application key opens none of the first hundred. */
export const opensSome = async (store: DocumentStore, applicationKey: Buffer): Promise<boolean> => {
  const wrappingKey = keyFor(applicationKey, 'subject keys');
  const sample = await store.find<KeyRecord>(collection, { limit: sampleSize });
  const keys = sample.flatMap(({ wrapped }) => wrapped ?? []);
  return keys.length === 0 || keys.some((wrapped) => unseal(wrappingKey, wrapped) !== null);
};

class StoredSubjectKeys implements SubjectKeys {
  readonly #store: DocumentStore;
  readonly #wrappingKey: Buffer;
  readonly #known = new LRUCache<string, KnownKey>({ ...atMost(maxKnown), ttl: KNOWN_KEYS_MILLISECONDS });
  #unreadable = 0;

  constructor(store: DocumentStore, wrappingKey: Buffer) {
    this.#store = store;
    this.#wrappingKey = wrappingKey;
  }

  async ensure(subject: DataSubject, isNew = false): Promise<Buffer | null> {
    const found = this.#known.get(subject.id) ?? (isNew ? 'missing' : await this.#find(subject.id));
    if (found === 'forgotten') return null;
    if (found === 'missing') return this.#create(subject);
    if (!isToBeNamed(found, subject)) return found.key;
    await this.nameCustomer(subject);
    return this.#known.get(subject.id)?.key ?? null;
  }

  async nameCustomer({ id, customerId = null }: DataSubject): Promise<void> {
    if (customerId === null || customerId === id || this.#known.get(id)?.customerId === customerId) return;
    const found = await this.#store.get<KeyRecord>(collection, id);
    if (!found) return;
    const { customerId: before } = found;
    if (before !== null && before !== customerId) await this.#rememberFormer(id, before);
    const set = { customerId, ...recordOf({ id, customerId }) };
    const asFound = { _id: id, customerId: before };
    const record = await this.#store.updateIf<KeyRecord>(collection, asFound, { set });
    // Another process has named someone else in the meantime: they are remembered, too.
    if (!record) return this.nameCustomer({ id, customerId });
    if (await this.isForgotten(customerId)) await this.#destroy([record]);
    else this.#remember(record);
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
    // Marked before those who name it are looked for: whoever names it from now on finds the mark.
    let destroyed = await this.#destroyAll([subject]);
    for (let after: string | null = ''; after !== null;) {
      const page: NamedSubjects = await this.namedBy(subject, after);
      destroyed += await this.#destroyAll(page.ids);
      after = page.next;
    }
    return destroyed;
  }

  async isForgotten(subject: string): Promise<boolean> {
    const record = await this.#store.get<KeyRecord>(collection, subject);
    return record !== null && isMark(record);
  }

  async namedBy(customerId: string, after = ''): Promise<NamedSubjects> {
    const page = await this.#store.find<KeyRecord>(collection, {
      filter: { customerId, _id: { gt: after } },
      sort: [['_id', 1]],
      limit: pageSize,
    });
    return {
      ids: page.map(({ _id, of }) => of ?? _id),
      next: page.length < pageSize ? null : (page.at(-1)?._id ?? null),
    };
  }

  async customerOf(subject: string): Promise<string | null> {
    return (await this.#store.get<KeyRecord>(collection, subject))?.customerId ?? null;
  }

  async ofRecord(recordId: string): Promise<DataSubject | null> {
    const [record] = await this.#store.find<KeyRecord>(collection, { filter: { recordId }, limit: 1 });
    return record ? { id: record._id, customerId: record.customerId } : null;
  }

  dropKnown(): void {
    this.#known.clear();
  }

  unreadable(): number {
    return this.#unreadable;
  }

  async #find(subject: string): Promise<KnownKey | 'forgotten' | 'missing'> {
    const record = await this.#store.get<KeyRecord>(collection, subject);
    if (record === null) return 'missing';
    if (isMark(record)) return 'forgotten';
    return this.#remember(record) ?? this.#replace(record);
  }

  /** What was sealed with a key that cannot be opened stays unreadable; what is written from now on is not. */
  async #replace({ _id, wrapped, unreadable = [] }: KeyRecord): Promise<KnownKey | 'forgotten' | 'missing'> {
    const key = newKey();
    const set = { wrapped: seal(this.#wrappingKey, key), unreadable: [...unreadable, wrapped] };
    const replaced = await this.#store.updateIf<KeyRecord>(collection, { _id, wrapped }, { set });
    return replaced ? this.#keep(replaced, key) : this.#find(_id);
  }

  async #create({ id, customerId = null }: DataSubject): Promise<Buffer | null> {
    const key = newKey();
    const wrapped = seal(this.#wrappingKey, key);
    const record: KeyRecord = { _id: id, wrapped, customerId, ...recordOf({ id, customerId }) };
    if (!(await this.#store.insertIfAbsent(collection, record))) return this.ensure({ id, customerId });
    if (customerId !== null && customerId !== id && (await this.isForgotten(customerId))) {
      await this.#destroy([record]);
      return null;
    }
    return this.#keep(record, key).key;
  }

  /** The subject held what is personal to a customer whom it does not name any more. */
  async #rememberFormer(id: string, customerId: string): Promise<void> {
    const former: KeyRecord = { _id: `${id} of ${customerId}`, wrapped: null, customerId, of: id };
    await this.#store.insertIfAbsent(collection, former);
  }

  /** Returns how many of the subjects had a key. */
  async #destroyAll(subjects: readonly string[]): Promise<number> {
    const found = await this.#store.getMany<KeyRecord>(collection, subjects);
    const byId = new Map(found.map((record) => [record._id, record]));
    const records = [...new Set(subjects)].map(
      (id) => byId.get(id) ?? ({ _id: id, wrapped: null, customerId: null } satisfies KeyRecord),
    );
    await this.#destroy(records.filter((record) => !byId.has(record._id) || !isMark(record)));
    return found.filter((record) => !isMark(record)).length;
  }

  /** The marks that stay keep the customers' names: what was forgotten with whom is found again after a kill. */
  async #destroy(records: readonly KeyRecord[]): Promise<void> {
    const marks = records.map(({ wrapped: _, unreadable: __, ...kept }): KeyRecord => ({
      ...kept,
      wrapped: null,
    }));
    if (marks.length > 0) await this.#store.write(marks.map((put) => ({ collection, put })));
    for (const { _id } of marks) this.#known.delete(_id);
  }

  /** Null for a key that was sealed with another application key. */
  #remember(record: KeyRecord): KnownKey | null {
    if (record.wrapped === null) return null;
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

/** What names a customer other than itself is a basket, or an address book, which has no record. */
const recordOf = ({ id, customerId = null }: DataSubject): { readonly recordId?: string } =>
  customerId === null || customerId === id ? {} : { recordId: abandonedCheckoutId(id) };

const isMark = ({ wrapped, of }: KeyRecord): boolean => wrapped === null && of === undefined;

const isToBeNamed = (known: KnownKey, { id, customerId = null }: DataSubject): boolean =>
  customerId !== null && customerId !== id && known.customerId !== customerId;
