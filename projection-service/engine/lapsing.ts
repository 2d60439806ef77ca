import type { EventDecoder } from '#log/decode-page.ts';
import type { Recorded } from '#kernel/event.ts';
import type { AnyProjection, Document, Lapsing } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { MAX_PAGE, type EventStore } from '#ports/event-store.ts';
import { idOf } from '#values/stream-name.ts';
import {
  applyEvents,
  eventTypesOf,
  type Held,
  type HeldDocuments,
  type PositionedDocument,
} from './apply-batch.ts';

/** Where the streams are from which documents come back. */
export interface Histories {
  readonly store: Pick<EventStore, 'readStream'>;
  readonly codec: EventDecoder;
}

interface LapsingView extends Lapsing {
  readonly streamOf: (key: string) => string;
}

export const lapsingOf = ({ name, lapsing, streamOf }: AnyProjection): LapsingView | null => {
  if (lapsing === undefined) return null;
  if (!streamOf) throw new TypeError(`${name}: what lapses comes back from its stream, which nothing names`);
  return { ...(lapsing as unknown as Lapsing), streamOf };
};

/**
 * A document that has lapsed, made once more from the events of its stream before a position. Undefined where these
 * make none. Errors: `EngineUnavailable`.
 */
export const fromHistory = async (
  { store, codec }: Histories,
  projection: AnyProjection,
  key: string,
  before = Infinity,
): Promise<Held | undefined> => {
  const stream = lapsingOf(projection)?.streamOf(key);
  if (stream === undefined) return undefined;
  const types = eventTypesOf(projection);
  const documents: HeldDocuments = new Map();
  for (let fromRevision = 0; ; fromRevision += MAX_PAGE) {
    const page = await store.readStream(stream, { fromRevision });
    const earlier = page.filter(({ type, position }) => position < before && types.has(type));
    const poison = applyEvents(projection, await codec.decodeAll(earlier), documents, new Set());
    if (poison) throw poison;
    if (page.length < MAX_PAGE || earlier.length === 0) return documents.get(key);
  }
};

/** A document of a view that has lapsed; null where there was none. Errors: `EngineUnavailable`. */
export type LapsedDocuments = (view: string, key: string) => Promise<Document | null>;

export const lapsedDocuments = (
  histories: Histories,
  projections: readonly AnyProjection[],
): LapsedDocuments => {
  const byName = new Map(projections.map((projection) => [projection.name, projection]));
  return async (view, key) => {
    const projection = byName.get(view);
    return (projection && (await fromHistory(histories, projection, key))?.document) ?? null;
  };
};

/**
 * Adds to the documents what events touch that has lapsed. An event that is not the first of its stream may be about
 * such a one. Errors: `EngineUnavailable`.
 */
export const bringBack = async (
  histories: Histories,
  projection: AnyProjection,
  events: readonly Recorded[],
  documents: HeldDocuments,
): Promise<void> => {
  const streamOf = lapsingOf(projection)?.streamOf;
  if (!streamOf) return;
  const looked = new Set<string>();
  for (const { revision, stream, position } of events) {
    const key = idOf(stream);
    if (looked.has(key) || documents.has(key) || stream !== streamOf(key)) continue;
    looked.add(key);
    const held = revision === 0 ? undefined : await fromHistory(histories, projection, key, position);
    if (held) documents.set(key, held);
  }
};

/** Of a view whose documents lapse: where they are, and how many are looked at together. */
export interface Sweeping {
  readonly readStore: Pick<DocumentStore, 'find' | 'deleteMany'>;
  readonly collection: string;
  readonly lapsing: Lapsing;
  /** ISO instant: what was not changed since then goes. */
  readonly before: string;
  /** Called for what is removed, also where that may have failed. */
  readonly forget: (key: string) => void;
}

const PAGE = 250;

/**
 * Removes the lapsed documents of the next page of keys; how many went, and the last key of the page, null at the end.
 * Errors: `EngineUnavailable`.
 */
export const sweepPage = async (
  { readStore, collection, lapsing, before, forget }: Sweeping,
  after: string,
): Promise<{ readonly removed: number; readonly last: string | null }> => {
  const page = await readStore.find<PositionedDocument>(collection, {
    filter: { _id: { gt: after } },
    sort: [['_id', 1]],
    limit: PAGE,
  });
  const hasLapsed = (document: Document): boolean => {
    const changedAt = lapsing.changedAt(document);
    return changedAt !== null && changedAt < before;
  };
  const swept = page.filter(hasLapsed).map(({ _id }) => _id);
  try {
    if (swept.length > 0) await readStore.deleteMany(collection, { _id: { in: swept } }, swept.length);
  } finally {
    for (const key of swept) forget(key);
  }
  return { removed: swept.length, last: page.length < PAGE ? null : (page.at(-1)?._id ?? null) };
};
