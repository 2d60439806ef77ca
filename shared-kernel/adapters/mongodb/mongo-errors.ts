import { MongoBulkWriteError, MongoError, MongoServerError } from 'mongodb';

import { DuplicateKey } from '#ports/document-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';

const duplicateKey = 11_000;

/** Codes of a server that cannot take the request now, or cannot say what became of it. */
const unavailable = new Set([
  6, // HostUnreachable
  7, // HostNotFound
  13, // Unauthorized
  18, // AuthenticationFailed
  24, // LockTimeout
  50, // MaxTimeMSExpired
  64, // WriteConcernFailed
  89, // NetworkTimeout
  91, // ShutdownInProgress
  100, // UnsatisfiableWriteConcern
  112, // WriteConflict
  134, // ReadConcernMajorityNotAvailableYet
  189, // PrimarySteppedDown
  202, // NetworkInterfaceExceededTimeLimit
  262, // ExceededTimeLimit
  9001, // SocketException
  10_058, // LegacyNotPrimary
  10_107, // NotWritablePrimary
  11_600, // InterruptedAtShutdown
  11_602, // InterruptedDueToReplStateChange
  13_388, // StaleConfig
  13_435, // NotPrimaryNoSecondaryOk
  13_436, // NotPrimaryOrSecondary
  14_031, // OutOfDiskSpace
]);

/** Codes of an update that the document has no place for. */
const noPlace = new Set([
  14, // TypeMismatch
  28, // PathNotViable
]);

/** The driver hands on what Node says of a connection that ends just as something is written to it. */
const isOfSocket = (error: unknown): error is Error =>
  error instanceof Error &&
  'code' in error &&
  /^(E[A-Z]+|ERR_(STREAM|SOCKET)_[A-Z_]+)$/.test(String(error.code));

/** The error as the port knows it; what is a mistake of ours stays what it is. */
export function asPortError(error: unknown): unknown {
  if (isOfSocket(error))
    return new EngineUnavailable(`the document store does not answer: ${error.message}`, { cause: error });
  if (!(error instanceof MongoError)) return error;
  // A bulk write wraps what befell the driver itself; then the server has said nothing, and there is no code.
  const isOfServer = !(error instanceof MongoBulkWriteError && error.code === undefined);
  if (isOfServer && error instanceof MongoServerError) {
    const code = Number(error.code);
    if (code === duplicateKey) return new DuplicateKey(error.message, { cause: error });
    if (noPlace.has(code)) return new TypeError(error.message, { cause: error });
    if (!unavailable.has(code) && !error.hasErrorLabel('RetryableWriteError')) return error;
  }
  // Of the errors that are the driver's own, these alone mean that it was asked for something impossible.
  if (error.name === 'MongoInvalidArgumentError' || error.name === 'MongoParseError') return error;
  return new EngineUnavailable(`the document store does not answer: ${error.message}`, { cause: error });
}

/** The index that a write would break; null for any other error. */
export function brokenIndex(error: unknown): string | null {
  if (!(error instanceof MongoServerError) || Number(error.code) !== duplicateKey) return null;
  return /\bindex: (\S+) dup key/.exec(error.message)?.[1] ?? '';
}

/** Index of the primary key, which every collection has. */
export const idIndex = '_id_';

/** The collection is not there; some servers say so without the code. */
export const isNoCollection = (error: unknown): boolean =>
  error instanceof MongoServerError && (error.code === 26 || /\bns not found\b/.test(error.message));

export const isCollectionThere = (error: unknown): boolean =>
  error instanceof MongoServerError && error.code === 48;
