import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';

/** Where it is counted how often files are downloaded: rows of the state store, the same for all processes. */
export const downloadCounts = 'downloadCounts';

/** How often a link was used, under its id; none before its first download. */
export interface DownloadCount extends Document {
  readonly count: number;
  /** ISO instant. */
  readonly lastDownloadAt: string;
  /** Until when parts of the file are not counted, in the shop's milliseconds. */
  readonly partsUntil: number;
  /** Bytes of such parts since then. */
  readonly partBytes: number;
}

export type DownloadCounts = ReadonlyMap<string, DownloadCount>;

/** The most asked for at once. */
const TOGETHER = 1000;

/** Errors: `EngineUnavailable`. */
export const readDownloadCounts = async (
  stateStore: Pick<DocumentStore, 'getMany'>,
  linkIds: readonly string[],
): Promise<DownloadCounts> => {
  const counts = new Map<string, DownloadCount>();
  for (let from = 0; from < linkIds.length; from += TOGETHER) {
    const ids = linkIds.slice(from, from + TOGETHER);
    for (const row of await stateStore.getMany<DownloadCount>(downloadCounts, ids)) counts.set(row._id, row);
  }
  return counts;
};
