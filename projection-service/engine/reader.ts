import type { Document, Figures } from '#kernel/projection.ts';
import { Rejection } from '#kernel/rejection.ts';
import { HttpRejection } from '#http/errors.ts';
import { defined } from '#kernel/defined.ts';
import { percentRead, shareRead, type ReadUpTo } from '#log/share-read.ts';
import type { Filling } from './fill-progress.ts';
import { textsIn } from '#ports/document-rules.ts';
import type { DocumentStore, Filter, FindOptions } from '#ports/document-store.ts';
import type { LapsedDocuments } from './lapsing.ts';
import type { ProjectionEngine } from './projection-engine.ts';
import { countersCollection, COUNTERS, type ViewCounters } from './view-counters.ts';

/**
 * Read models by the name of their view, whatever generation serves. Refuses with `view-being-filled` while the first
 * one is filled. Errors: `EngineUnavailable`.
 */
export interface ViewReader {
  collectionOf(view: string): string;
  /** The same, once the store has everything of the view that is shown. */
  stored(view: string): Promise<string>;
  /** What has lapsed comes from its stream. */
  get<Doc extends Document>(view: string, id: string): Promise<Doc | null>;
  /** In any order; missing ones are left out. */
  getMany<Doc extends Document>(view: string, ids: readonly string[]): Promise<readonly Doc[]>;
  /** The texts at one field, by id, without the rest of the documents; what is no text there is left out. */
  textsAt(view: string, field: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  find<Doc extends Document>(view: string, options?: FindOptions): Promise<readonly Doc[]>;
  count(view: string, filter?: Filter): Promise<number>;
  /** What the numbers at a field come to. */
  sum(view: string, field: string, filter?: Filter): Promise<number>;
  /** The figures of a view that keeps counters. */
  counters(view: string): Promise<Figures>;
}

export interface ViewReaderOptions {
  readonly readStore: DocumentStore;
  readonly engine: Pick<ProjectionEngine, 'collectionOf' | 'fillingOf' | 'shown' | 'stateOf' | 'write'>;
  /** Default: nothing lapses. */
  readonly lapsed?: LapsedDocuments;
}

const MAX_RETRY_SECONDS = 60;

/** `filling`: what is known of it. */
export const beingFilled = (view: string, filling: (ReadUpTo & Partial<Filling>) | null): Rejection => {
  const { phase, secondsLeft = null } = filling ?? {};
  const percent = filling ? percentRead(filling) : 0;
  const left = secondsLeft === null ? '' : `, about ${secondsLeft} s left`;
  const message = `The view ${view} is being filled from the log: ${percent} % done${left}. Please try again shortly.`;
  const share = filling && shareRead(filling);
  const details = { view, percent, ...defined({ phase }), ...(share !== null && { share, secondsLeft }) };
  if (secondsLeft === null) return new Rejection('view-being-filled', message, details);
  const retryAfter = Math.min(Math.max(secondsLeft, 1), MAX_RETRY_SECONDS);
  return new HttpRejection('view-being-filled', message, { 'Retry-After': String(retryAfter) }, details);
};

/** Of one state of a view. */
const MOST_COUNTS = 100;

/** Counts that hold as long as nothing has changed: each page of a list asks for the same one. */
const keptCounts = (engine: ViewReaderOptions['engine']) => {
  const kept = new WeakMap<object, Map<string, number>>();
  return async (
    view: string,
    collection: string,
    filter: Filter | undefined,
    count: () => Promise<number>,
  ): Promise<number> => {
    const state = engine.stateOf(view, collection);
    if (!state) return count();
    const counts = kept.get(state) ?? new Map<string, number>();
    kept.set(state, counts);
    const question = JSON.stringify(filter ?? {});
    const known = counts.get(question);
    if (known !== undefined) return known;
    const counted = await count();
    if (counts.size < MOST_COUNTS && engine.stateOf(view, collection) === state)
      counts.set(question, counted);
    return counted;
  };
};

/** Those of these documents that are shown before they are stored, and the ids of all that are not. */
const shownBefore =
  (engine: Pick<ViewReaderOptions['engine'], 'shown'>) =>
  <Doc extends Document>(view: string, ids: readonly string[]) => {
    const known = new Map(ids.map((id) => [id, engine.shown(view, id) as Doc | null | undefined]));
    return {
      shown: [...known.values()].filter((document) => document !== null && document !== undefined),
      others: [...known.keys()].filter((id) => known.get(id) === undefined),
    };
  };

export const createReader = ({ readStore, engine, lapsed }: ViewReaderOptions): ViewReader => {
  const collectionOf = (view: string): string => {
    const collection = engine.collectionOf(view);
    if (collection === null) throw beingFilled(view, engine.fillingOf(view));
    return collection;
  };
  const stored = async (view: string): Promise<string> => {
    await engine.write(view);
    return collectionOf(view);
  };
  const shownOf = shownBefore(engine);
  const keptOrCounted = keptCounts(engine);
  /** What serves may be replaced meanwhile, and what served before be dropped: then it is asked again. */
  const asked = async <Answer>(
    view: string,
    ask: (collection: string) => Promise<Answer>,
  ): Promise<Answer> => {
    for (;;) {
      const collection = await stored(view);
      const answer = await ask(collection);
      if (engine.collectionOf(view) === collection) return answer;
    }
  };
  return {
    collectionOf,
    stored,
    get: async <Doc extends Document>(view: string, id: string) => {
      const collection = collectionOf(view);
      const shown = engine.shown(view, id);
      const found = shown === undefined ? await readStore.get<Doc>(collection, id) : (shown as Doc | null);
      return found ?? ((await lapsed?.(view, id)) as Doc | undefined) ?? null;
    },
    getMany: async <Doc extends Document>(view: string, ids: readonly string[]) => {
      const collection = collectionOf(view);
      const { shown, others } = shownOf<Doc>(view, ids);
      const stored = others.length === 0 ? [] : await readStore.getMany<Doc>(collection, others);
      return [...stored, ...shown];
    },
    textsAt: async (view, field, ids) => {
      const collection = collectionOf(view);
      const { shown, others } = shownOf(view, ids);
      const stored = others.length === 0 ? [] : await readStore.textsAt(collection, field, others);
      return new Map([...stored, ...textsIn(shown, field)]);
    },
    find: <Doc extends Document>(view: string, options?: FindOptions) =>
      asked(view, (collection) => readStore.find<Doc>(collection, options)),
    count: (view, filter) =>
      asked(view, (collection) =>
        keptOrCounted(view, collection, filter, () => readStore.count(collection, filter)),
      ),
    sum: (view, field, filter) => asked(view, (collection) => readStore.sum(collection, field, filter)),
    counters: async (view) => {
      const collection = collectionOf(view);
      const counters = engine.shown(view, COUNTERS) ?? (await readStore.get(countersCollection, collection));
      return (counters as ViewCounters | null)?.figures ?? {};
    },
  };
};
