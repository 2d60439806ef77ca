import { statSync } from 'node:fs';
import type { ReceivedMessage } from '#ports/bus.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type {
  AddressedMessage,
  GroupPartition,
  MessageLog,
  PageLimit,
} from '#adapters/embedded-bus/message-log.ts';
import { createBusCommitter, type BusCommitterOptions, type BusOperation } from './bus-committer.ts';
import { openBusReader, type BusReader } from './bus-reader.ts';
import { GroupWriter } from './group-writer.ts';
import type { WriterLock } from './sqlite-lock.ts';
import { linkDirectly, linkToThread } from './writer-thread.ts';

const busWriter = new URL('./bus-writer.ts', import.meta.url);
const sweepLimit = 1000;

export interface MessageLogOptions {
  /** Path of the database file. Missing folders are created. */
  readonly file: string;
  /** `thread` (the default) writes in a thread of its own; `inline` on the caller's, for short tests. */
  readonly mode?: 'thread' | 'inline';
  /** How long a write waits for a foreign lock on the file. Default 2,000. */
  readonly busyTimeoutMilliseconds?: number;
  /** Real time, for the retention. */
  readonly now?: () => number;
  /** The module that the writer thread runs: ours, unless a test has one that fails. */
  readonly writerEntry?: URL;
}

export interface Retention {
  /** How long a message stays once every group that the topic has seen has committed it. */
  readonly committedMilliseconds: number;
  /** How long any message stays. */
  readonly longestMilliseconds: number;
}

/** Messages and offsets in one SQLite file, which it creates where it is missing. Releases the lock when it closes. */
export class SqliteMessageLog implements MessageLog {
  readonly #file: string;
  readonly #inode: number;
  readonly #now: () => number;
  readonly #lock: WriterLock;
  readonly #reader: BusReader;
  readonly #writer: GroupWriter<BusOperation, number>;
  readonly #partitions: Map<string, number>;

  constructor(options: MessageLogOptions, lock: WriterLock) {
    const { file, mode, busyTimeoutMilliseconds = 2000, writerEntry = busWriter, now = Date.now } = options;
    this.#file = file;
    this.#now = now;
    this.#lock = lock;
    const forCommitter: BusCommitterOptions = { file, busyTimeoutMilliseconds };
    const committer = createBusCommitter(forCommitter);
    this.#reader = openBusReader(file);
    this.#partitions = new Map(this.#reader.topics());
    this.#inode = statSync(file).ino;
    if (mode !== 'inline') committer.close();
    this.#writer = new GroupWriter({
      link: (listener) =>
        mode === 'inline'
          ? linkDirectly(committer, listener)
          : linkToThread(writerEntry, forCommitter, listener),
    });
  }

  get commits(): number {
    return this.#writer.commits;
  }

  partitions(topic: string): number {
    return this.#partitions.get(topic) ?? 0;
  }

  async declare(topic: string, partitions: number): Promise<void> {
    await this.#writer.submit({ kind: 'declare', topic, partitions });
    this.#partitions.set(topic, Math.max(partitions, this.partitions(topic)));
  }

  async append(topic: string, messages: readonly AddressedMessage[]): Promise<void> {
    const rows = messages.map(({ partition, key, value, headers }) => ({
      partition,
      key,
      value,
      headers: headers ? JSON.stringify(headers) : null,
    }));
    await this.#writer.submit({ kind: 'publish', topic, at: this.#now(), messages: rows });
  }

  page(topic: string, partition: number, from: number, limit: PageLimit): readonly ReceivedMessage[] {
    return this.#reader.page(topic, partition, from, limit);
  }

  async join(group: string, topic: string): Promise<void> {
    await this.#writer.submit({ kind: 'join', topic, group });
  }

  async commit({ group, topic, partition }: GroupPartition, next: number): Promise<void> {
    await this.#writer.submit({ kind: 'commit', topic, group, partition, next });
  }

  committed(place: GroupPartition): number {
    return this.#reader.committed(place);
  }

  countFrom(topic: string, partition: number, from: number): number {
    return this.#reader.countFrom(topic, partition, from);
  }

  async sweep({ committedMilliseconds, longestMilliseconds }: Retention): Promise<number> {
    const now = this.#now();
    const limits = { committedBefore: now - committedMilliseconds, before: now - longestMilliseconds };
    let removed = 0;
    for (const [topic, partitions] of this.#partitions) {
      for (let partition = 0; partition < partitions; partition++) {
        let count: number;
        do {
          count = await this.#writer.submit({
            kind: 'sweep',
            topic,
            partition,
            limit: sweepLimit,
            ...limits,
          });
          removed += count;
        } while (count === sweepLimit);
      }
    }
    return removed;
  }

  async ping(): Promise<void> {
    this.#reader.topics();
    // An open file outlives its name: what is written after a deletion would be gone with this process.
    if (statSync(this.#file, { throwIfNoEntry: false })?.ino === this.#inode) return;
    throw new EngineUnavailable(`${this.#file} was deleted or replaced while it was open`);
  }

  async close(): Promise<void> {
    this.#reader.close();
    // Last, as only a connection that may write can fold the journal into the file.
    await this.#writer.close();
    this.#lock.release();
  }
}
