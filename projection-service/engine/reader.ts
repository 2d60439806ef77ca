import type { Document } from '#kernel/projection.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { DocumentStore, Filter, FindOptions } from '#ports/document-store.ts';
import { tallies, type Figures, type ViewTally } from './view-tally.ts';

/**
 * Read models by the name of their view, whatever generation serves. Errors: `EngineUnavailable`, also while a view is
 * filled for the first time.
 */
export interface ViewReader {
  collectionOf(view: string): string;
  get<Doc extends Document>(view: string, id: string): Promise<Doc | null>;
  /** In any order; missing ones are left out. */
  getMany<Doc extends Document>(view: string, ids: readonly string[]): Promise<readonly Doc[]>;
  find<Doc extends Document>(view: string, options?: FindOptions): Promise<readonly Doc[]>;
  count(view: string, filter?: Filter): Promise<number>;
  /** What the numbers at a field come to. */
  sum(view: string, field: string, filter?: Filter): Promise<number>;
  /** The figures of a view that keeps a tally. */
  tally(view: string): Promise<Figures>;
}

export interface ViewReaderOptions {
  readonly readStore: DocumentStore;
  readonly engine: { collectionOf(view: string): string | null };
}

export const createReader = ({ readStore, engine }: ViewReaderOptions): ViewReader => {
  const collectionOf = (view: string): string => {
    const collection = engine.collectionOf(view);
    if (collection === null)
      throw new EngineUnavailable(`the view ${view} is being filled for the first time`);
    return collection;
  };
  return {
    collectionOf,
    get: async (view, id) => readStore.get(collectionOf(view), id),
    getMany: async (view, ids) => readStore.getMany(collectionOf(view), ids),
    find: async (view, options) => readStore.find(collectionOf(view), options),
    count: async (view, filter) => readStore.count(collectionOf(view), filter),
    sum: async (view, field, filter) => readStore.sum(collectionOf(view), field, filter),
    tally: async (view) => (await readStore.get<ViewTally>(tallies, collectionOf(view)))?.figures ?? {},
  };
};
