import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { replayRecord, type ReplayRecord } from '#contracts/replay.contract.ts';
import { memoryEngines } from '#runtime/config-engines.ts';
import { openEngines, type Engines } from '../../../shared-kernel/open-engines.ts';

/** What there is where a replay is to be: `free` also where one was begun and not finished. */
export type FolderState =
  | FreeFolder
  | { readonly kind: 'replay'; readonly record: ReplayRecord }
  | { readonly kind: 'taken' };

export interface FreeFolder {
  readonly kind: 'free';
  readonly isThere: boolean;
}

const recordFile = (folder: string): string => join(folder, 'replay.json');

/** Only reads. Errors: `Error` where a record cannot be read. */
export const lookAtFolder = (folder: string): FolderState => {
  if (!existsSync(folder)) return { kind: 'free', isThere: false };
  if (existsSync(recordFile(folder))) {
    if (statSync(recordFile(folder)).size === 0) return { kind: 'free', isThere: true };
    const record = readRecord(folder);
    return record.madeAt === null ? { kind: 'free', isThere: true } : { kind: 'replay', record };
  }
  return readdirSync(folder).length === 0 ? { kind: 'free', isThere: true } : { kind: 'taken' };
};

const readRecord = (folder: string): ReplayRecord => {
  const file = recordFile(folder);
  try {
    return replayRecord.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    throw new Error(`${file} is not what this release writes: make the replay again, in another folder.`);
  }
};

const written = (record: ReplayRecord): string => `${JSON.stringify(record, null, 2)}\n`;

/** Marks a free folder as an unfinished replay's before anything else stands in it; leaves a record that is there. */
export const markFolder = (folder: string, begun: ReplayRecord): void => {
  mkdirSync(folder, { recursive: true });
  try {
    writeFileSync(recordFile(folder), written(begun), { mode: 0o600, flush: true, flag: 'wx' });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
};

/** The file is whole at any time. */
export const writeRecord = (folder: string, record: ReplayRecord): void => {
  const beside = `${recordFile(folder)}.new`;
  writeFileSync(beside, written(record), { mode: 0o600, flush: true });
  renameSync(beside, recordFile(folder));
};

/** Removes what a replay has written, the record last: a kill leaves what is known to be unfinished. */
const emptyFolder = (folder: string): void => {
  const files = readdirSync(folder).filter((name) => name.startsWith('read.db'));
  for (const name of [...files, 'replay.json.new', 'replay.json'])
    rmSync(join(folder, name), { force: true });
};

/** Leaves the folder as it was before. */
export const removeReplay = (folder: string, { isThere }: FreeFolder): void => {
  if (isThere) emptyFolder(folder);
  else rmSync(folder, { recursive: true, force: true });
};

/** The read models of a replay. Errors: `Error` where another process has them open. */
export const openReplayViews = (folder: string): Promise<Engines> =>
  openEngines(
    { ...memoryEngines, read: { kind: 'sqlite', file: join(folder, 'read.db') } },
    { isPrecious: false },
  );
