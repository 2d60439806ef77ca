import type { DatabaseSync } from 'node:sqlite';
import { NO_STREAM, START, type EventToAppend } from '#ports/event-store.ts';
import { openLogForWriting, type LogForWritingOptions } from './event-log-file.ts';
import { naming, namingDamage } from './file-damage.ts';
import type { GroupCommitter } from './group-commit.ts';
import { limitAsGiven } from './limit-as-given.ts';
import { createSameFile, identityOfFile } from './same-file.ts';

export interface AppendRequest {
  readonly stream: string;
  readonly expectedRevision: number;
  readonly events: readonly EventToAppend[];
}

/** `position` is that of the request's last event; its events have consecutive positions. */
export type AppendOutcome =
  | { readonly kind: 'appended'; readonly position: number }
  | { readonly kind: 'repeated'; readonly position: number }
  | { readonly kind: 'conflict' };

export type AppenderOptions = LogForWritingOptions;

const conflict: AppendOutcome = { kind: 'conflict' };
const knownStreams = 50_000;
/** What an event costs the writer beside its characters, in characters. Bounds a group of small events to 2,000. */
const eventOverhead = 4096;

/** The writing half of a log in a file. There is one per log: it knows the head and where the recent streams end. */
export const createAppender = (options: AppenderOptions): GroupCommitter<AppendRequest, AppendOutcome> => {
  const database = openLogForWriting(options);
  const sameFile = createSameFile(options.file, options.identity ?? identityOfFile(options.file));
  const insert = database.prepare(
    'INSERT INTO events (position, stream, revision, id, type, data, metadata) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const ends = createStreamEnds(database);
  const findRepeat = createRepeatFinder(database);
  let head = headOf(database);

  const append = ({ stream, expectedRevision, events }: AppendRequest): AppendOutcome => {
    if (ends.of(stream) !== expectedRevision) return findRepeat(stream, expectedRevision, events);
    let revision = expectedRevision;
    for (const event of events)
      insert.run(++head, stream, ++revision, event.id, event.type, event.data, event.metadata);
    ends.set(stream, revision);
    return { kind: 'appended', position: head };
  };

  return {
    commit: (requests) => {
      try {
        sameFile.beforeCommit();
        database.exec('BEGIN IMMEDIATE');
        const outcomes = requests.map(append);
        database.exec('COMMIT');
        sameFile.afterCommit();
        return outcomes;
      } catch (error) {
        if (database.isTransaction) database.exec('ROLLBACK');
        ends.forget();
        // Committed or not: what is there counts, where it can be read.
        head = naming('event log', options.file, () => headOf(database));
        throw namingDamage('event log', options.file, error);
      }
    },
    sizeOf: ({ events }) =>
      events.reduce((sum, event) => sum + eventOverhead + event.data.length + event.metadata.length, 0),
    fold: () => database.exec('PRAGMA wal_checkpoint(PASSIVE)'),
    close: () => {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      database.close();
    },
  };
};

const headOf = (database: DatabaseSync): number =>
  Number(database.prepare('SELECT max(position) AS position FROM events').get()?.['position'] ?? START);

/** The last revisions of streams, those used lately in memory: most appends need no query. */
const createStreamEnds = (database: DatabaseSync) => {
  const select = database.prepare('SELECT max(revision) AS revision FROM events WHERE stream = ?');
  const known = new Map<string, number>();
  return {
    of: (stream: string): number =>
      known.get(stream) ?? Number(select.get(stream)?.['revision'] ?? NO_STREAM),
    set: (stream: string, revision: number): void => {
      known.delete(stream);
      known.set(stream, revision);
      if (known.size <= knownStreams) return;
      for (const oldest of known.keys()) {
        known.delete(oldest);
        break;
      }
    },
    forget: (): void => known.clear(),
  };
};

/** An append whose very ids stand at its revisions has happened before and is answered as then. */
const createRepeatFinder = (database: DatabaseSync) => {
  const select = database.prepare(
    `SELECT id, position FROM events WHERE stream = ? AND revision > ? ORDER BY revision ${limitAsGiven}`,
  );
  return (stream: string, expectedRevision: number, events: readonly EventToAppend[]): AppendOutcome => {
    const found = select.all(stream, expectedRevision, events.length);
    const isRepeat =
      found.length === events.length && events.every(({ id }, index) => found[index]?.['id'] === id);
    return isRepeat ? { kind: 'repeated', position: Number(found.at(-1)?.['position']) } : conflict;
  };
};
