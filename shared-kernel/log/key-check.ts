import { createHash } from 'node:crypto';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { keyFor } from '#runtime/keys.ts';
import { opensSome } from './subject-keys.ts';

interface KeyCheck extends Document {
  readonly check: string;
}

const collection = 'keyChecks';
const id = 'application-key';

const checkOf = (applicationKey: Buffer): string =>
  createHash('sha256').update(keyFor(applicationKey, 'key check')).digest('base64url');

const OTHER_KEY =
  'This is not the application key under which the state store was written. Set APPLICATION_KEY to that key, or put ' +
  'its file back as keys/application.key under DATA_DIR, and start again. Nothing was changed.';

/** Throws when the state store was written under another application key. Only reads. */
export const refuseOtherKey = async (stateStore: DocumentStore, applicationKey: Buffer): Promise<void> => {
  const kept = await stateStore.get<KeyCheck>(collection, id);
  // A store of an older release has no check yet: what it has sealed tells as much.
  const isOurs = kept ? kept.check === checkOf(applicationKey) : await opensSome(stateStore, applicationKey);
  if (!isOurs) throw new Error(OTHER_KEY);
};

/** The same, and remembers the key of a store that is new. Of two processes with two keys one is refused. */
export const holdToKey = async (stateStore: DocumentStore, applicationKey: Buffer): Promise<void> => {
  await stateStore.declare(collection);
  await refuseOtherKey(stateStore, applicationKey);
  const ours: KeyCheck = { _id: id, check: checkOf(applicationKey) };
  if (!(await stateStore.insertIfAbsent(collection, ours))) await refuseOtherKey(stateStore, applicationKey);
};
