import type { DatabaseSync } from 'node:sqlite';
import { openBusForWriting } from './bus-file.ts';
import { namingDamage } from './file-damage.ts';
import type { GroupCommitter } from './group-commit.ts';

export interface MessageRow {
  readonly partition: number;
  readonly key: string;
  readonly value: string;
  /** JSON, or null without headers. */
  readonly headers: string | null;
}

/** What the bus asks of its writer. Plain data, so that it can go to another thread. */
export type BusOperation =
  | { readonly kind: 'declare'; readonly topic: string; readonly partitions: number }
  | {
      readonly kind: 'publish';
      readonly topic: string;
      /** In milliseconds since 1970. */
      readonly at: number;
      readonly messages: readonly MessageRow[];
    }
  | { readonly kind: 'join'; readonly topic: string; readonly group: string }
  | {
      readonly kind: 'commit';
      readonly topic: string;
      readonly group: string;
      readonly partition: number;
      readonly next: number;
    }
  | Sweep;

/** Removes the oldest messages of a partition, at most `limit`. Its newest stays and shows where offsets go on. */
export interface Sweep {
  readonly kind: 'sweep';
  readonly topic: string;
  readonly partition: number;
  readonly limit: number;
  /** What was published before goes if every known group has committed it, and there is one. */
  readonly committedBefore: number;
  /** What was published before goes. */
  readonly before: number;
}

export interface BusCommitterOptions {
  readonly file: string;
  readonly busyTimeoutMilliseconds: number;
}

/** What an operation or a message costs the writer beside its characters, in characters. */
const overhead = 1024;

/** The writing half of a bus in a file. An operation returns how many rows it concerned. There is one per bus. */
export const createBusCommitter = (options: BusCommitterOptions): GroupCommitter<BusOperation, number> => {
  const database = openBusForWriting(options.file, options.busyTimeoutMilliseconds);
  const perform = createPerformer(database);
  return {
    commit: (operations) => {
      try {
        database.exec('BEGIN IMMEDIATE');
        const counts = operations.map(perform.operation);
        database.exec('COMMIT');
        return counts;
      } catch (error) {
        perform.forget();
        if (database.isTransaction) database.exec('ROLLBACK');
        throw namingDamage('bus', options.file, error);
      }
    },
    sizeOf: (operation) =>
      operation.kind === 'publish'
        ? operation.messages.reduce((sum, { value }) => sum + overhead + value.length, overhead)
        : overhead,
    fold: () => database.exec('PRAGMA wal_checkpoint(PASSIVE)'),
    close: () => {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      database.close();
    },
  };
};

const createPerformer = (database: DatabaseSync) => {
  const ends = createPartitionEnds(database);
  const insert = database.prepare('INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?)');
  const declare = database.prepare(`
    INSERT INTO topics VALUES (?, ?) ON CONFLICT DO UPDATE SET partitions = max(partitions, excluded.partitions)`);
  const commit = database.prepare(`
    INSERT INTO group_offsets VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET next = max(next, excluded.next)`);
  const sweep = createSweeper(database);

  const publish = (topic: string, at: number, messages: readonly MessageRow[]): number => {
    for (const { partition, key, value, headers } of messages)
      insert.run(topic, partition, ends.take(topic, partition), at, key, value, headers);
    return messages.length;
  };
  const operation = (asked: BusOperation): number => {
    switch (asked.kind) {
      case 'declare':
        return Number(declare.run(asked.topic, asked.partitions).changes);
      case 'publish':
        return publish(asked.topic, asked.at, asked.messages);
      case 'join':
        return Number(commit.run(asked.topic, asked.group, 0, 0).changes);
      case 'commit':
        return Number(commit.run(asked.topic, asked.group, asked.partition, asked.next).changes);
      case 'sweep':
        return sweep(asked);
    }
  };
  return { operation, forget: ends.forget };
};

/** The next offset of each partition, in memory once it was asked for. */
const createPartitionEnds = (database: DatabaseSync) => {
  const select = database.prepare(
    'SELECT max(offset) AS last FROM messages WHERE topic = ? AND partition = ?',
  );
  const known = new Map<string, number>();
  return {
    take: (topic: string, partition: number): number => {
      const name = `${topic}/${partition}`;
      const next = known.get(name) ?? Number(select.get(topic, partition)?.['last'] ?? -1) + 1;
      known.set(name, next + 1);
      return next;
    },
    forget: (): void => known.clear(),
  };
};

const createSweeper = (database: DatabaseSync) => {
  const committed = database.prepare(`
    SELECT min(coalesce(offsets.next, 0)) AS next
    FROM (SELECT DISTINCT consumer_group FROM group_offsets WHERE topic = :topic) AS known
    LEFT JOIN group_offsets AS offsets ON offsets.topic = :topic
      AND offsets.consumer_group = known.consumer_group AND offsets.partition = :partition`);
  const remove = database.prepare(`
    DELETE FROM messages WHERE topic = :topic AND partition = :partition AND offset <= (
      SELECT max(offset) FROM (
        SELECT offset, published_at FROM messages WHERE topic = :topic AND partition = :partition
        ORDER BY offset LIMIT :limit)
      WHERE (published_at < :before OR (offset < :committed AND published_at < :committedBefore))
        AND offset < (SELECT max(offset) FROM messages WHERE topic = :topic AND partition = :partition))`);
  return ({ topic, partition, limit, before, committedBefore }: Sweep): number => {
    const next = Number(committed.get({ topic, partition })?.['next'] ?? 0);
    const { changes } = remove.run({ topic, partition, limit, before, committedBefore, committed: next });
    return Number(changes);
  };
};
