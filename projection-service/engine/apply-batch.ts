import type { Recorded } from '#kernel/event.ts';
import { remove, type AnyProjection, type Document, type Figures } from '#kernel/projection.ts';
import type { DocumentStore, Write } from '#ports/document-store.ts';
import { PoisonedEvent } from '#log/feed-follower.ts';
import { idOf } from '#values/stream-name.ts';
import { COUNTERS, countersCollection, countedAfter, type ViewCounters } from './view-counters.ts';

/** A document as it is stored: with the position of the last event that it reflects. */
export interface PositionedDocument extends Document {
  readonly _position: number;
}

/** What stands under a key: a document, or nothing, or no longer anything; and the position that this reflects. */
export interface Held {
  readonly document: Document | null;
  readonly position: number;
}

export type HeldDocuments = Map<string, Held>;

/** What stands under a key that the store does not know. */
const nothing: Held = { document: null, position: -1 };

/** What the engine calls; the types of documents and events only the projection's own functions know. */
interface Functions {
  readonly keys: (event: Recorded) => readonly string[];
  readonly counters?: (document: Document) => Figures;
  readonly on: Readonly<Record<string, Handler | undefined>>;
}
type Handler = (document: Document | null, event: Recorded, key: string) => Document | null | typeof remove;

const functionsOf = (projection: AnyProjection): Functions => projection as unknown as Functions;

export const eventTypesOf = (projection: AnyProjection): ReadonlySet<string> =>
  new Set(Object.keys(projection.on));

/** For documents that are folded for one answer: nothing has to be counted. */
export const uncounted = ({ counters: _, ...projection }: AnyProjection): AnyProjection => projection;

/** The keys of the documents that each of some events touches, worked out once. */
export type Touched = readonly (readonly string[])[];

/** Ends before an event that throws here: it will throw again when it is applied. */
export const touchedBy = (projection: AnyProjection, events: readonly Recorded[]): Touched => {
  const { keys: keysOf } = functionsOf(projection);
  const touched: (readonly string[])[] = [];
  for (const event of events) {
    try {
      touched.push(keysOf(event));
    } catch {
      break;
    }
  }
  return touched;
};

/** The keys of all documents that are touched. */
export const touchedKeys = ({ counters }: AnyProjection, touched: Touched): ReadonlySet<string> => {
  const keys = new Set(touched.flat());
  // The last, to be read last. Where no document is touched, nothing is counted.
  if (counters && keys.size > 0) keys.add(COUNTERS);
  return keys;
};

/**
 * Keys of documents whose streams begin with one of the events. A store that has nothing of what follows these has none
 * of the documents yet.
 */
export const begunIn = ({ streamOf }: AnyProjection, events: readonly Recorded[]): ReadonlySet<string> => {
  const begun = new Set<string>();
  if (!streamOf) return begun;
  for (const { revision, stream } of events) {
    const key = revision === 0 ? idOf(stream) : null;
    if (key !== null && stream === streamOf(key)) begun.add(key);
  }
  return begun;
};

/**
 * Applies events in order to the documents in memory; `changed` collects the keys to write. A document passes over
 * events that it reflects already, so that applying a batch again changes nothing. An answer of null, or the document
 * as it was, leaves it as it is. Returns the first event that throws (nothing of it is kept), or null. `touched`: by
 * these events, where that is known.
 */
export const applyEvents = (
  projection: AnyProjection,
  events: readonly Recorded[],
  documents: HeldDocuments,
  changed: Set<string>,
  touched: Touched = [],
): PoisonedEvent | null => {
  const { keys: keysOf, on, counters } = functionsOf(projection);
  const tally = counters && new BatchTally(counters, documents);
  let poison: PoisonedEvent | null = null;
  let place = 0;
  for (const event of events) {
    const handler = on[event.type];
    const known = touched[place++];
    if (!handler) continue;
    try {
      const keys = known ?? keysOf(event);
      tally?.note(event, keys);
      const [only] = keys;
      if (keys.length === 1 && only !== undefined) applyTo(only, handler, event, documents, changed);
      else if (keys.length > 1) applyToAll(keys, handler, event, documents, changed);
    } catch (error) {
      poison = new PoisonedEvent(event.position, error);
      break;
    }
  }
  tally?.count(changed);
  return poison;
};

/**
 * What a batch changes of the figures of its view. A document that it changes often is counted once: as it was before
 * the first event that the figures do not reflect, and as it is at the end.
 */
class BatchTally {
  readonly #counters: (document: Document) => Figures;
  readonly #documents: HeldDocuments;
  readonly #counted: Held;
  readonly #before = new Map<string, Held | undefined>();

  constructor(counters: (document: Document) => Figures, documents: HeldDocuments) {
    this.#counters = counters;
    this.#documents = documents;
    this.#counted = documents.get(COUNTERS) ?? nothing;
  }

  /** An event that is about to be applied. */
  note({ position }: Recorded, keys: readonly string[]): void {
    if (position <= this.#counted.position) return;
    for (const key of keys) if (!this.#before.has(key)) this.#before.set(key, this.#documents.get(key));
  }

  /** Their position is that of the last event that changed a document, even where the figures stay. */
  count(changed: Set<string>): void {
    const changes: (readonly [Document | null, Document | null])[] = [];
    let { position } = this.#counted;
    for (const [key, before] of this.#before) {
      const after = this.#documents.get(key);
      if (!after || after === before) continue;
      // Also of one that came and went in between.
      changes.push([before?.document ?? null, after.document]);
      position = Math.max(position, after.position);
    }
    if (changes.length === 0) return;
    const { figures } = (this.#counted.document as ViewCounters | null) ?? { figures: {} };
    const document: ViewCounters = { _id: COUNTERS, figures: countedAfter(figures, changes, this.#counters) };
    this.#documents.set(COUNTERS, { document, position });
    changed.add(COUNTERS);
  }
}

const applyTo = (
  key: string,
  handler: Handler,
  event: Recorded,
  documents: HeldDocuments,
  changed: Set<string>,
): void => {
  const held = documents.get(key) ?? nothing;
  if (event.position <= held.position) return;
  const after = handler(held.document, event, key);
  if (after === null || after === held.document) return;
  documents.set(key, { document: after === remove ? null : after, position: event.position });
  changed.add(key);
};

/** All documents of an event or none: the results are kept only once every function has answered. */
const applyToAll = (
  keys: readonly string[],
  handler: Handler,
  event: Recorded,
  documents: HeldDocuments,
  changed: Set<string>,
): void => {
  const results: HeldDocuments = new Map();
  const resultKeys = new Set<string>();
  for (const key of new Set(keys)) {
    const held = documents.get(key);
    if (held) results.set(key, held);
    applyTo(key, handler, event, results, resultKeys);
  }
  for (const key of resultKeys) {
    const result = results.get(key);
    if (result) documents.set(key, result);
    changed.add(key);
  }
};

const heldFrom = (document: PositionedDocument): Held => ({ document, position: document._position });

/**
 * What the store has under these keys of a collection, with the counters of its view. These are read last: what another
 * process writes in between is then in the counters at least as far as in the documents.
 */
export const loadHeld = async (
  readStore: Pick<DocumentStore, 'get' | 'getMany'>,
  collection: string,
  keys: readonly string[],
): Promise<HeldDocuments> => {
  const ids = keys.filter((key) => key !== COUNTERS);
  const documents = ids.length === 0 ? [] : await readStore.getMany<PositionedDocument>(collection, ids);
  const counters =
    ids.length === keys.length
      ? null
      : await readStore.get<PositionedDocument>(countersCollection, collection);
  const held: HeldDocuments = new Map(documents.map((document) => [document._id, heldFrom(document)]));
  if (counters) held.set(COUNTERS, heldFrom(counters));
  return held;
};

export const asStored = (id: string, document: Document, position: number): PositionedDocument => ({
  ...document,
  _id: id,
  _position: position,
});

const writeOf = (
  { collection, id }: { readonly collection: string; readonly id: string },
  { document, position }: Held,
): Write =>
  document
    ? { collection, put: asStored(id, document, position), position }
    : { collection, remove: id, position };

/**
 * One write per changed document: the document with its position, or a tombstone. The counters first: where a batch can
 * end half way, what it has counted is not counted again when the rest is.
 */
export const writesOf = (
  collection: string,
  documents: HeldDocuments,
  changed: Iterable<string>,
): Write[] => {
  const writes: Write[] = [];
  const keys = new Set(changed);
  for (const key of keys.has(COUNTERS) ? new Set([COUNTERS, ...keys]) : keys) {
    const at =
      key === COUNTERS ? { collection: countersCollection, id: collection } : { collection, id: key };
    writes.push(writeOf(at, documents.get(key) ?? nothing));
  }
  return writes;
};
