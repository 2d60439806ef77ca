import { DatabaseSync } from 'node:sqlite';
import { createTables, type FileFormat } from './file-format.ts';

/*
 * Messages lie in the order in which a partition is read. `published_at` is for the retention alone.
 * `group_offsets.next` is the offset after the last message that the group has handled.
 */
const tables = `
  CREATE TABLE IF NOT EXISTS topics (
    topic TEXT PRIMARY KEY,
    partitions INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS messages (
    topic TEXT NOT NULL,
    partition INTEGER NOT NULL,
    offset INTEGER NOT NULL,
    published_at INTEGER NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    headers TEXT,
    PRIMARY KEY (topic, partition, offset)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS group_offsets (
    topic TEXT NOT NULL,
    consumer_group TEXT NOT NULL,
    partition INTEGER NOT NULL,
    next INTEGER NOT NULL,
    PRIMARY KEY (topic, consumer_group, partition)
  ) STRICT, WITHOUT ROWID;
`;

const format: FileFormat = { name: 'a bus', version: 1, tables };

/** A connection that may write: every commit reaches the disk before it returns. Creates what is missing. */
export const openBusForWriting = (file: string, busyTimeoutMilliseconds: number): DatabaseSync => {
  const database = new DatabaseSync(file, { timeout: busyTimeoutMilliseconds });
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    PRAGMA cache_size = -4000;
    PRAGMA wal_autocheckpoint = 4000;
    PRAGMA journal_size_limit = 67108864;
  `);
  createTables(database, file, format);
  return database;
};

/** A connection that only reads, and never waits for the writer. */
export const openBusForReading = (file: string): DatabaseSync =>
  new DatabaseSync(file, { readOnly: true, timeout: 1000 });
