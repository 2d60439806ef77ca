import type { Document } from '#kernel/projection.ts';
import { Rejection } from '#kernel/rejection.ts';
import { percentRead, type ReadUpTo } from '#log/share-read.ts';
import type { DocumentStore, Filter, FindOptions } from '#ports/document-store.ts';
import type { LapsedDocuments } from './lapsing.ts';
import type { ProjectionEngine } from './projection-engine.ts';
import { countersCollection, type Figures, type ViewCounters } from './view-counters.ts';

/**
 * Read models by the name of their view, whatever generation serves. Refused with `view-being-filled` while the first
 * one is filled. Errors: `EngineUnavailable`.
 */
export interface ViewReader {
  collectionOf(view: string): string;
  /** What has lapsed comes from its stream. */
  get<Doc extends Document>(view: string, id: string): Promise<Doc | null>;
  /** In any order; missing ones are left out. */
  getMany<Doc extends Document>(view: string, ids: readonly string[]): Promise<readonly Doc[]>;
  find<Doc extends Document>(view: string, options?: FindOptions): Promise<readonly Doc[]>;
  count(view: string, filter?: Filter): Promise<number>;
  /** What the numbers at a field come to. */
  sum(view: string, field: string, filter?: Filter): Promise<number>;
  /** The figures of a view that keeps a tally. */
  counters(view: string): Promise<Figures>;
}

export interface ViewReaderOptions {
  readonly readStore: DocumentStore;
  readonly engine: Pick<ProjectionEngine, 'collectionOf' | 'fillingOf'>;
  /** Default: nothing lapses. */
  readonly lapsed?: LapsedDocuments;
}

const beingFilled = (view: string, filling: ReadUpTo | null): Rejection => {
  const percent = filling ? percentRead(filling) : 0;
  const message = `What this needs (${view}) is being filled from the log: ${percent} % done. Please try again shortly.`;
  return new Rejection('view-being-filled', message, { view, percent });
};

export const createReader = ({ readStore, engine, lapsed }: ViewReaderOptions): ViewReader => {
  const collectionOf = (view: string): string => {
    const collection = engine.collectionOf(view);
    if (collection === null) throw beingFilled(view, engine.fillingOf(view));
    return collection;
  };
  return {
    collectionOf,
    get: async <Doc extends Document>(view: string, id: string) =>
      (await readStore.get<Doc>(collectionOf(view), id)) ??
      ((await lapsed?.(view, id)) as Doc | undefined) ??
      null,
    getMany: async (view, ids) => readStore.getMany(collectionOf(view), ids),
    find: async (view, options) => readStore.find(collectionOf(view), options),
    count: async (view, filter) => readStore.count(collectionOf(view), filter),
    sum: async (view, field, filter) => readStore.sum(collectionOf(view), field, filter),
    counters: async (view) =>
      (await readStore.get<ViewCounters>(countersCollection, collectionOf(view)))?.figures ?? {},
  };
};
