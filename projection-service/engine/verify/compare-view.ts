import { isDeepStrictEqual } from 'node:util';
import type { AnyProjection } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { pause } from '#runtime/back-off.ts';
import type { PositionedDocument } from '../apply-batch.ts';
import { servingGeneration, type Generation } from '../generations.ts';

/** A document that is not what the log makes of it, or a view that has none. */
export interface ViewProblem {
  readonly view: string;
  /** Null where the view itself is meant. */
  readonly key: string | null;
  /** The event that the document reflects last. */
  readonly position: number | null;
  readonly found: string;
  readonly expected: string;
}

/** A fresh fold of one view, which can be taken further along the log. */
export interface FreshFold {
  readonly projection: AnyProjection;
  /** Where its documents are. */
  readonly store: Pick<DocumentStore, 'find' | 'getMany'>;
  readonly collection: string;
  /** Up to where it has been folded. */
  readonly position: () => number;
  /** Folds on up to this position, if it is further; at most to the end of the log. */
  readonly reach: (position: number) => Promise<void>;
}

export interface ComparedView {
  readonly documents: number;
  readonly problems: readonly ViewProblem[];
}

/** Documents read together. */
const PAGE = 250;
/** How often a comparison begins again because another generation has come to serve. */
const TRIES = 3;
/** How often documents are looked for that the live view does not have, while the log grows. */
const LOOKS = 5;
/** Enough to see what happened. */
export const MOST_PROBLEMS = 200;
const WAIT_MILLISECONDS = 200;
const MOST_WAITED_MILLISECONDS = 10_000;

/**
 * Compares every document of a view with the fold of the log at the same position, while the shop may go on. What its
 * checkpoint vouches for is compared there. A document that has changed since says itself which event it reflects last:
 * the fold is taken to that very event, and then the two are compared. Errors: `EngineUnavailable`.
 */
export const compareView = async (readStore: DocumentStore, fold: FreshFold): Promise<ComparedView> => {
  const { projection } = fold;
  for (let tries = 1; ; tries++) {
    const live = await servingAt(readStore, fold);
    if (!live) return { documents: 0, problems: [noneServes(projection)] };
    await fold.reach(live.checkpoint.position);
    const comparison = new Comparison(readStore, live, fold);
    const compared = await comparison.run();
    const after = await servingGeneration(readStore, projection);
    if (after?.collection === live.collection || tries === TRIES) return compared;
  }
};

/** The generation that serves, once it is as far as the fold: one that has just come to serve may not be. */
const servingAt = async (readStore: DocumentStore, fold: FreshFold): Promise<Generation | null> => {
  for (let waited = 0; ; waited += WAIT_MILLISECONDS) {
    const live = await servingGeneration(readStore, fold.projection);
    const isThere = !live || live.checkpoint.position >= fold.position();
    if (isThere || waited >= MOST_WAITED_MILLISECONDS) return live;
    await pause(WAIT_MILLISECONDS);
  }
};

const noneServes = ({ name }: AnyProjection): ViewProblem => ({
  view: name,
  key: null,
  position: null,
  found: 'no filled view of this release',
  expected: 'one to compare: tillroll projections build, or a start, fills it',
});

/** The names only: values may be personal. */
const fieldsThatDiffer = (one: object, other: object): string =>
  Object.keys({ ...one, ...other })
    .filter((name) => name !== '_position')
    .filter((name) => !isDeepStrictEqual(one[name as keyof object], other[name as keyof object]))
    .join(', ');

class Comparison {
  readonly #readStore: DocumentStore;
  readonly #live: Generation;
  readonly #fold: FreshFold;
  readonly #problems: ViewProblem[] = [];
  /** Documents that have changed since the checkpoint, as they were read. */
  readonly #later: PositionedDocument[] = [];
  #documents = 0;

  constructor(readStore: DocumentStore, live: Generation, fold: FreshFold) {
    this.#readStore = readStore;
    this.#live = live;
    this.#fold = fold;
  }

  async run(): Promise<ComparedView> {
    const missing = await this.#findMissing();
    await this.#compareLive();
    for (const document of this.#later.toSorted((one, other) => one._position - other._position)) {
      await this.#fold.reach(document._position);
      await this.#compareAll([document]);
    }
    await this.#lookAgain(missing);
    return { documents: this.#documents, problems: this.#problems };
  }

  async #compareLive(): Promise<void> {
    const { position } = this.#live.checkpoint;
    for await (const page of pagesOf(this.#readStore, this.#live.collection)) {
      this.#documents += page.length;
      const settled = page.filter((document) => document._position <= position);
      this.#later.push(...page.filter((document) => document._position > position));
      await this.#compareAll(settled);
    }
  }

  async #compareAll(documents: readonly PositionedDocument[]): Promise<void> {
    const { store, collection } = this.#fold;
    const ids = documents.map(({ _id }) => _id);
    const found = ids.length === 0 ? [] : await store.getMany<PositionedDocument>(collection, ids);
    const fresh = new Map(found.map((document) => [document._id, document]));
    for (const document of documents) {
      const made = fresh.get(document._id);
      if (!made) this.#report(document, 'a document', 'none: the log makes no such document');
      else {
        const fields = fieldsThatDiffer(document, made);
        if (fields !== '') this.#report(document, `other values in ${fields}`, 'what the log makes of it');
      }
    }
  }

  /** Keys that the fold has and the live view has not; what has lapsed from it comes back when it is asked for. */
  async #findMissing(): Promise<readonly string[]> {
    const { store, collection, projection } = this.#fold;
    if (projection.lapsing !== undefined) return [];
    const missing: string[] = [];
    for await (const page of pagesOf(store, collection))
      missing.push(...(await this.#missingOf(page.map(({ _id }) => _id))));
    return missing;
  }

  async #missingOf(ids: readonly string[]): Promise<readonly string[]> {
    const live = await this.#readStore.getMany(this.#live.collection, ids);
    const there = new Set(live.map(({ _id }) => _id));
    return ids.filter((id) => !there.has(id));
  }

  /**
   * The live view may have removed a document by an event that the fold had not come to, also by one beyond its
   * checkpoint: on a server that is written a little later, and after a kill not before the next start.
   */
  async #lookAgain(missing: readonly string[]): Promise<void> {
    let open = missing;
    for (let look = 1; open.length > 0; look++) {
      const before = this.#fold.position();
      await this.#fold.reach(Infinity);
      const left = await this.#stillMissing(open);
      open = left.map(({ _id }) => _id);
      if (look < LOOKS && this.#fold.position() > before) continue;
      for (const document of left) this.#report(document, 'no document', 'what the log makes of it');
      return;
    }
  }

  /** As the fold has them now. */
  async #stillMissing(ids: readonly string[]): Promise<readonly PositionedDocument[]> {
    const { store, collection } = this.#fold;
    const left: PositionedDocument[] = [];
    for (let from = 0; from < ids.length; from += PAGE) {
      const made = await store.getMany<PositionedDocument>(collection, ids.slice(from, from + PAGE));
      const gone = new Set(await this.#missingOf(made.map(({ _id }) => _id)));
      left.push(...made.filter(({ _id }) => gone.has(_id)));
    }
    return left;
  }

  #report({ _id, _position }: PositionedDocument, found: string, expected: string): void {
    if (this.#problems.length === MOST_PROBLEMS) return;
    this.#problems.push({ view: this.#fold.projection.name, key: _id, position: _position, found, expected });
  }
}

async function* pagesOf(
  store: Pick<DocumentStore, 'find'>,
  collection: string,
): AsyncGenerator<readonly PositionedDocument[]> {
  for (let after = ''; ;) {
    const filter = { _id: { gt: after } };
    const page = await store.find<PositionedDocument>(collection, {
      filter,
      sort: [['_id', 1]],
      limit: PAGE,
    });
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    after = page.at(-1)?._id ?? after;
  }
}
