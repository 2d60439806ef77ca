import { basename } from 'node:path';

/** What a file of ours holds. */
export type FileKind = 'event log' | 'document store' | 'bus';

const backup =
  'Stop the shop, keep the file as it is, and put events.db and state.db back together from one backup ' +
  '(docs/guides/deployment.md#backup-and-restore).';

const remedyOf = (kept: FileKind, file: string): string => {
  if (kept === 'event log') return backup;
  if (kept === 'bus') return 'Stop the shop and remove it: deliveries are found by their rows.';
  const filled = 'Stop the shop and remove it: the start fills it again from the log.';
  switch (basename(file)) {
    case 'read.db':
      return filled;
    case 'state.db':
      return backup;
    default:
      return `A read store: ${filled} A state store: ${backup}`;
  }
};

/** A file is there and is not what was written: trying again changes nothing. */
export class FileDamaged extends Error {
  override readonly name = 'FileDamaged';
}

const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

const isDamage = (error: unknown): error is Error => {
  if (!(error instanceof Error && 'errcode' in error)) return false;
  const code = Number(error.errcode) & 0xff;
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
};

/**
 * The error, which names the file and says what to do where that is damaged
 * (docs/guides/operations.md#damaged-files).
 */
export const namingDamage = (kept: FileKind, file: string, error: unknown): unknown =>
  isDamage(error)
    ? new FileDamaged(`${file} is damaged: ${error.message}. ${remedyOf(kept, file)}`, { cause: error })
    : error;

/** Opens a file, or throws what `namingDamage` makes of it. */
export const naming = <Opened>(kept: FileKind, file: string, open: () => Opened): Opened => {
  try {
    return open();
  } catch (error) {
    throw namingDamage(kept, file, error);
  }
};

/** Why a file cannot be read, for the log and for readiness. */
export const unreadable = (kept: FileKind, file: string, error: unknown): string => {
  const named = namingDamage(kept, file, error);
  return named instanceof FileDamaged ? named.message : `the ${kept} cannot be read: ${String(error)}`;
};
