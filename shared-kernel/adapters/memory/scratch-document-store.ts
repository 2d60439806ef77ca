import type { Document } from '#kernel/projection.ts';
import { checkFind } from '#ports/document-rules.ts';
import type {
  Change,
  DocumentStore,
  Filter,
  FindOptions,
  Group,
  Patch,
  Write,
} from '#ports/document-store.ts';
import { compareBy, createMemoryDocumentStore, matching } from './memory-document-store.ts';

const PAGE = 1000;

/** A document of a read model says which position it reflects. */
const positionOf = (document: Document): { readonly position?: number } => {
  const { _position } = document as { readonly _position?: unknown };
  return typeof _position === 'number' ? { position: _position } : {};
};

const idOf = (write: Write): string => ('put' in write ? write.put._id : write.remove);

/** What is to be known of some documents. */
type Question<Answer> = (store: DocumentStore, filter: Filter) => Promise<Answer>;

/** What is true of some of the documents: added, or taken off. */
interface Part<Answer> {
  readonly sign: 1 | -1;
  readonly answer: Answer;
}

const answerAmong = async <Answer>(
  documents: readonly Document[],
  collection: string,
  ask: Question<Answer>,
): Promise<Answer> => {
  const few = createMemoryDocumentStore();
  await few.write(documents.map((put) => ({ collection, put })));
  return ask(few, {});
};

const groupsAddedUp = (parts: readonly Part<readonly Group[]>[]): readonly Group[] => {
  const counts = new Map<string, number>();
  for (const { sign, answer } of parts)
    for (const { values, count } of answer) {
      const key = JSON.stringify(values);
      counts.set(key, (counts.get(key) ?? 0) + sign * count);
    }
  return [...counts]
    .filter(([, count]) => count > 0)
    .map(([key, count]) => ({ values: JSON.parse(key) as Group['values'], count }));
};

/**
 * The documents of a store that is only read, and over them what is written here: in memory, gone with the process. A
 * document that is written is copied first, so that the conditions of writes hold as they would in the store itself.
 */
export const createScratchDocumentStore = (base: DocumentStore): DocumentStore =>
  new ScratchDocumentStore(base);

class ScratchDocumentStore implements DocumentStore {
  readonly isOnlyWriter: boolean;
  readonly #base: DocumentStore;
  readonly #scratch = createMemoryDocumentStore();
  /** Of each collection, what the base is no longer asked for. */
  readonly #copied = new Map<string, Set<string>>();
  readonly #dropped = new Set<string>();
  #known: ReadonlySet<string> = new Set();
  #last: Promise<unknown> = Promise.resolve();

  constructor(base: DocumentStore) {
    this.#base = base;
    this.isOnlyWriter = base.isOnlyWriter;
  }

  declare(...declared: Parameters<DocumentStore['declare']>): Promise<void> {
    return this.#scratch.declare(...declared);
  }

  async get<Doc extends Document>(collection: string, id: string): Promise<Doc | null> {
    if (this.#copiedOf(collection).has(id)) return this.#scratch.get<Doc>(collection, id);
    return (await this.#isInBase(collection)) ? this.#base.get<Doc>(collection, id) : null;
  }

  async getMany<Doc extends Document>(collection: string, ids: readonly string[]): Promise<readonly Doc[]> {
    const { above, below } = await this.#whereabouts(collection, ids);
    const found = below.length === 0 ? [] : await this.#base.getMany<Doc>(collection, below);
    return [...found, ...(await this.#scratch.getMany<Doc>(collection, above))];
  }

  async textsAt(
    collection: string,
    field: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    const { above, below } = await this.#whereabouts(collection, ids);
    const found = below.length === 0 ? [] : await this.#base.textsAt(collection, field, below);
    return new Map([...found, ...(await this.#scratch.textsAt(collection, field, above))]);
  }

  async write(given: readonly Write[]): Promise<void> {
    // The caller may change a document while others are read.
    const batch = structuredClone(given);
    for (const [collection, writes] of Map.groupBy(batch, (write) => write.collection))
      await this.#copy(collection, writes.map(idOf));
    await this.#scratch.write(batch);
  }

  async find<Doc extends Document>(collection: string, options: FindOptions = {}): Promise<readonly Doc[]> {
    const { filter, sort, skip, limit } = checkFind(options);
    if (!(await this.#isInBase(collection))) return this.#scratch.find<Doc>(collection, options);
    if (this.#copiedOf(collection).size === 0) return this.#base.find<Doc>(collection, options);
    const found: Doc[] = [];
    for await (const page of this.#uncopied<Doc>(collection, { filter, sort })) {
      found.push(...page);
      if (found.length >= skip + limit) break;
    }
    found.push(...(await this.#copiesOf<Doc>(collection, filter)));
    return found.sort((one, other) => compareBy(sort, one, other)).slice(skip, skip + limit);
  }

  count(collection: string, filter: Filter = {}): Promise<number> {
    return this.#figure(collection, filter, (store, asked) => store.count(collection, asked));
  }

  sum(collection: string, field: string, filter: Filter = {}): Promise<number> {
    return this.#figure(collection, filter, (store, asked) => store.sum(collection, field, asked));
  }

  async countBy(name: string, fields: readonly string[], filter: Filter = {}): Promise<readonly Group[]> {
    const ask = (store: DocumentStore, asked: Filter) => store.countBy(name, fields, asked);
    return groupsAddedUp(await this.#parts(name, filter, ask));
  }

  async insertIfAbsent(collection: string, given: Document): Promise<boolean> {
    const document = structuredClone(given);
    await this.#copy(collection, [document._id]);
    return this.#scratch.insertIfAbsent(collection, document);
  }

  updateIf<Doc extends Document>(collection: string, filter: Filter, patch: Patch): Promise<Doc | null> {
    return this.#inTurn(async () => {
      const [found] = await this.find(collection, { filter, limit: 1 });
      if (!found) return null;
      await this.#copy(collection, [found._id]);
      return this.#scratch.updateIf<Doc>(collection, { ...filter, _id: found._id }, patch);
    });
  }

  async updateEach(collection: string, changes: readonly Change[]): Promise<number> {
    let changed = 0;
    for (const { filter, patch } of changes) if (await this.updateIf(collection, filter, patch)) changed++;
    return changed;
  }

  deleteMany(collection: string, filter: Filter, limit: number): Promise<number> {
    return this.#inTurn(async () => {
      const found = await this.find(collection, { filter, limit: Math.min(limit, PAGE) });
      const ids = found.map(({ _id }) => _id);
      await this.#copy(collection, ids);
      await this.#scratch.write(ids.map((remove) => ({ collection, remove })));
      return ids.length;
    });
  }

  async drop(collection: string): Promise<void> {
    this.#dropped.add(collection);
    this.#copied.delete(collection);
    await this.#scratch.drop(collection);
  }

  /** Nothing of the base is deleted. */
  async erase(): Promise<void> {}

  async collections(): Promise<readonly string[]> {
    const below = (await this.#base.collections()).filter((collection) => !this.#dropped.has(collection));
    return [...new Set([...below, ...(await this.#scratch.collections())])];
  }

  ping(): Promise<void> {
    return this.#base.ping();
  }

  close(): Promise<void> {
    return this.#base.close();
  }

  async #isInBase(collection: string): Promise<boolean> {
    if (this.#dropped.has(collection)) return false;
    if (!this.#known.has(collection)) this.#known = new Set(await this.#base.collections());
    return this.#known.has(collection);
  }

  #copiedOf(collection: string): ReadonlySet<string> {
    return this.#copied.get(collection) ?? new Set();
  }

  async #copy(collection: string, ids: readonly string[]): Promise<void> {
    const copied = this.#copied.get(collection) ?? new Set();
    this.#copied.set(collection, copied);
    const others = ids.filter((id) => !copied.has(id));
    if (others.length === 0) return;
    const isAsked = await this.#isInBase(collection);
    const found = isAsked ? await this.#base.getMany(collection, others) : [];
    // Another write may have copied and changed one of them meanwhile.
    const fresh = found.filter(({ _id }) => !copied.has(_id));
    for (const id of others) copied.add(id);
    await this.#scratch.write(fresh.map((put) => ({ collection, put, ...positionOf(put) })));
  }

  /** Which of these the base is asked for, and which its copies stand for. */
  async #whereabouts(collection: string, ids: readonly string[]) {
    const copied = this.#copiedOf(collection);
    const others = ids.filter((id) => !copied.has(id));
    const isAsked = others.length > 0 && (await this.#isInBase(collection));
    return { above: ids.filter((id) => copied.has(id)), below: isAsked ? others : [] };
  }

  /** Those of the base that no copy stands over, page by page. */
  async *#uncopied<Doc extends Document>(
    collection: string,
    asked: FindOptions,
  ): AsyncGenerator<readonly Doc[]> {
    const copied = this.#copiedOf(collection);
    for (let skip = 0; ; skip += PAGE) {
      const page = await this.#base.find<Doc>(collection, { ...asked, skip, limit: PAGE });
      yield page.filter(({ _id }) => !copied.has(_id));
      if (page.length < PAGE) return;
    }
  }

  async #copiesOf<Doc extends Document>(collection: string, filter: Filter): Promise<readonly Doc[]> {
    const copies = await this.#scratch.getMany<Doc>(collection, [...this.#copiedOf(collection)]);
    return copies.filter(matching(filter));
  }

  async #figure(collection: string, filter: Filter, ask: Question<number>): Promise<number> {
    const parts = await this.#parts(collection, filter, ask);
    return parts.reduce((sum, { sign, answer }) => sum + sign * answer, 0);
  }

  /** What the base says of all its documents, less what is true of those that are copied, and of the copies. */
  async #parts<Answer>(
    collection: string,
    filter: Filter,
    ask: Question<Answer>,
  ): Promise<readonly Part<Answer>[]> {
    if (!(await this.#isInBase(collection))) return [{ sign: 1, answer: await ask(this.#scratch, filter) }];
    const ofAll: Part<Answer> = { sign: 1, answer: await ask(this.#base, filter) };
    const copied = [...this.#copiedOf(collection)];
    if (copied.length === 0) return [ofAll];
    const covered = (await this.#base.getMany(collection, copied)).filter(matching(filter));
    const copies = await this.#copiesOf(collection, filter);
    return [
      ofAll,
      { sign: -1, answer: await answerAmong(covered, collection, ask) },
      { sign: 1, answer: await answerAmong(copies, collection, ask) },
    ];
  }

  /** Of many who at once ask for a document to change, each gets one that no other before it has changed. */
  #inTurn<Done>(work: () => Promise<Done>): Promise<Done> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
