import type { DatabaseSync } from 'node:sqlite';

/** Stands in the file as its `application_id` while it is to be rewritten. */
const TO_BE_REWRITTEN = 0x7469_6c6c;
/** Who is reading just now is waited for so long, since every write waits behind it. */
const PATIENCE_MILLISECONDS = 200;
/** A file up to this size is rewritten within a second. */
const SMALL_BYTES = 64 * 1024 * 1024;

export interface Traces {
  /**
   * Removes what was deleted or replaced from the database and the log beside it. A large file is rewritten only when
   * `isRewrite` says so. False where somebody is still reading what was there before: to be asked again.
   */
  erase(isRewrite: boolean): boolean;
}

const figure = (db: DatabaseSync, pragma: string): number =>
  Number(Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);

const rewrite = (db: DatabaseSync): void => {
  // Not in memory: it is as large as the file.
  db.exec('PRAGMA temp_store = FILE');
  try {
    db.exec('VACUUM; PRAGMA application_id = 0');
  } finally {
    db.exec('PRAGMA temp_store = MEMORY');
  }
};

const isFoldedIn = (db: DatabaseSync): boolean => {
  const timeout = figure(db, 'busy_timeout');
  db.exec(`PRAGMA busy_timeout = ${PATIENCE_MILLISECONDS}`);
  try {
    return figure(db, 'wal_checkpoint(TRUNCATE)') === 0;
  } finally {
    db.exec(`PRAGMA busy_timeout = ${timeout}`);
  }
};

/**
 * Has SQLite overwrite with zeros what is deleted. What it moves from page to page may leave a copy in the gap of a
 * page all the same, and so does everything in a file of a release that did not have it overwritten: only to rewrite
 * the file removes that.
 */
export const createTraces = (db: DatabaseSync): Traces => {
  db.exec('PRAGMA secure_delete = ON');
  let isRewritten = false;
  return {
    erase: (isRewrite) => {
      const isSmall = figure(db, 'page_count') * figure(db, 'page_size') <= SMALL_BYTES;
      const isDue = isSmall || (isRewrite && figure(db, 'application_id') === TO_BE_REWRITTEN);
      if (isDue && !isRewritten) rewrite(db);
      if (!isSmall && !isRewrite) db.exec(`PRAGMA application_id = ${TO_BE_REWRITTEN}`);
      const isDone = isFoldedIn(db);
      // Asked again, the file is not rewritten again.
      isRewritten = !isDone;
      return isDone;
    },
  };
};
