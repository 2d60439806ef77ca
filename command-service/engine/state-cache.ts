import { LRUCache } from 'lru-cache';
import type { EventCodec } from '#log/codec.ts';
import { MAX_PAGE, type EventStore } from '#ports/event-store.ts';
import type { Snapshots } from './snapshots.ts';
import { emptyStream, takeEvent, type AnyDecider, type StreamState } from './stream-state.ts';

/** The states of the streams used last, and how they are loaded. Errors: `EngineUnavailable`. */
export interface StateCache {
  get(stream: string): StreamState | undefined;
  /** A stream without events. */
  begin(decider: AnyDecider, stream: string): StreamState;
  /** From a snapshot and the stream's tail. Refused with `unknown-event-type` for a stream of a newer release. */
  load(decider: AnyDecider, stream: string): Promise<StreamState>;
  /** Takes in what others have appended since. */
  refresh(decider: AnyDecider, stream: string, known: StreamState): Promise<void>;
  drop(stream: string): void;
  /** Drops all, and what is being loaded now is not kept either. */
  clear(): void;
}

export const createStateCache = (options: {
  readonly store: EventStore;
  readonly codec: EventCodec;
  readonly snapshots: Snapshots;
  readonly maxStreams: number;
}): StateCache => {
  const { store, codec, snapshots } = options;
  const states = new LRUCache<string, StreamState>({ max: options.maxStreams });
  let cleared = 0;

  const refresh = async (decider: AnyDecider, stream: string, known: StreamState): Promise<void> => {
    for (;;) {
      const page = await store.readStream(stream, { fromRevision: known.end.revision + 1 });
      for (const event of await codec.decodeAll(page)) takeEvent(decider, known, event);
      if (page.length < MAX_PAGE) return;
    }
  };

  /** A snapshot that is not of this very history (the log was restored, say) is left aside. */
  const fromSnapshot = async (decider: AnyDecider, stream: string): Promise<StreamState | null> => {
    const known = await snapshots.read(decider, stream);
    if (!known) return null;
    const [last] = await store.readStream(stream, { fromRevision: known.end.revision, limit: 1 });
    const [event] = last ? await codec.decodeAll([last]) : [];
    return event?.metadata.hash === known.end.hash ? known : null;
  };

  return {
    get: (stream) => states.get(stream),
    begin: (decider, stream) => {
      const known = emptyStream(decider);
      states.set(stream, known);
      return known;
    },
    load: async (decider, stream) => {
      const begun = cleared;
      const known = (await fromSnapshot(decider, stream)) ?? emptyStream(decider);
      await refresh(decider, stream, known);
      if (begun === cleared) states.set(stream, known);
      return known;
    },
    refresh,
    drop: (stream) => void states.delete(stream),
    clear: () => {
      cleared++;
      states.clear();
    },
  };
};
