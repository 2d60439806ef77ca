import { setImmediate as nextTurn } from 'node:timers/promises';
import { invalidRequest, Rejection } from '#kernel/rejection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { NoSuchPosition } from '#ports/engine-errors.ts';
import { START, type EventStore, type StoredEvent } from '#ports/event-store.ts';
import type { EventFilter } from './event-filter.ts';
import { firstRevision } from './first-revision.ts';
import {
  blocksBackwards,
  CLOCKS_APART_MILLISECONDS,
  positionAfter,
  positionBefore,
  type BlockPlace,
} from './kept-time-blocks.ts';
import { instantOf } from './log-span.ts';

export interface LogSearch {
  readonly filter: EventFilter;
  readonly direction: 'forwards' | 'backwards';
  /** Where it begins, itself left out. Default: the end that it comes from. */
  readonly position?: number | undefined;
}

export interface SearchedLog {
  readonly store: Pick<EventStore, 'readAll' | 'readStream' | 'head'>;
  /** Holds the index of time. */
  readonly readStore: Pick<DocumentStore, 'find'>;
}

/** Events read in one turn of the event loop. */
const READ_AT_ONCE = 200;
/** Events without an entry in the index of time: more only while it is filled for the first time. */
const MOST_IN_BLOCK = 10_000;

type Pages = AsyncGenerator<readonly StoredEvent[]>;

const recorded = (event: StoredEvent, otherwise: number): number => instantOf(event) ?? otherwise;

async function* streamForwards(
  { store }: SearchedLog,
  stream: string,
  { filter: { from = -Infinity, to = Infinity }, position = START }: LogSearch,
): Pages {
  const isIn = (event: StoredEvent): boolean =>
    event.position > position && recorded(event, Infinity) >= from - CLOCKS_APART_MILLISECONDS;
  for (let fromRevision = await firstRevision(store, stream, isIn); ;) {
    const page = await store.readStream(stream, { fromRevision, limit: READ_AT_ONCE });
    const last = page.at(-1);
    if (!last) return;
    yield page;
    if (recorded(last, -Infinity) > to + CLOCKS_APART_MILLISECONDS) return;
    fromRevision = last.revision + 1;
  }
}

async function* streamBackwards(
  { store }: SearchedLog,
  stream: string,
  { filter: { from = -Infinity, to = Infinity }, position = Infinity }: LogSearch,
): Pages {
  const isPast = (event: StoredEvent): boolean =>
    event.position >= position || recorded(event, -Infinity) > to + CLOCKS_APART_MILLISECONDS;
  for (let fromRevision = (await firstRevision(store, stream, isPast)) - 1; fromRevision >= 0;) {
    const page = await store.readStream(stream, {
      direction: 'backwards',
      fromRevision,
      limit: READ_AT_ONCE,
    });
    const last = page.at(-1);
    if (!last) return;
    yield page;
    if (recorded(last, Infinity) < from - CLOCKS_APART_MILLISECONDS) return;
    fromRevision = last.revision - 1;
  }
}

/** Up to the end that the log has when it begins. */
async function* logForwards(
  { store, readStore }: SearchedLog,
  { filter: { type, from, to = Infinity }, position = START }: LogSearch,
): Pages {
  const types = type === undefined ? undefined : new Set([type]);
  const head = await store.head();
  const since = from === undefined ? START : await positionBefore(readStore, from);
  let isFirst = true;
  for (let after = Math.max(position, since); after < head;) {
    // The first event that is looked at is shown as such, whatever its type.
    const read = isFirst ? await store.readAll(after, 1) : await store.readAll(after, READ_AT_ONCE, types);
    isFirst = false;
    const page = read.filter((event) => event.position <= head);
    const last = page.at(-1);
    if (!last) return;
    yield page;
    if (page.every((event) => recorded(event, -Infinity) > to + CLOCKS_APART_MILLISECONDS)) return;
    after = last.position;
  }
}

const eventsOfBlock = async (
  { store }: SearchedLog,
  { after, upTo }: BlockPlace,
): Promise<readonly StoredEvent[]> => {
  const events: StoredEvent[] = [];
  for (let last = after; last < upTo;) {
    const page = await store.readAll(last, READ_AT_ONCE);
    const end = page.at(-1);
    if (!end) break;
    for (const event of page) if (event.position <= upTo) events.push(event);
    if (events.length > MOST_IN_BLOCK)
      throw new Rejection(
        'view-being-filled',
        'The index of time is being filled. Please try again shortly, or search forwards.',
      );
    last = end.position;
    await nextTurn();
  }
  return events;
};

async function* logBackwards(
  sources: SearchedLog,
  { filter: { from = -Infinity, to }, position = Infinity }: LogSearch,
): Pages {
  const head = Math.min(await sources.store.head(), position - 1);
  const until = to === undefined ? Infinity : await positionAfter(sources.readStore, to);
  for await (const block of blocksBackwards(sources.readStore, Math.min(head, until))) {
    const events = await eventsOfBlock(sources, block);
    if (events.length > 0) yield events.toReversed();
    if (events.every((event) => recorded(event, Infinity) < from - CLOCKS_APART_MILLISECONDS)) return;
  }
}

/**
 * Every event that a search has to look at, page by page, in its direction: of one stream, or of the stretch of the log
 * that the index of time names. Which of them are wanted is for `wantedBy` to say; other work gets its turns. Refuses
 * with `view-being-filled` a search backwards where the index of time is not there yet, and with `invalid-request` a
 * position that is none. Errors: `EngineUnavailable`.
 */
export async function* searchedPages(sources: SearchedLog, search: LogSearch): Pages {
  const { stream } = search.filter;
  const isForwards = search.direction === 'forwards';
  const pages =
    stream === undefined
      ? (isForwards ? logForwards : logBackwards)(sources, search)
      : (isForwards ? streamForwards : streamBackwards)(sources, stream, search);
  try {
    for await (const page of pages) {
      yield page;
      await nextTurn();
    }
  } catch (error) {
    // A position that the caller made up, in a log where not every number is one.
    if (!(error instanceof NoSuchPosition) || search.position === undefined) throw error;
    throw invalidRequest('position: must be 0 or the position of an event');
  }
}
