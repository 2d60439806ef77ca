import type { EventStore, StoredEvent } from '#ports/event-store.ts';
import { pause } from '#runtime/back-off.ts';

/** What is known of a reader who waits for the log. */
export interface Look {
  /** Position of the last event that it had received. */
  readonly received: number;
  /** Position of the log's last event at that time; null where the log was not asked, or did not answer. */
  readonly head: number | null;
}

interface WatchOptions {
  /** How long a reader waits before the log is asked for its head, and before it is thought silent; default 3 s. */
  readonly lookMilliseconds?: number | undefined;
  /** Hears what showed that a subscription had gone silent, before the next one begins. */
  readonly onSilent?: ((look: Look) => void) | undefined;
}

const LOOK_MILLISECONDS = 3000;
const LONGEST_LOOK_MILLISECONDS = 60_000;

export type AfterLook = 'goes on' | 'asks the log' | 'is silent';

/** What a reader who waits again does, by what was known when it was looked at before. */
export const afterLook = (before: Look | null, received: number): AfterLook => {
  if (before === null || before.received !== received) return 'goes on';
  return before.head !== null && before.head > received ? 'is silent' : 'asks the log';
};

/**
 * As `subscribe` of the log; a subscription that says nothing although there is more, and its server answers all other
 * calls, is left for a new one after the last event that was received. One that was only slow gets longer each time.
 */
export async function* watchedSubscription(
  store: Pick<EventStore, 'subscribe' | 'head'>,
  after: number,
  signal: AbortSignal,
  { lookMilliseconds = LOOK_MILLISECONDS, onSilent }: WatchOptions = {},
): AsyncGenerator<readonly StoredEvent[], void, undefined> {
  let last = after;
  let everyMilliseconds = lookMilliseconds;
  let isSilent = true;
  while (isSilent && !signal.aborted) {
    let isWaiting = true;
    isSilent = false;
    const ending = new AbortController();
    const watching: Watching = {
      store,
      received: () => (isWaiting ? last : null),
      everyMilliseconds,
      signal: AbortSignal.any([signal, ending.signal]),
    };
    everyMilliseconds = Math.min(LONGEST_LOOK_MILLISECONDS, 2 * everyMilliseconds);
    void untilSilent(watching).then((look) => {
      if (look === null) return;
      isSilent = true;
      onSilent?.(look);
      ending.abort();
    });
    try {
      for await (const page of store.subscribe(last, watching.signal)) {
        last = Math.max(last, page.at(-1)?.position ?? last);
        everyMilliseconds = lookMilliseconds;
        isWaiting = false;
        yield page;
        isWaiting = true;
      }
    } finally {
      ending.abort();
    }
  }
}

interface Watching {
  readonly store: Pick<EventStore, 'head'>;
  /** Null while a page is in hand: then nothing is waited for. */
  readonly received: () => number | null;
  readonly everyMilliseconds: number;
  readonly signal: AbortSignal;
}

/** Resolves with the look that showed it; with null when the signal aborts. */
const untilSilent = async ({
  store,
  received,
  everyMilliseconds,
  signal,
}: Watching): Promise<Look | null> => {
  for (let before: Look | null = null; ;) {
    await pause(everyMilliseconds, signal);
    if (signal.aborted) return null;
    const now = received();
    const found: AfterLook = now === null ? 'goes on' : afterLook(before, now);
    if (found === 'is silent') return before;
    // That it is away is no silence of the subscription.
    const head: number | null = found === 'asks the log' ? await store.head().catch(() => null) : null;
    before = now === null ? null : { received: now, head };
  }
};
