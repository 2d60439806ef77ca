import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { START } from '#ports/event-store.ts';
import type { LogSpan } from './log-span.ts';

/** Neighbouring spans of the log as one entry of the index of time. */
export interface TimeBlock extends LogSpan {
  /** Position of the last event before it. */
  readonly after: number;
}

/** Where a block is; both positions as a reader takes them: `after` is not in it, `upTo` is. */
export interface BlockPlace {
  readonly after: number;
  readonly upTo: number;
}

/** A closed block as the read store keeps it, under its last position. */
export interface BlockDocument extends Document, Omit<TimeBlock, 'upTo'> {
  readonly position: number;
  readonly eventId: string | null;
}

/** Of the read store; the projection service fills it. */
export const timeBlocksCollection = 'timeIndex_v1';

/** The clocks of two machines that write the log differ by less than this. */
export const CLOCKS_APART_MILLISECONDS = 60_000;

const blockId = (position: number): string => String(position).padStart(16, '0');

export const documentOf = ({ upTo: { position, eventId }, ...block }: TimeBlock): BlockDocument => ({
  _id: blockId(position),
  ...block,
  position,
  eventId,
});

export const blockOf = ({ _id, position, eventId, ...block }: BlockDocument): TimeBlock => ({
  ...block,
  upTo: { position, eventId },
});

type Reading = Pick<DocumentStore, 'find'>;

const nextBlock = async (readStore: Reading, after: number): Promise<BlockDocument | undefined> => {
  const filter = { _id: { gt: blockId(after) } };
  const [block] = await readStore.find<BlockDocument>(timeBlocksCollection, {
    filter,
    sort: [['_id', 1]],
    limit: 1,
  });
  return block;
};

const lastBlock = async (readStore: Reading, upTo: number): Promise<BlockDocument | undefined> => {
  const filter = { _id: { lte: blockId(upTo) } };
  const [block] = await readStore.find<BlockDocument>(timeBlocksCollection, {
    filter,
    sort: [['_id', -1]],
    limit: 1,
  });
  return block;
};

/** Where the first block begins of which something holds that holds of every later one; null where none does. */
const beginOfFirst = async (
  readStore: Reading,
  holds: (block: BlockDocument) => boolean,
): Promise<{ readonly after: number | null; readonly keptUpTo: number }> => {
  const keptUpTo = (await lastBlock(readStore, Number.MAX_SAFE_INTEGER))?.position ?? START;
  let [low, high] = [START, keptUpTo];
  while (low < high) {
    const block = await nextBlock(readStore, Math.floor((low + high) / 2));
    // The index is just being made again.
    if (!block) return { after: null, keptUpTo: low };
    if (holds(block)) high = block.after;
    else low = block.position;
  }
  return { after: high === keptUpTo ? null : high, keptUpTo };
};

/**
 * A position after which all events are that were recorded at or after the instant; for those who follow no index
 * themselves. What is not kept yet counts as later. Errors: `EngineUnavailable`.
 */
export const positionBefore = async (readStore: Reading, instant: number): Promise<number> => {
  const safely = instant - CLOCKS_APART_MILLISECONDS;
  const { after, keptUpTo } = await beginOfFirst(readStore, ({ latest }) => latest >= safely);
  return after ?? keptUpTo;
};

/**
 * A position after which no event was recorded at or before the instant; infinite where that may be so up to the end.
 * Errors: `EngineUnavailable`.
 */
export const positionAfter = async (readStore: Reading, instant: number): Promise<number> => {
  const safely = instant + CLOCKS_APART_MILLISECONDS;
  const { after } = await beginOfFirst(readStore, ({ earliest }) => earliest > safely);
  return after ?? Infinity;
};

/** The log up to a position, block by block, the newest first; what is not kept yet is one block. */
export async function* blocksBackwards(readStore: Reading, head: number): AsyncGenerator<BlockPlace> {
  for (let upTo = head; upTo > START;) {
    const block = await lastBlock(readStore, upTo);
    if (block?.position === upTo) yield { after: block.after, upTo };
    else yield { after: block?.position ?? START, upTo };
    upTo = block?.position === upTo ? block.after : (block?.position ?? START);
  }
}
