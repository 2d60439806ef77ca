import { createHash } from 'node:crypto';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';

/** The versions of views that one release has, and when a process of it was last seen. */
interface Release extends Document {
  readonly versions: readonly string[];
  /** Real time in milliseconds. */
  readonly seenAt: number;
}

const collection = 'releases';
export const NOTE_USE_MILLISECONDS = 60_000;
/** A process that stalls, or whose clock differs, is not thought to be gone. */
const GONE_AFTER_MILLISECONDS = 10 * NOTE_USE_MILLISECONDS;

const idOf = (versions: readonly string[]): string =>
  createHash('sha256').update(versions.toSorted().join(' ')).digest('hex').slice(0, 16);

/** Says that a process uses these versions of views, as `versionName` has them. Errors: `EngineUnavailable`. */
export const noteVersionsInUse = async (
  readStore: DocumentStore,
  versions: readonly string[],
  now: number = Date.now(),
): Promise<void> => {
  const release: Release = { _id: idOf(versions), versions, seenAt: now };
  if (await readStore.insertIfAbsent(collection, release)) return;
  await readStore.updateIf(collection, { _id: release._id, seenAt: { lt: now } }, { set: { seenAt: now } });
};

/** The versions that some process has used lately. Errors: `EngineUnavailable`. */
export const versionsInUse = async (
  readStore: Pick<DocumentStore, 'find'>,
  now: number = Date.now(),
): Promise<ReadonlySet<string>> => {
  const releases = await readStore.find<Release>(collection);
  const lately = releases.filter(({ seenAt }) => seenAt > now - GONE_AFTER_MILLISECONDS);
  return new Set(lately.flatMap(({ versions }) => versions));
};
