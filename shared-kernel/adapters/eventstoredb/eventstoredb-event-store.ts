import {
  MAX_PAGE,
  START,
  type AppendResult,
  type EventStore,
  type EventToAppend,
  type ReadStreamOptions,
  type StoredEvent,
} from '#ports/event-store.ts';
import { readAddress } from './address.ts';
import { Appender } from './appender.ts';
import { Connection, type ReadCall } from './connection.ts';
import { portError } from './failures.ts';
import { followLog, type EventStoreDbLog } from './follow-log.ts';
import type { streams } from './protocol.ts';
import { eventIn, readAllFrom, readLast, readStreamFrom } from './read-messages.ts';

export interface EventStoreDbOptions {
  /**
   * `esdb://user:password@host:2113,…?tls=true` or `esdb+discover://…`, with the options of EventStoreDB's clients.
   * `defaultDeadline` (milliseconds, at most 8,000, by default 6,000) bounds every call.
   */
  readonly address: string;
  readonly log?: EventStoreDbLog;
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
export const openEventStoreDb = async ({ address, log }: EventStoreDbOptions): Promise<EventStore> =>
  new EventStoreDb(new Connection(readAddress(address)), log);

class EventStoreDb implements EventStore {
  readonly isOnlyWriter = false;
  readonly #connection: Connection;
  readonly #appender: Appender;
  readonly #log: EventStoreDbLog | undefined;

  constructor(connection: Connection, log: EventStoreDbLog | undefined) {
    this.#connection = connection;
    this.#appender = new Appender(connection);
    this.#log = log;
  }

  async append(
    stream: string,
    expectedRevision: number,
    events: readonly EventToAppend[],
  ): Promise<AppendResult> {
    if (events.length === 0) throw new RangeError('an append holds at least one event');
    return this.#appender.append({ stream, expectedRevision, events });
  }

  async readStream(stream: string, options: ReadStreamOptions = {}): Promise<readonly StoredEvent[]> {
    const { direction = 'forwards', fromRevision, limit } = options;
    const count = pageSize(limit);
    return count === 0 ? [] : this.#read(readStreamFrom(stream, direction, fromRevision, count));
  }

  async readAll(after: number, limit?: number): Promise<readonly StoredEvent[]> {
    const count = pageSize(limit);
    if (count === 0) return [];
    // The server includes the event at the position; it may not be one of ours, so that it is not simply the first.
    const events = await this.#read(readAllFrom(after, count + 1));
    return events.filter(({ position }) => position > after).slice(0, count);
  }

  subscribe(after: number, signal: AbortSignal): AsyncIterable<readonly StoredEvent[]> {
    return followLog(this.#connection, after, signal, this.#log);
  }

  async head(): Promise<number> {
    const [last] = await this.#read(readLast({ filtered: true }));
    return last?.position ?? START;
  }

  async ping(): Promise<void> {
    await this.#read(readLast({ filtered: false }));
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  async #read(request: streams.ReadReq): Promise<StoredEvent[]> {
    const deadline = Date.now() + this.#connection.timeoutMilliseconds;
    try {
      return await this.#connection.within(deadline, async () =>
        eventsOf(await this.#connection.read(request, deadline)),
      );
    } catch (error) {
      throw portError(error);
    }
  }
}

/** How many events a read answers when the caller wishes for `limit`. */
const pageSize = (limit: number = MAX_PAGE): number => Math.max(0, Math.min(limit, MAX_PAGE));

/** A stream that is not there is one without events. */
const eventsOf = (call: ReadCall): Promise<StoredEvent[]> => {
  const { promise, resolve, reject } = Promise.withResolvers<StoredEvent[]>();
  const events: StoredEvent[] = [];
  call.on('data', (response) => {
    try {
      const event = eventIn(response);
      if (event) events.push(event);
    } catch (error) {
      reject(error);
      call.cancel();
    }
  });
  call.on('error', reject);
  call.on('end', () => resolve(events));
  return promise;
};
