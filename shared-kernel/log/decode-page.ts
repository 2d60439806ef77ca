import type { Recorded } from '#kernel/event.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { markOf, startMark, type LogMark, type StoredEvent } from '#ports/event-store.ts';

/** The reading half of the event codec. */
export interface EventDecoder {
  decodeAll(batch: readonly StoredEvent[]): Promise<readonly Recorded[]>;
}

/** A stretch of the log without a gap, decoded as far as it is wanted. */
export interface Chunk {
  readonly events: readonly Recorded[];
  /** The last event of the stretch, wanted or not. */
  readonly upTo: LogMark;
  /** How many events of the log the stretch holds, wanted or not. */
  readonly size: number;
  /** Set when the stretch is one event that cannot be decoded. */
  readonly undecodable: { readonly type: string; readonly message: string } | null;
}

/**
 * Decodes the wanted events of a page (at least one event, in order). Unwanted types, unknown ones among them, cost
 * nothing. An event that cannot be decoded stands in a chunk of its own, so that only those who want it stop at it.
 * Errors: `EngineUnavailable`.
 */
export const decodePage = async (
  decoder: EventDecoder,
  page: readonly StoredEvent[],
  wants: (type: string) => boolean,
): Promise<readonly Chunk[]> => {
  try {
    return [await decodeWanted(decoder, page, wants)];
  } catch (error) {
    if (error instanceof EngineUnavailable) throw error;
    return decodeOneByOne(decoder, page, wants);
  }
};

const decodeWanted = async (
  decoder: EventDecoder,
  page: readonly StoredEvent[],
  wants: (type: string) => boolean,
): Promise<Chunk> => {
  const wanted = page.filter(({ type }) => wants(type));
  const events = wanted.length === 0 ? [] : await decoder.decodeAll(wanted);
  const last = page.at(-1);
  return { events, upTo: last ? markOf(last) : startMark, size: page.length, undecodable: null };
};

const decodeOneByOne = async (
  decoder: EventDecoder,
  page: readonly StoredEvent[],
  wants: (type: string) => boolean,
): Promise<readonly Chunk[]> => {
  const chunks: Chunk[] = [];
  for (const event of page) {
    try {
      chunks.push(await decodeWanted(decoder, [event], wants));
    } catch (error) {
      if (error instanceof EngineUnavailable) throw error;
      const undecodable = {
        type: event.type,
        message: error instanceof Error ? error.message : String(error),
      };
      chunks.push({ events: [], upTo: markOf(event), size: 1, undecodable });
    }
  }
  return chunks;
};
