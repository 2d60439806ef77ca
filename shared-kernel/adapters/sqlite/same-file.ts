import { statSync } from 'node:fs';

/** Which file a name stands for: one that is removed and made again is another one. */
export type FileIdentity = string;

const identityOf = (file: string): FileIdentity | null => {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats ? `${stats.dev}:${stats.ino}` : null;
};

/** Errors: the file is not there. */
export const identityOfFile = (file: string): FileIdentity => {
  const identity = identityOf(file);
  if (identity === null) throw new Error(`${file} is not there`);
  return identity;
};

/** A database file whose name leads elsewhere by now: what is written to it is gone when the process ends. */
export class FileReplaced extends Error {
  override readonly name = 'FileReplaced';

  constructor(file: string) {
    super(
      `${file} is not the file that was opened: it was removed or replaced while the shop runs. Stop the shop, put the ` +
        'data folder back or restore a backup, and start again. Nothing more is taken until then.',
    );
  }
}

export interface SameFile {
  /** Before a transaction. Errors: `FileReplaced`. */
  beforeCommit(): void;
  /** After it, before anybody is told: the log beside the database is looked at, too. Errors: `FileReplaced`. */
  afterCommit(): void;
}

/** Watches that a database and the write-ahead log beside it stay the files that they were. */
export const createSameFile = (file: string, opened: FileIdentity): SameFile => {
  const wal = `${file}-wal`;
  let openedWal: FileIdentity | null = null;
  const checkDatabase = (): void => {
    if (identityOf(file) !== opened) throw new FileReplaced(file);
  };
  return {
    beforeCommit: checkDatabase,
    afterCommit: () => {
      checkDatabase();
      const found = identityOf(wal);
      openedWal ??= found;
      if (found === null || found !== openedWal) throw new FileReplaced(wal);
    },
  };
};
