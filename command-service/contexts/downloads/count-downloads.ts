import { isoInstant, type Clock } from '#kernel/clock.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { downloadCounts as rows, type DownloadCount } from '#runtime/download-counts.ts';

/** A part of a file that is not counted; what of it is not sent is given back. */
export interface UncountedPart {
  readonly linkId: string;
  /** Which counted download it belongs to. */
  readonly partsUntil: number;
}

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;
/** How much a counted download may be requested in parts, as a multiple of the file's length. */
const PARTS_OF_FILE = 2;
/** How often a row is tried again that others were faster to write. */
const TRIES = 5;

/**
 * Counts downloads (docs/rules/downloads.md#counting), one row a link in the state store: two processes count together.
 * Declares its collection: call it once at start. Errors: `EngineUnavailable`.
 */
export const createDownloadCounter = async ({
  stateStore,
  clock,
}: {
  readonly stateStore: DocumentStore;
  readonly clock: Clock;
}) => {
  await stateStore.declare(rows);
  const find = (linkId: string): Promise<DownloadCount | null> => stateStore.get(rows, linkId);
  return {
    find,
    /** Counts one more, before anything of it is sent; false where there were `max` before, of which 0 is no limit. */
    take: async (linkId: string, max: number): Promise<boolean> => {
      const now = clock.now();
      const used = { lastDownloadAt: isoInstant(now), partsUntil: now + DAY_MILLISECONDS, partBytes: 0 };
      const first = { count: 1, ...used };
      const isFree = { _id: linkId, ...(max > 0 && { count: { lt: max } }) };
      for (let tries = 0; tries < TRIES; tries++) {
        if (await stateStore.updateIf(rows, isFree, { set: used, increment: { count: 1 } })) return true;
        if (await stateStore.insertIfAbsent(rows, { _id: linkId, ...first })) return true;
        const row = await find(linkId);
        if (row && max > 0 && row.count >= max) return false;
      }
      return false;
    },
    /** Takes a part out of what the last counted download has opened; null where too little of that is left. */
    takePart: async (linkId: string, bytes: number, fileBytes: number): Promise<UncountedPart | null> => {
      const isOpen = {
        _id: linkId,
        partsUntil: { gt: clock.now() },
        partBytes: { lte: PARTS_OF_FILE * fileBytes - bytes },
      };
      const row = await stateStore.updateIf<DownloadCount>(rows, isOpen, { increment: { partBytes: bytes } });
      return row && { linkId, partsUntil: row.partsUntil };
    },
    giveBack: async ({ linkId, partsUntil }: UncountedPart, bytes: number): Promise<void> => {
      const isTheSame = { _id: linkId, partsUntil, partBytes: { gte: bytes } };
      await stateStore.updateIf(rows, isTheSame, { increment: { partBytes: -bytes } });
    },
  };
};

export type DownloadCounter = Awaited<ReturnType<typeof createDownloadCounter>>;
