import type { Recorded } from '#kernel/event.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { markOf, startMark, type LogMark, type StoredEvent } from '#ports/event-store.ts';
import { spanOf, type LogSpan } from './log-span.ts';

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
  /** When what the log holds up to here was recorded; empty where nobody asked. */
  readonly spans: readonly LogSpan[];
  /** Set when the stretch is one event that cannot be decoded. */
  readonly undecodable: { readonly type: string; readonly message: string } | null;
}

/** What those who read a page want of it. */
export interface Wanted {
  /** Types of events to decode. */
  readonly wants: (type: string) => boolean;
  /** Whether someone asks when the page was recorded. */
  readonly isTimed: boolean;
}

/**
 * Decodes the wanted events of a page (at least one event, in order). Unwanted types, unknown ones among them, cost
 * nothing. An event that cannot be decoded stands in a chunk of its own, so that only those who want it stop at it.
 * Errors: `EngineUnavailable`.
 */
export const decodePage = async (
  decoder: EventDecoder,
  page: readonly StoredEvent[],
  { wants, isTimed }: Wanted,
): Promise<readonly Chunk[]> => {
  const chunks = await decodeChunks(decoder, page, wants);
  const last = chunks.at(-1);
  return isTimed && last ? [...chunks.slice(0, -1), { ...last, spans: spanOf(page) }] : chunks;
};

const decodeChunks = async (
  decoder: EventDecoder,
  page: readonly StoredEvent[],
  wants: Wanted['wants'],
): Promise<readonly Chunk[]> => {
  try {
    return [await decodeWanted(decoder, page, wants)];
  } catch (error) {
    if (error instanceof EngineUnavailable) throw error;
    return decodeOneByOne(decoder, page, wants);
  }
};

const untimed: readonly LogSpan[] = [];

const decodeWanted = async (
  decoder: EventDecoder,
  page: readonly StoredEvent[],
  wants: Wanted['wants'],
): Promise<Chunk> => {
  const wanted = page.filter(({ type }) => wants(type));
  const events = wanted.length === 0 ? [] : await decoder.decodeAll(wanted);
  const last = page.at(-1);
  return {
    events,
    upTo: last ? markOf(last) : startMark,
    size: page.length,
    spans: untimed,
    undecodable: null,
  };
};

const decodeOneByOne = async (
  decoder: EventDecoder,
  page: readonly StoredEvent[],
  wants: Wanted['wants'],
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
      chunks.push({ events: [], upTo: markOf(event), size: 1, spans: untimed, undecodable });
    }
  }
  return chunks;
};
