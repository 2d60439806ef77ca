import { EngineUnavailable, NoSuchPosition, StreamDamaged } from '#ports/engine-errors.ts';
import {
  type AppendResult,
  type EventStore,
  type EventToAppend,
  MAX_PAGE,
  pageOfTypes,
  type ReadStreamOptions,
  type StoredEvent,
} from '#ports/event-store.ts';
import { readAddress } from './address.ts';
import { Appender } from './appender.ts';
import { Connection } from './connection.ts';
import { portError, type Target } from './failures.ts';
import { type EventStoreDbLog, type FollowFigures, followLog } from './follow-log.ts';
import { LogHead } from './log-head.ts';
import { defaultPatience, type Patience } from './patience.ts';
import type { streams } from './protocol.ts';
import { isSystemEvent, readAllFrom, readAt, readBackwards, readStreamFrom } from './read-messages.ts';
import { type Page, readPage } from './read-page.ts';

/**
 * The events of a page that was read forwards. The server passes over what `$maxAge`, `$maxCount` or a truncation took
 * away and begins with what is left, so that a page which does not begin where it was asked to has lost events. Of a
 * stream with none left it sends nothing, not even that there is no such stream.
 */
const wholePage = (
  stream: string,
  fromRevision: number,
  { events, isStreamMissing }: Page,
): readonly StoredEvent[] => {
  const [first] = events;
  const isWhole = first ? first.revision === fromRevision : isStreamMissing || fromRevision > 0;
  if (isWhole) return events;
  const left = first ? `it begins at revision ${first.revision}` : 'nothing is left of it';
  throw new StreamDamaged(stream, `revision ${fromRevision} was asked for, and ${left}`);
};

export interface EventStoreDbOptions {
  /**
   * `esdb://user:password@host:2113,…?tls=true` or `esdb+discover://…`, with the options of EventStoreDB's clients.
   * With several hosts, or `+discover`, the hosts are asked who leads. `defaultDeadline` (milliseconds, at most
   * 3,400, which is the default) bounds every call.
   */
  readonly address: string;
  readonly log?: EventStoreDbLog;
  /** For tests, which cannot wait as long as a shop. */
  readonly patience?: Patience;
}

/**
 * The log on a server or cluster of EventStoreDB or KurrentDB, 22.6 or newer. Rejects an address that would not do what
 * it says; whether the server is there, `ping` tells. A secured server must let the user read `$all`, which by default
 * only its admins may.
 *
 * - An append is one write of the server, and must fit its `MaxAppendSize` (1 MiB unless configured: types, data and
 *   metadata together), else it rejects with a plain error that names the size. Nothing is split: a batch is whole or
 *   not at all. Writers that stay below 512 kB are safe.
 * - Positions are the server's commit positions, which are byte offsets in its log.
 */
export const openEventStoreDb = async ({
  address,
  log,
  patience = defaultPatience,
}: EventStoreDbOptions): Promise<EventStore> => {
  const connection = new Connection(readAddress(address), patience, (change) =>
    log?.info(change, 'the event log is led by another node, or was connected to again'),
  );
  return new EventStoreDb(connection, log);
};

class EventStoreDb implements EventStore {
  readonly isOnlyWriter = false;
  readonly #connection: Connection;
  readonly #appender: Appender;
  readonly #head: LogHead;
  readonly #figures: FollowFigures = { tooSlow: 0 };
  readonly #log: EventStoreDbLog | undefined;

  constructor(connection: Connection, log: EventStoreDbLog | undefined) {
    this.#connection = connection;
    this.#appender = new Appender(connection);
    this.#log = log;
    this.#head = new LogHead({
      read: (message, isLast) => this.#read('$all', message, isLast),
      get generation() {
        return connection.generation;
      },
    });
  }

  async append(
    stream: string,
    expectedRevision: number,
    events: readonly EventToAppend[],
  ): Promise<AppendResult> {
    if (events.length === 0) throw new RangeError('an append holds at least one event');
    const result = await this.#appender.append({ stream, expectedRevision, events });
    const id = events.at(-1)?.id ?? '';
    this.#connection.lastSeen.saw({ stream, id, ...result });
    return result;
  }

  async readStream(stream: string, options: ReadStreamOptions = {}): Promise<readonly StoredEvent[]> {
    const { direction = 'forwards', fromRevision, limit } = options;
    const count = pageSize(limit);
    if (count === 0) return [];
    const page = await this.#read({ stream }, readStreamFrom(stream, direction, fromRevision, count));
    return direction === 'forwards' ? wholePage(stream, fromRevision ?? 0, page) : page.events;
  }

  async readAll(after: number, limit?: number, types?: ReadonlySet<string>): Promise<readonly StoredEvent[]> {
    const count = pageSize(limit);
    if (count === 0) return [];
    return types ? this.#pageOfTypes(after, count, types) : this.#page(after, count);
  }

  async eventAt(position: number): Promise<StoredEvent | null> {
    try {
      const [event] = (await this.#read({ from: position }, readAt(position))).events;
      return event?.position === position && !isSystemEvent(event) ? event : null;
    } catch (error) {
      if (error instanceof NoSuchPosition) return null;
      throw error;
    }
  }

  subscribe(after: number, signal: AbortSignal): AsyncIterable<readonly StoredEvent[]> {
    return followLog(this.#connection, after, signal, { figures: this.#figures, log: this.#log });
  }

  head(): Promise<number> {
    return this.#head.read();
  }

  slowSubscriptions(): number {
    return this.#figures.tooSlow;
  }

  disturbances(): number {
    return this.#connection.disturbances;
  }

  async ping(): Promise<void> {
    await this.#read('$all', readBackwards(1));
  }

  async close(): Promise<void> {
    this.#connection.close();
  }

  async #page(after: number, count: number, types?: ReadonlySet<string>): Promise<readonly StoredEvent[]> {
    // The server includes the event at the position; it may not be one of ours, so that it is not simply the first.
    const { events } = await this.#read({ from: after }, readAllFrom(after, count + 1, types));
    return events.filter(({ position }) => position > after).slice(0, count);
  }

  /** Types that are rare keep a server looking for longer than a call may take: then they are picked out here. */
  async #pageOfTypes(
    after: number,
    count: number,
    types: ReadonlySet<string>,
  ): Promise<readonly StoredEvent[]> {
    // First how far, as more may come meanwhile.
    const head = await this.head();
    if (head <= after) return [];
    try {
      const found = await this.#page(after, count, types);
      if (found.length === count || found.at(-1)?.position === head) return found;
      const end = await this.eventAt(head);
      if (end) return [...found.filter(({ position }) => position < head), end];
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error;
    }
    return pageOfTypes(await this.#page(after, count), types, count);
  }

  async #read(
    target: Target,
    message: streams.ReadReq,
    isLast?: (event: StoredEvent) => boolean,
  ): Promise<Page> {
    const deadline = Date.now() + this.#connection.timeoutMilliseconds;
    try {
      const page = await this.#connection.repeatedly(deadline, (node, heard) =>
        readPage(node, { message, deadline, heard, ...(isLast && { isLast }) }),
      );
      this.#connection.lastSeen.sawPage(page.events);
      return page;
    } catch (error) {
      throw portError(error, target);
    }
  }
}

/** How many events a read returns when the caller wishes for `limit`. */
const pageSize = (limit: number = MAX_PAGE): number => Math.max(0, Math.min(limit, MAX_PAGE));
