import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';

/** Counts of downloads in the state store, shared by all processes. */
export const downloadCounts = 'downloadCounts';

/** How often a link was used, under its id; missing before its first download. */
export interface DownloadCount extends Document {
  readonly count: number;
  /** ISO instant. */
  readonly lastDownloadAt: string;
  /** Until when partial downloads are not counted, in milliseconds of the shop's clock. */
  readonly partsUntil: number;
  /** Bytes of partial downloads in that time. */
  readonly partBytes: number;
}

export type DownloadCounts = ReadonlyMap<string, DownloadCount>;

/** The most ids in one query. */
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
