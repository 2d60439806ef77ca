import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import {
  MAX_PAGE,
  PAGES_LOOKED_THROUGH,
  START,
  type ReadStreamOptions,
  type StoredEvent,
} from '#ports/event-store.ts';
import { openLogForReading } from './event-log-file.ts';
import { unreadable } from './file-damage.ts';
import { limitAsGiven } from './limit-as-given.ts';

/** The reading half of a log in a file: pages by statements that were prepared once. All calls return at once. */
export interface EventReader {
  stream(stream: string, options: ReadStreamOptions): readonly StoredEvent[];
  page(after: number, limit: number, types?: ReadonlySet<string>): readonly StoredEvent[];
  head(): number;
  close(): void;
}

/** Opens `file`, which must exist. Its methods throw `EngineUnavailable` when the file cannot be read. */
export const openEventReader = (file: string): EventReader => {
  const database = openLogForReading(file);
  const columns = 'position, stream, revision, id, type, data, metadata';
  const forwards = rows(
    database,
    `SELECT ${columns} FROM events WHERE stream = ? AND revision >= ? ORDER BY revision ${limitAsGiven}`,
  );
  const backwards = rows(
    database,
    `SELECT ${columns} FROM events WHERE stream = ? AND revision <= ? ORDER BY revision DESC ${limitAsGiven}`,
  );
  const all = rows(
    database,
    `SELECT ${columns} FROM events WHERE position > ? ORDER BY position ${limitAsGiven}`,
  );
  const someTypes = 'type IN (SELECT value FROM json_each(?))';
  const some = rows(
    database,
    `SELECT ${columns} FROM events WHERE position > ? AND position < ? AND ${someTypes} ORDER BY position ${limitAsGiven}`,
  );
  const lastUpTo = rows(
    database,
    `SELECT ${columns} FROM events WHERE position > ? AND position <= ? ORDER BY position DESC LIMIT 1`,
  );
  const last = database.prepare('SELECT max(position) AS position FROM events');
  const pageOf = (after: number, limit: number, types: ReadonlySet<string>): readonly StoredEvent[] => {
    // First how far, as more may come meanwhile.
    const [end] = events(file, lastUpTo, after, after + limit * PAGES_LOOKED_THROUGH);
    // Nothing is there, or someone has removed what was.
    if (!end) return events(file, all, after, 1);
    const found = events(file, some, after, end.position, JSON.stringify([...types]), limit);
    return found.length < limit ? [...found, end] : found;
  };
  return {
    stream: (stream, { direction = 'forwards', fromRevision, limit }) =>
      direction === 'forwards'
        ? events(file, forwards, stream, fromRevision ?? 0, pageSize(limit))
        : events(file, backwards, stream, fromRevision ?? Number.MAX_SAFE_INTEGER, pageSize(limit)),
    page: (after, limit, types) =>
      types ? pageOf(after, pageSize(limit), types) : events(file, all, after, pageSize(limit)),
    head: () => answering(file, () => Number(last.get()?.['position'] ?? START)),
    close: () => database.close(),
  };
};

/** How many rows a read returns when the caller wishes for `limit`. */
export const pageSize = (limit: number = MAX_PAGE): number => Math.max(0, Math.min(limit, MAX_PAGE));

const rows = (database: DatabaseSync, sql: string): StatementSync => {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
};

type Row = [number, string, number, string, string, string, string];

/** By their places: to take a row apart as one does an array costs an object for each column. */
const eventOf = (row: Row): StoredEvent => ({
  id: row[3],
  type: row[4],
  data: row[5],
  metadata: row[6],
  stream: row[1],
  revision: row[2],
  position: row[0],
});

const events = (file: string, statement: StatementSync, ...parameters: (string | number)[]): StoredEvent[] =>
  (answering(file, () => statement.all(...parameters)) as unknown as Row[]).map(eventOf);

const answering = <Answer>(file: string, read: () => Answer): Answer => {
  try {
    return read();
  } catch (cause) {
    throw new EngineUnavailable(unreadable('event log', file, cause), { cause });
  }
};
