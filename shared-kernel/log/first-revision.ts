import type { EventStore, StoredEvent } from '#ports/event-store.ts';

/**
 * The first revision of a stream from which on a condition holds, which once it holds holds for every later event; the
 * stream's length where it never does. Errors: `EngineUnavailable`.
 */
export const firstRevision = async (
  store: Pick<EventStore, 'readStream'>,
  stream: string,
  holds: (event: StoredEvent) => boolean,
): Promise<number> => {
  const [last] = await store.readStream(stream, { direction: 'backwards', limit: 1 });
  let [low, high] = [0, (last?.revision ?? -1) + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [event] = await store.readStream(stream, { fromRevision: middle, limit: 1 });
    if (event !== undefined && !holds(event)) low = middle + 1;
    else high = middle;
  }
  return low;
};
