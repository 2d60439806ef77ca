import { constants } from 'node:fs';
import { open, realpath, stat, type FileHandle } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { FileBody } from '#http/reply.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isDownloadPath } from '#values/download-path.ts';

/** A file that is open: send a part of it, or close it. */
export interface OpenDownload {
  readonly bytes: number;
  /** Changes with the file: parts of two of them are never put together. */
  readonly tag: string;
  /** Bytes from a place on. Closing the body closes the file. */
  part(start: number, length: number): FileBody;
  close(): Promise<void>;
}

const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'EACCES', 'ENXIO'].includes(
    String((error as NodeJS.ErrnoException).code),
  );

const notOnDisk = (): Rejection => new Rejection('file-not-found', 'File not found on disk');

const leadsOut = (): Rejection =>
  new Rejection('download-path-invalid', 'The file of this link is not in the folder of downloads.');

const orNotOnDisk = async <Found>(work: Promise<Found>): Promise<Found> => {
  try {
    return await work;
  } catch (error) {
    throw isMissing(error) ? notOnDisk() : error;
  }
};

/** The file that an id means. Errors: Rejections `download-path-invalid`, `file-not-found`. */
const pathOf = async (folder: string, fileId: string): Promise<string> => {
  if (!isDownloadPath(fileId)) throw leadsOut();
  const [root, path] = await orNotOnDisk(Promise.all([realpath(folder), realpath(join(folder, fileId))]));
  if (!path.startsWith(root + sep)) throw leadsOut();
  return path;
};

const opened = async (file: FileHandle): Promise<OpenDownload> => {
  const { size, mtimeMs } = await file.stat();
  return {
    bytes: size,
    tag: `"${size.toString(36)}-${Math.trunc(mtimeMs).toString(36)}"`,
    part: (start, length) => ({
      bytes: length,
      read: async (into, at) =>
        (await file.read(into, 0, Math.min(into.length, length - at), start + at)).bytesRead,
      close: () => file.close(),
    }),
    close: () => file.close(),
  };
};

/** The folder of downloads, which every command process of a shop shares (docs/guides/deployment.md#downloads). */
export const createDownloadFolder = (folder: string) => ({
  /** Whether there is such a file in the folder. */
  has: async (fileId: string): Promise<boolean> => {
    try {
      return (await stat(await pathOf(folder, fileId))).isFile();
    } catch (error) {
      if (error instanceof Rejection || isMissing(error)) return false;
      throw error;
    }
  },
  /**
   * Opens a file by its id. Errors: Rejections `download-path-invalid` where the id or a link leads out of the folder,
   * `file-not-found`.
   */
  open: async (fileId: string): Promise<OpenDownload> => {
    const path = await pathOf(folder, fileId);
    // Without blocking: the path may be a pipe.
    const file = await orNotOnDisk(open(path, constants.O_RDONLY | constants.O_NONBLOCK));
    try {
      if (!(await file.stat()).isFile()) throw notOnDisk();
      return await opened(file);
    } catch (error) {
      await file.close();
      throw error;
    }
  },
});

export type DownloadFolder = ReturnType<typeof createDownloadFolder>;
