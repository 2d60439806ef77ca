import type { DatabaseSync } from 'node:sqlite';

/** Stands in the file once nothing in it was deleted without a trace being wiped. */
const WIPED = 0x7469_6c6c;
/** Who is reading just now is waited for so long, since every write waits behind it. */
const PATIENCE_MILLISECONDS = 200;

export interface Traces {
  /**
   * Removes what was deleted or replaced from the database and the log beside it. False where somebody is still reading
   * what was there before: to be asked again.
   */
  erase(): boolean;
}

const isNew = (db: DatabaseSync): boolean =>
  db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;

const isWiped = (db: DatabaseSync): boolean =>
  Number(db.prepare('PRAGMA application_id').get()?.['application_id']) === WIPED;

/**
 * Has SQLite overwrite with zeros what is deleted from now on. A file of a release that did not is written anew the
 * first time that something is to be erased from it.
 */
export const createTraces = (db: DatabaseSync): Traces => {
  db.exec('PRAGMA secure_delete = ON');
  if (isNew(db)) db.exec(`PRAGMA application_id = ${WIPED}`);

  const rewrite = (): void => {
    // Not in memory: it is as large as the file.
    db.exec('PRAGMA temp_store = FILE');
    try {
      db.exec(`VACUUM; PRAGMA application_id = ${WIPED}`);
    } finally {
      db.exec('PRAGMA temp_store = MEMORY');
    }
  };

  return {
    erase: () => {
      if (!isWiped(db)) rewrite();
      const { timeout } = db.prepare('PRAGMA busy_timeout').get() ?? {};
      db.exec(`PRAGMA busy_timeout = ${PATIENCE_MILLISECONDS}`);
      try {
        return Number(db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy']) === 0;
      } finally {
        db.exec(`PRAGMA busy_timeout = ${Number(timeout)}`);
      }
    },
  };
};
