import type { AnyProjection, Document, Figures } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { Held, HeldDocuments, PositionedDocument } from './apply-batch.ts';
import { countersCollection, COUNTERS, countedAfter, type ViewCounters } from './view-counters.ts';

/** What the counters said, and what the documents come to. */
export interface RecountedCounters {
  readonly was: Figures;
  readonly is: Figures;
  readonly isCorrected: boolean;
}

/** How many views were looked at, and which counters were set right. */
export interface CheckedCounters {
  readonly checked: number;
  readonly corrected: readonly (RecountedCounters & { readonly view: string })[];
}

/** Where the documents of a view are. */
interface RecountSource {
  readonly readStore: Pick<DocumentStore, 'find' | 'get' | 'updateIf' | 'write'>;
  readonly collection: string;
}

/** Documents read together, while others wait. */
const PAGE = 250;

/** Counts the documents of a view by their keys, while these go on changing. */
export class Recount {
  readonly #counters: (document: Document) => Figures;
  /** Up to this key everything is counted. */
  #upTo = '';
  #isAtEnd = false;
  #figures: Figures = {};
  /** True once it is unknown what the store holds: then this count is worth nothing. */
  isSpoilt = false;

  constructor(counters: (document: Document) => Figures) {
    this.#counters = counters;
  }

  spoil(): void {
    this.isSpoilt = true;
  }

  /** Counts the next page of documents. False once there is no further one. Errors: `EngineUnavailable`. */
  async nextPage({ readStore, collection }: RecountSource): Promise<boolean> {
    const page = await readStore.find(collection, {
      filter: { _id: { gt: this.#upTo } },
      sort: [['_id', 1]],
      limit: PAGE,
    });
    this.#figures = countedAfter(
      this.#figures,
      page.map((document) => [null, document] as const),
      this.#counters,
    );
    this.#upTo = page.at(-1)?._id ?? this.#upTo;
    this.#isAtEnd = page.length < PAGE;
    return !this.#isAtEnd;
  }

  /** A batch has been written: counts again what it changed in pages that were counted. */
  changed(keys: Iterable<string>, before: HeldDocuments, after: HeldDocuments): void {
    const documentIn = (held: Held | undefined): Document | null => held?.document ?? null;
    const changes = [...keys]
      .filter((key) => key !== COUNTERS && (this.#isAtEnd || key <= this.#upTo))
      .map((key) => [documentIn(before.get(key)), documentIn(after.get(key))] as const);
    this.#figures = countedAfter(this.#figures, changes, this.#counters);
  }

  /** Replaces counters that differ. Null where another process has written them meanwhile: they stay. */
  async settle({ readStore, collection }: RecountSource, reached: number): Promise<RecountedCounters | null> {
    const stored = await readStore.get<ViewCounters & PositionedDocument>(countersCollection, collection);
    const [was, is] = [stored?.figures ?? {}, this.#figures];
    if (areSame(was, is)) return { was, is, isCorrected: false };
    const counters = { figures: is, _position: reached };
    if (!stored) {
      await readStore.write([
        { collection: countersCollection, put: { _id: collection, ...counters }, position: reached },
      ]);
      return { was, is, isCorrected: true };
    }
    const asRead = { _id: collection, _position: stored._position };
    const corrected = await readStore.updateIf(countersCollection, asRead, { set: counters });
    return corrected && { was, is, isCorrected: true };
  }
}

/** Null for a view without counters. */
export const recountOf = (projection: AnyProjection): Recount | null => {
  const { counters } = projection as { readonly counters?: (document: never) => Figures };
  return counters ? new Recount(counters as (document: Document) => Figures) : null;
};

/** Figures of 0 are not kept. */
const areSame = (one: Figures, other: Figures): boolean =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].every(
    (name) => (one[name] ?? 0) === (other[name] ?? 0),
  );
