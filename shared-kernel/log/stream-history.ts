import type { Recorded } from '#kernel/event.ts';
import { MAX_PAGE, type EventStore } from '#ports/event-store.ts';
import type { EventDecoder } from './decode-page.ts';

/** All events of a stream, decoded: for streams that are short. Errors: `EngineUnavailable`. */
export const streamHistory = async (
  { store, decoder }: { readonly store: Pick<EventStore, 'readStream'>; readonly decoder: EventDecoder },
  stream: string,
): Promise<readonly Recorded[]> => {
  const events: Recorded[] = [];
  for (let fromRevision = 0; ; fromRevision += MAX_PAGE) {
    const page = await store.readStream(stream, { fromRevision });
    events.push(...(await decoder.decodeAll(page)));
    if (page.length < MAX_PAGE) return events;
  }
};
