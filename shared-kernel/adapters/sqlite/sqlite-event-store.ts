import { WrongExpectedRevision } from '#ports/engine-errors.ts';
import {
  MAX_PAGE,
  type AppendResult,
  type EventStore,
  type EventToAppend,
  type ReadStreamOptions,
  type StoredEvent,
} from '#ports/event-store.ts';
import { makePrivateFile } from '#runtime/private-files.ts';
import {
  createAppender,
  type AppenderOptions,
  type AppendOutcome,
  type AppendRequest,
} from './event-appender.ts';
import { openEventReader, pageSize, type EventReader } from './event-reader.ts';
import { Followers } from './followers.ts';
import { GroupWriter } from './group-writer.ts';
import { naming } from './file-damage.ts';
import { LiveTail } from './live-tail.ts';
import { identityOfFile } from './same-file.ts';
import { holdWriterLock, type WriterLock } from './sqlite-lock.ts';
import { linkDirectly, linkToThread } from './writer-thread.ts';

const eventWriter = new URL('./event-writer.ts', import.meta.url);
const lookEveryMilliseconds = 200;

export interface SqliteEventStoreOptions {
  /** Path of the database file. Missing folders are created, unless `readOnly`. */
  readonly file: string;
  /** FULL (the default), or NORMAL where a power cut may cost the last moments. Either survives a kill. */
  readonly synchronous?: 'FULL' | 'NORMAL';
  /** `thread` (the default) appends in a thread of its own; `inline` on the caller's, which waits. */
  readonly mode?: 'thread' | 'inline';
  /** Beside a running shop: takes no lock, cannot append, and looks for new events every 200 ms. */
  readonly readOnly?: boolean;
  /** How long an append waits for a foreign lock on the file. Default 2,000. */
  readonly busyTimeoutMilliseconds?: number;
  /** The module that the writer thread runs: ours, unless a test has one that fails. */
  readonly writerEntry?: URL;
}

export interface SqliteEventStore extends EventStore {
  /** Transactions since the start, for metrics. */
  readonly commits: number;
}

/**
 * The log in one SQLite file. Throws `HeldByAnotherProcess` when someone else writes it. A subscription on a file that
 * can no longer be read throws `EngineUnavailable`: there is nothing to reconnect to.
 */
export const openSqliteEventStore = async (options: SqliteEventStoreOptions): Promise<SqliteEventStore> =>
  naming('event log', options.file, () =>
    options.readOnly ? new ReadingStore(options.file) : openForWriting(options),
  );

const openForWriting = (options: SqliteEventStoreOptions): SqliteEventStore => {
  makePrivateFile(options.file);
  const lock = holdWriterLock(options.file);
  try {
    return new WritingStore(options, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
};

/** The log of the process that appends to it: knows the head, and holds what was appended lately. */
class WritingStore implements SqliteEventStore {
  readonly isOnlyWriter = true;
  readonly #lock: WriterLock;
  readonly #reader: EventReader;
  readonly #tail: LiveTail;
  readonly #followers = new Followers();
  readonly #writer: GroupWriter<AppendRequest, AppendOutcome>;

  constructor(
    {
      file,
      synchronous = 'FULL',
      mode,
      busyTimeoutMilliseconds = 2000,
      writerEntry,
    }: SqliteEventStoreOptions,
    lock: WriterLock,
  ) {
    this.#lock = lock;
    const found: AppenderOptions = { file, synchronous, busyTimeoutMilliseconds };
    const appender = createAppender(found);
    // The thread opens it by its name, and so does the next one if it dies: it must be this very file.
    const options: AppenderOptions = { ...found, identity: identityOfFile(file) };
    this.#reader = openEventReader(file);
    this.#tail = new LiveTail(this.#reader.head());
    if (mode !== 'inline') appender.close();
    this.#writer = new GroupWriter({
      link: (listener) =>
        mode === 'inline'
          ? linkDirectly(appender, listener)
          : linkToThread(writerEntry ?? eventWriter, options, listener),
      onCommitted: (request, outcome) => this.#keep(request, outcome),
      onLost: () => {
        this.#tail.restartAt(this.#reader.head());
        this.#followers.wake();
      },
    });
  }

  get commits(): number {
    return this.#writer.commits;
  }

  async append(
    stream: string,
    expectedRevision: number,
    events: readonly EventToAppend[],
  ): Promise<AppendResult> {
    if (events.length === 0) throw new RangeError('an append holds at least one event');
    const outcome = await this.#writer.submit({ stream, expectedRevision, events });
    if (outcome.kind === 'conflict') throw new WrongExpectedRevision(stream, expectedRevision);
    return { revision: expectedRevision + events.length, position: outcome.position };
  }

  async readStream(stream: string, options: ReadStreamOptions = {}): Promise<readonly StoredEvent[]> {
    return this.#reader.stream(stream, options);
  }

  async readAll(after: number, limit?: number, types?: ReadonlySet<string>): Promise<readonly StoredEvent[]> {
    return types ? this.#reader.page(after, pageSize(limit), types) : this.#page(after, limit);
  }

  async eventAt(position: number): Promise<StoredEvent | null> {
    return this.#page(position - 1, 1).find((event) => event.position === position) ?? null;
  }

  subscribe(after: number, signal: AbortSignal): AsyncIterable<readonly StoredEvent[]> {
    return this.#followers.follow(after, signal, (last) => this.#page(last));
  }

  async head(): Promise<number> {
    return this.#tail.head;
  }

  async ping(): Promise<void> {
    this.#reader.head();
  }

  async close(): Promise<void> {
    if (this.#followers.isClosed) return;
    this.#followers.close();
    this.#reader.close();
    // Last, as only a connection that may write can fold the journal into the file.
    await this.#writer.close();
    this.#lock.release();
  }

  #page(after: number, limit?: number): readonly StoredEvent[] {
    return this.#tail.after(after, pageSize(limit)) ?? this.#reader.page(after, pageSize(limit));
  }

  #keep({ stream, expectedRevision, events }: AppendRequest, outcome: AppendOutcome): void {
    if (outcome.kind !== 'appended') return;
    let revision = expectedRevision;
    let position = outcome.position - events.length;
    for (const { id, type, data, metadata } of events) {
      this.#tail.push({ id, type, data, metadata, stream, revision: ++revision, position: ++position });
    }
    this.#followers.wake();
  }
}

/** The log beside the process that appends to it. */
class ReadingStore implements SqliteEventStore {
  readonly isOnlyWriter = false;
  readonly commits = 0;
  readonly #reader: EventReader;
  readonly #followers = new Followers();
  readonly #timer: NodeJS.Timeout;

  constructor(file: string) {
    this.#reader = openEventReader(file);
    this.#timer = setInterval(() => this.#followers.wake(), lookEveryMilliseconds);
  }

  async append(): Promise<AppendResult> {
    throw new Error('the event log was opened for reading only');
  }

  async readStream(stream: string, options: ReadStreamOptions = {}): Promise<readonly StoredEvent[]> {
    return this.#reader.stream(stream, options);
  }

  async readAll(after: number, limit?: number, types?: ReadonlySet<string>): Promise<readonly StoredEvent[]> {
    return this.#reader.page(after, pageSize(limit), types);
  }

  async eventAt(position: number): Promise<StoredEvent | null> {
    return this.#reader.page(position - 1, 1).find((event) => event.position === position) ?? null;
  }

  subscribe(after: number, signal: AbortSignal): AsyncIterable<readonly StoredEvent[]> {
    return this.#followers.follow(after, signal, (last) => this.#reader.page(last, MAX_PAGE));
  }

  async head(): Promise<number> {
    return this.#reader.head();
  }

  async ping(): Promise<void> {
    this.#reader.head();
  }

  async close(): Promise<void> {
    if (this.#followers.isClosed) return;
    clearInterval(this.#timer);
    this.#followers.close();
    this.#reader.close();
  }
}
