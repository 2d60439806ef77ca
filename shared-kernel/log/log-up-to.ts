import { EngineUnavailable } from '#ports/engine-errors.ts';
import { type EventStore, type ReadStreamOptions, type StoredEvent } from '#ports/event-store.ts';

/** Enough for all that a reader asks of a stream to lie behind the end of the log. */
const BACKWARDS_PAGE = 100;

/**
 * A log as it was when the event at a position was its last one: what came later is not there, and nothing can be
 * appended. The log itself is left as it is, and stays open when this is closed.
 */
export const logUpTo = (
  store: Pick<EventStore, 'readAll' | 'readStream' | 'eventAt' | 'ping'>,
  end: number,
): EventStore => {
  const isThere = ({ position }: StoredEvent): boolean => position <= end;

  /** A page of another log's types may end with an event that only says how far was looked. */
  const readAll: EventStore['readAll'] = async (after, limit, types) => {
    if (after >= end) return [];
    const page = await store.readAll(after, limit, types);
    if (page.every(isThere)) return page;
    const wanted = page.filter(isThere);
    const last = wanted.at(-1)?.position === end ? null : await store.eventAt(end);
    return last ? [...wanted, last] : wanted;
  };

  /** Later events of the stream are passed over: they fill no page. */
  const readBackwards = async ({ fromRevision, limit }: ReadStreamOptions, stream: string) => {
    for (let from = fromRevision; ;) {
      const page = await store.readStream(stream, {
        direction: 'backwards',
        limit: Math.max(limit ?? BACKWARDS_PAGE, BACKWARDS_PAGE),
        ...(from !== undefined && { fromRevision: from }),
      });
      const first = page.find(isThere);
      if (first)
        return store.readStream(stream, {
          direction: 'backwards',
          fromRevision: first.revision,
          ...(limit !== undefined && { limit }),
        });
      const last = page.at(-1);
      if (!last || last.revision === 0) return [];
      from = last.revision - 1;
    }
  };

  return {
    isOnlyWriter: true,
    append: () => Promise.reject(new EngineUnavailable('this is the log as it was: nothing is appended')),
    readStream: async (stream, options = {}) =>
      options.direction === 'backwards'
        ? readBackwards(options, stream)
        : (await store.readStream(stream, options)).filter(isThere),
    readAll,
    eventAt: async (position) => (position <= end ? store.eventAt(position) : null),
    async *subscribe(after, signal) {
      for (let last = after; !signal.aborted;) {
        const page = await readAll(last);
        last = page.at(-1)?.position ?? end;
        if (page.length > 0) yield page;
        else await aborted(signal);
      }
    },
    head: () => Promise.resolve(end),
    ping: () => store.ping(),
    close: () => Promise.resolve(),
  };
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
