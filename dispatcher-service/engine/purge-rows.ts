import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DocumentStore, Filter } from '#ports/document-store.ts';

const SLICE = 500;

/** Deletes all rows that match, in slices. Returns how many. */
export const purgeRows = async (
  stateStore: DocumentStore,
  collection: string,
  filter: Filter,
): Promise<number> => {
  for (let purged = 0; ;) {
    const deleted = await stateStore.deleteMany(collection, filter, SLICE);
    purged += deleted;
    if (deleted < SLICE) return purged;
    await nextTurn();
  }
};
