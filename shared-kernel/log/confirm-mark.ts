import { markOf, START, startMark, type EventStore, type LogMark } from '#ports/event-store.ts';

/**
 * A mark that was kept, with the id of its event; null where the log does not hold that event at that position: it was
 * restored to an older copy, and may have grown since. Errors: `EngineUnavailable`.
 */
export const confirmMark = async (
  store: Pick<EventStore, 'eventAt'>,
  { position, eventId }: LogMark,
): Promise<LogMark | null> => {
  if (position === START) return startMark;
  const event = await store.eventAt(position);
  return event && (eventId === null || event.id === eventId) ? markOf(event) : null;
};
