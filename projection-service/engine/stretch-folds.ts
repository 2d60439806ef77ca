import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodePage, type EventDecoder } from '#log/decode-page.ts';
import type { AnyProjection, Document } from '#kernel/projection.ts';
import type { EventStore } from '#ports/event-store.ts';
import { applyEvents, eventTypesOf, uncounted, type HeldDocuments } from './apply-batch.ts';
import type { TimeIndex } from './time-index.ts';

/** What a projection makes of a stretch of the log. */
interface Fold {
  /** Position up to which the log has been taken. */
  readonly position: number;
  readonly documents: HeldDocuments;
}

/** What was recorded from an instant on and stands in the log up to a position. */
export interface Stretch {
  /** A UTC day, or an ISO instant. */
  readonly since: string;
  readonly position: number;
}

export interface StretchFolds {
  /**
   * The documents that the projection makes of the stretch alone; kept for those who ask again, unless `isKept` is
   * false: for what is large or personal. Errors: `EngineUnavailable`.
   */
  documentsOf(projection: AnyProjection, stretch: Stretch, isKept?: boolean): Promise<readonly Document[]>;
}

export interface StretchFoldsOptions {
  readonly store: Pick<EventStore, 'readAll'>;
  readonly codec: EventDecoder;
  readonly times: Pick<TimeIndex, 'before'>;
}

/** Events that are taken in one turn of the event loop. */
const PAGE = 250;
/** Folds that are kept: each has a few hundred documents at most, as many as a day changes. */
const MAX_KEPT = 32;

/**
 * Folds stretches of the log in memory, with the projection that fills the view. The past does not change: what was
 * folded is kept for the next one who asks, and a later moment of the same day goes on from there.
 */
export const createStretchFolds = (options: StretchFoldsOptions): StretchFolds => {
  /** In the order of their last use. */
  const kept = new Map<string, Fold>();
  let turn: Promise<unknown> = Promise.resolve();

  const keep = (key: string, fold: Fold): void => {
    kept.delete(key);
    kept.set(key, fold);
    const [oldest] = kept.keys();
    if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  };
  const nearest = (day: string, position: number): Fold | null => {
    let found: Fold | null = null;
    for (const [key, fold] of kept) {
      if (key.startsWith(day) && fold.position <= position && fold.position > (found?.position ?? -1))
        found = fold;
    }
    return found;
  };
  const fold = async (
    projection: AnyProjection,
    { since, position }: Stretch,
    isKept: boolean,
  ): Promise<Fold> => {
    const day = `${projection.name} ${since} `;
    const key = `${day}${position}`;
    const known = kept.get(key);
    if (known) keep(key, known);
    if (known) return known;
    const begun = nearest(day, position) ?? {
      position: await options.times.before(Date.parse(since)),
      documents: new Map(),
    };
    const taken = await takeOn(options, uncounted(projection), { from: begun, since, position });
    if (isKept && taken.position >= position) keep(key, taken);
    return taken;
  };

  return {
    documentsOf: async (projection, stretch, isKept = true) => {
      const mine = turn.then(() => fold(projection, stretch, isKept));
      turn = mine.catch(() => undefined);
      const { documents } = await mine;
      return [...documents.values()].flatMap(({ document }) => document ?? []);
    },
  };
};

/** Goes on with a fold; up to the event that the projection cannot take where there is one, as its view does. */
const takeOn = async (
  { store, codec }: StretchFoldsOptions,
  projection: AnyProjection,
  { from, since, position }: Stretch & { readonly from: Fold },
): Promise<Fold> => {
  const types = eventTypesOf(projection);
  const wanted = { wants: (type: string) => types.has(type), isTimed: false };
  const documents: HeldDocuments = new Map(from.documents);
  for (let last = from.position; last < position;) {
    const page = (await store.readAll(last, PAGE)).filter((event) => event.position <= position);
    for (const { events, undecodable } of await decodePage(codec, page, wanted)) {
      const inStretch = events.filter(({ recordedAt }) => recordedAt >= since);
      const isStuck = undecodable !== null && types.has(undecodable.type);
      if (isStuck || applyEvents(projection, inStretch, documents, new Set()))
        return { position: last, documents };
    }
    last = page.at(-1)?.position ?? position;
    await nextTurn();
  }
  return { position: Math.max(position, from.position), documents };
};
