import type { Readable } from 'node:stream';
import { invalidRequest, Rejection } from '#kernel/rejection.ts';
import { wantedBy, type EventFilter } from '#log/event-filter.ts';
import { maskedEvents } from '#log/masked-events.ts';
import { watchedSubscription } from '#log/watched-subscription.ts';
import { START, type EventStore, type StoredEvent } from '#ports/event-store.ts';
import { answerStream } from '../../engine/answer-stream.ts';

/** The log as it grows, for those who listen. */
export interface LiveEvents {
  /** From behind a position, or from now on. Refuses with `too-busy`, and a position that is none. */
  open(filter: EventFilter, position: number | undefined): Promise<Listening>;
}

export interface Listening {
  readonly stream: Readable;
  /** Ends it in an orderly way: its listener may come again. */
  readonly end: () => void;
}

export interface LiveEventsOptions {
  readonly store: Pick<EventStore, 'subscribe' | 'eventAt' | 'head'>;
  /** Of each process; each reads the log for itself, as fast as it is listened to. */
  readonly mostListeners?: number;
  /** Silence after which a sign of life is sent. Real time, as below. */
  readonly silenceMilliseconds?: number;
  /** After that a listener has to come again, and show who they are. */
  readonly longestMilliseconds?: number;
}

/** Events that one frame of the answer holds. */
const SENT_TOGETHER = 100;
const AGAIN_AFTER_MILLISECONDS = 2000;

const isSilence = Symbol('silence');

/** What comes first: the next page, or the end of patience. */
const within = async <Page>(next: Promise<Page>, milliseconds: number): Promise<Page | typeof isSilence> => {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<typeof isSilence>((resolve) => {
    timer = setTimeout(() => resolve(isSilence), milliseconds);
  });
  try {
    return await Promise.race([next, silence]);
  } finally {
    clearTimeout(timer);
  }
};

/** It has an id and no data: a listener who comes again goes on from there, and is told of nothing. */
const signOfLife = (position: number): string => `: still here\nid: ${position}\n\n`;

const frames = (events: readonly StoredEvent[]): string =>
  maskedEvents(events)
    .map((event) => `id: ${event.position}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');

export const createLiveEvents = ({
  store,
  mostListeners = 10,
  silenceMilliseconds = 15_000,
  longestMilliseconds = 600_000,
}: LiveEventsOptions): LiveEvents => {
  let listeners = 0;

  async function* texts(filter: EventFilter, after: number, left: AbortSignal): AsyncGenerator<string> {
    const isWanted = wantedBy(filter);
    const endsAt = performance.now() + longestMilliseconds;
    const pages = watchedSubscription(store, after, left);
    const following = (): ReturnType<typeof pages.next> => {
      const page = pages.next();
      // Awaited once what was found has been taken; until then a failure must not count as unhandled.
      page.catch(() => undefined);
      return page;
    };
    let reached = after;
    let saidAt = performance.now();
    yield `retry: ${AGAIN_AFTER_MILLISECONDS}\n${signOfLife(reached)}`;
    for (let next = following(); !left.aborted && performance.now() < endsAt;) {
      const page = await within(next, silenceMilliseconds);
      if (page !== isSilence) {
        if (page.done) return;
        const found = page.value.filter(isWanted);
        for (let from = 0; from < found.length; from += SENT_TOGETHER)
          yield frames(found.slice(from, from + SENT_TOGETHER));
        if (found.length > 0) saidAt = performance.now();
        reached = page.value.at(-1)?.position ?? reached;
        next = following();
      }
      if (performance.now() - saidAt < silenceMilliseconds) continue;
      saidAt = performance.now();
      yield signOfLife(reached);
    }
  }

  const placeOf = async (position: number | undefined): Promise<number> => {
    if (position === undefined) return store.head();
    if (position === START || (await store.eventAt(position))) return position;
    throw invalidRequest('position: must be 0 or the position of an event');
  };

  return {
    open: async (filter, position) => {
      const after = await placeOf(position);
      if (listeners >= mostListeners)
        throw new Rejection(
          'too-busy',
          `${mostListeners} listen to the log already. Please try again when one of them has left.`,
        );
      listeners++;
      const ending = new AbortController();
      const stream = answerStream(
        (left) => texts(filter, after, AbortSignal.any([left, ending.signal])),
        () => listeners--,
      );
      return { stream, end: () => ending.abort() };
    },
  };
};
