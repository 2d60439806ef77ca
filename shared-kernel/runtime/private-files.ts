import { chmodSync, closeSync, mkdirSync, openSync, statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';

// What a shop keeps on disk holds addresses, keys and the log: it is for the user alone under whom the shop runs.

const OTHERS = 0o077;
const STICKY = 0o1000;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

const statOf = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false });

/** False when the mode could not be changed: the path is another user's, or the volume has no modes. */
const narrow = (path: string, mode: number): boolean => {
  try {
    chmodSync(path, mode);
    return true;
  } catch {
    return false;
  }
};

/** Creates a folder, and those above it, for their owner only. One that is there stays as it is. */
export const makePrivateFolder = (folder: string): void => {
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
};

/** Removes other users' permissions on a file, if it is there. */
export const closeFile = (file: string): void => {
  const stats = statOf(file);
  if (stats && (stats.mode & OTHERS) !== 0) narrow(file, FILE_MODE);
};

/** SQLite gives the files beside a database its mode; those that a kill has left behind keep the one they had. */
const besides = ['', '-wal', '-shm', '-journal'] as const;

/**
 * Makes sure that a database file is there, for its owner only, before anything opens it. An older one is narrowed by
 * name: to open and close a file that SQLite has open would take away its locks.
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
 * Removes other users' permissions on an existing data folder. Returns what to tell the operator where it cannot: a
 * folder of another user, or one that all users share, is not ours to close.
 */
export const closeDataFolder = (folder: string): string | null => {
  const stats = statOf(folder);
  if (!stats || (stats.mode & OTHERS) === 0) return null;
  const isOurs = stats.uid === process.getuid?.() && (stats.mode & STICKY) === 0;
  if (isOurs && narrow(folder, FOLDER_MODE)) return null;
  return `other users of this machine can look into the data folder ${folder}: give it the mode 0700`;
};
