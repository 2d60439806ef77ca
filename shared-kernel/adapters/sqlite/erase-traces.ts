import type { DatabaseSync } from 'node:sqlite';

/** Stands in the file as its `application_id` while it is to be rewritten. */
const TO_BE_REWRITTEN = 0x7469_6c6c;
/** Readers are waited for this long, since every write waits behind it; the next try comes soon. */
const PATIENCE_MILLISECONDS = 20;
/** A file up to this size is rewritten within two seconds; writes wait meanwhile. */
const SMALL_BYTES = 64 * 1024 * 1024;

/**
 * `rewrite`: a small file; it is put off for a large one. `rewrite what was put off`: false where nothing was. `fold
 * in`: what the log beside the file holds; false where readers still see what was there before.
 */
export type ErasingStep = 'rewrite' | 'rewrite what was put off' | 'fold in';

/** Removes what was deleted or replaced from the database and the log beside it, step by step. */
export interface Traces {
  /** Errors: those of the engine, such as a full disk. */
  erase(step: ErasingStep): boolean;
}

const figure = (db: DatabaseSync, pragma: string): number =>
  Number(Object.values(db.prepare(`PRAGMA ${pragma}`).get() ?? {})[0]);

const rewrite = (db: DatabaseSync): void => db.exec('VACUUM; PRAGMA application_id = 0');

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
  return {
    erase: (step) => {
      switch (step) {
        case 'rewrite':
          if (figure(db, 'page_count') * figure(db, 'page_size') <= SMALL_BYTES) rewrite(db);
          else db.exec(`PRAGMA application_id = ${TO_BE_REWRITTEN}`);
          return true;
        case 'rewrite what was put off':
          if (figure(db, 'application_id') !== TO_BE_REWRITTEN) return false;
          rewrite(db);
          return true;
        case 'fold in':
          return isFoldedIn(db);
      }
    },
  };
};
