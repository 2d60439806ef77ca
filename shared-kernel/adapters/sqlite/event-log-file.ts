import { DatabaseSync } from 'node:sqlite';
import type { FileIdentity } from './same-file.ts';
import { createTables, refuseOtherFormats, type FileFormat } from './file-format.ts';

/*
 * `position` is the row id, so that the log is read in the order in which it is on disk. Ids have no index of their
 * own: an append that comes again is recognised by the ids at its revisions, which the unique index finds, and a second
 * index over random texts would cost every append a page.
 */
const tables = `
  CREATE TABLE IF NOT EXISTS events (
    position INTEGER PRIMARY KEY,
    stream TEXT NOT NULL,
    revision INTEGER NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    metadata TEXT NOT NULL,
    UNIQUE (stream, revision)
  ) STRICT;
  CREATE TRIGGER IF NOT EXISTS events_are_never_changed BEFORE UPDATE ON events
    BEGIN SELECT RAISE(ABORT, 'an event is never changed'); END;
  CREATE TRIGGER IF NOT EXISTS events_are_never_removed BEFORE DELETE ON events
    BEGIN SELECT RAISE(ABORT, 'an event is never removed'); END;
`;

/**
 * Of a new file; an older one stays as it is. Events of 1 to 3 kB leave a third of a page of 4 kB empty: larger pages
 * save 3 kB an order and cost no processor time, but a commit writes whole pages, and twice the bytes.
 */
const PAGE_BYTES = 16_384;
/** How long the write-ahead log may become before what is in it goes into the file. */
const WRITE_AHEAD_BYTES = 16_384_000;

const format: FileFormat = { name: 'an event log', version: 1, tables };

export interface LogForWritingOptions {
  readonly file: string;
  /** FULL: on disk once appended. NORMAL: a power cut may cost the last moments, never the file. */
  readonly synchronous: 'FULL' | 'NORMAL';
  readonly busyTimeoutMilliseconds: number;
  /** Which file it is to be; left out: whichever is there. */
  readonly identity?: FileIdentity;
}

/** A connection that may append. Creates what is missing. */
export const openLogForWriting = ({
  file,
  synchronous,
  busyTimeoutMilliseconds,
}: LogForWritingOptions): DatabaseSync => {
  const database = new DatabaseSync(file, { timeout: busyTimeoutMilliseconds });
  database.exec(`
    PRAGMA page_size = ${PAGE_BYTES};
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = ${synchronous};
    PRAGMA cache_size = -16000;
    PRAGMA journal_size_limit = 67108864;
    PRAGMA recursive_triggers = ON;
  `);
  createTables(database, file, format);
  const { page_size: pageBytes } = database.prepare('PRAGMA page_size').get() ?? {};
  database.exec(`PRAGMA wal_autocheckpoint = ${WRITE_AHEAD_BYTES / Number(pageBytes)}`);
  return database;
};

/** A connection that only reads. In WAL mode it never waits for the writer, nor the writer for it. */
export const openLogForReading = (file: string): DatabaseSync => {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 1000 });
  refuseOtherFormats(database, file, format);
  return database;
};
