import { START, type EventStore } from '#ports/event-store.ts';

/** Reads every event and parses its two JSON texts: what anything costs that goes through a whole log. */
export const scanLog = async (
  store: Pick<EventStore, 'readAll'>,
): Promise<{ readonly events: number; readonly ms: number }> => {
  const started = performance.now();
  let events = 0;
  let after = START;
  for (;;) {
    const page = await store.readAll(after);
    const last = page.at(-1);
    if (!last) return { events, ms: performance.now() - started };
    for (const { data, metadata } of page) {
      JSON.parse(data);
      JSON.parse(metadata);
    }
    events += page.length;
    after = last.position;
  }
};
