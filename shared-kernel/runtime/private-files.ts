import { chmodSync, closeSync, mkdirSync, openSync, statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';

// Files of a shop hold addresses, keys and the log: only the user who runs the shop may read them.

const OTHERS = 0o077;
const STICKY = 0o1000;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

const statOf = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false });

/** False if the mode cannot be changed: the path is another user's, or the volume has no modes. */
const narrow = (path: string, mode: number): boolean => {
  try {
    chmodSync(path, mode);
    return true;
  } catch {
    return false;
  }
};

/** Creates a folder and its parents for their owner only. An existing one stays as it is. */
export const makePrivateFolder = (folder: string): void => {
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
};

/** Removes other users' permissions on a file, if it is there. */
export const closeFile = (file: string): void => {
  const stats = statOf(file);
  if (stats && (stats.mode & OTHERS) !== 0) narrow(file, FILE_MODE);
};

/** SQLite gives its side files the database's mode; those left by a crash keep theirs. */
const besides = ['', '-wal', '-shm', '-journal'] as const;

/**
 * Ensures that a database file exists, for its owner only, before anything opens it. An existing one is changed by
 * name: opening and closing a file that SQLite has open would drop its locks.
 */
export const makePrivateFile = (file: string): void => {
  makePrivateFolder(dirname(file));
  try {
    closeSync(openSync(file, 'wx', FILE_MODE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  for (const suffix of besides) closeFile(file + suffix);
};

/**
 * Removes other users' permissions on an existing data folder. Returns a warning for the operator if it cannot: a
 * folder of another user, or one that all users share, is not ours to close.
 */
export const closeDataFolder = (folder: string): string | null => {
  const stats = statOf(folder);
  if (!stats || (stats.mode & OTHERS) === 0) return null;
  const isOurs = stats.uid === process.getuid?.() && (stats.mode & STICKY) === 0;
  if (isOurs && narrow(folder, FOLDER_MODE)) return null;
  return `other users of this machine can look into the data folder ${folder}: give it the mode 0700`;
};
