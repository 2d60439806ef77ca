import type { Recorded } from '#kernel/event.ts';
import { MAX_PAGE, type EventStore } from '#ports/event-store.ts';
import type { EventDecoder } from './decode-page.ts';

interface Sources {
  readonly store: Pick<EventStore, 'readStream'>;
  readonly decoder: EventDecoder;
}

/** The events of a stream, decoded, page by page. Errors: `EngineUnavailable`. */
export async function* streamPages(
  { store, decoder }: Sources,
  stream: string,
): AsyncGenerator<readonly Recorded[]> {
  for (let fromRevision = 0; ; fromRevision += MAX_PAGE) {
    const page = await store.readStream(stream, { fromRevision });
    yield await decoder.decodeAll(page);
    if (page.length < MAX_PAGE) return;
  }
}

/** All events of a stream, decoded: for streams that are short. Errors: `EngineUnavailable`. */
export const streamHistory = async (sources: Sources, stream: string): Promise<readonly Recorded[]> =>
  (await Array.fromAsync(streamPages(sources, stream))).flat();
