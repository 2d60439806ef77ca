import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { makePrivateFile } from '#runtime/private-files.ts';

/** Someone else writes this file. The message says who. */
export class HeldByAnotherProcess extends Error {
  override readonly name = 'HeldByAnotherProcess';
}

export interface WriterLock {
  release(): void;
}

/**
 * Makes this process the only writer of `file` until it releases the lock or ends. The lock is an open transaction on
 * a small database beside the file: the operating system frees it however the process ends, so that a restart after a
 * kill never waits. `<file>.holder` only names the holder for the message of `HeldByAnotherProcess`.
 */
export const holdWriterLock = (file: string): WriterLock => {
  const holderFile = `${file}.holder`;
  makePrivateFile(`${file}.lock`);
  const lock = new DatabaseSync(`${file}.lock`);
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    lock.close();
    throw new HeldByAnotherProcess(
      `${file} is open for writing in ${holderIn(holderFile)}: stop that one first`,
      { cause },
    );
  }
  makePrivateFile(holderFile);
  writeFileSync(holderFile, `process ${process.pid}, since ${new Date().toISOString()}\n`);
  return {
    release: () => {
      rmSync(holderFile, { force: true });
      lock.close();
    },
  };
};

const holderIn = (holderFile: string): string => {
  try {
    return readFileSync(holderFile, 'utf8').trim() || 'another process';
  } catch {
    return 'another process';
  }
};
