import type { Logger } from 'pino';
import { seal, unseal } from '#runtime/encryption.ts';
import { snapshotHash } from '#log/snapshot-hash.ts';
import { snapshotVersion } from '#log/snapshot-version.ts';
import type { SubjectKeys } from '#log/subject-keys.ts';
import type { DataSubject } from '#kernel/decider.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { idOf } from '#values/stream-name.ts';
import type { AnyDecider, CommandRun, StreamState } from './stream-state.ts';

/** Shortcuts to the state of long streams. Losing one costs time only; none is ever waited for. */
export interface Snapshots {
  /** The newest one of this decider's version; null when there is none or it cannot be read. */
  read(decider: AnyDecider, stream: string): Promise<StreamState | null>;
  /** Writes one in the background when the stream has grown enough since the last. */
  consider(decider: AnyDecider, stream: string, known: StreamState): void;
  /** Waits for those being written. */
  drain(): Promise<void>;
}

/** With a subject, `content` is encrypted whole under the subject's key. */
interface SnapshotRecord extends Document {
  readonly version: string;
  readonly subject: string | null;
  readonly content: string;
  /** Of stream and content; absent where an older release wrote it. */
  readonly hash?: string;
}

interface Content extends Omit<StreamState, 'commands' | 'said' | 'snapshotAt' | 'customerId'> {
  readonly commands: readonly (readonly [string, CommandRun])[];
}

interface SnapshotOptions {
  readonly stateStore: DocumentStore;
  readonly keys: SubjectKeys;
  readonly log?: Pick<Logger, 'warn'>;
}

const collection = 'snapshots';

export const createSnapshots = (options: SnapshotOptions): Snapshots => {
  const { log } = options;
  const writing = new Set<Promise<void>>();
  return {
    read: async (decider, stream) => {
      if (!decider.snapshot) return null;
      try {
        return await read(options, stream, versionOf(decider, decider.snapshot));
      } catch (error) {
        log?.warn({ stream, err: error }, 'the snapshot cannot be read, the whole stream is');
        return null;
      }
    },
    consider: (decider, stream, known) => {
      if (!decider.snapshot || known.end.revision - known.snapshotAt < decider.snapshot.every) return;
      known.snapshotAt = known.end.revision;
      const subject = decider.subject?.(idOf(stream), known.state) ?? null;
      const written = write(options, stream, versionOf(decider, decider.snapshot), textOf(known), subject)
        .catch((error: unknown) => log?.warn({ stream, err: error }, 'the snapshot was not written'))
        .finally(() => writing.delete(written));
      writing.add(written);
    },
    drain: async () => {
      await Promise.all(writing);
    },
  };
};

const versions = new WeakMap<AnyDecider, string>();

/** Worked out once: it takes the schemas of all the stream's events. */
const versionOf = (decider: AnyDecider, { version }: { readonly version: number }): string => {
  const known = versions.get(decider) ?? snapshotVersion({ version, on: decider.on });
  versions.set(decider, known);
  return known;
};

const read = async (
  options: SnapshotOptions,
  stream: string,
  version: string,
): Promise<StreamState | null> => {
  const { stateStore, keys } = options;
  const record = await stateStore.get<SnapshotRecord>(collection, stream);
  if (record?.version !== version) return null;
  if (record.hash !== undefined && record.hash !== snapshotHash(stream, record.content)) {
    await stateStore.write([{ collection, remove: stream }]);
    throw new Error('it does not have the hash that it was written with, and is dropped: check the disk');
  }
  if (record.subject === null) return restored(record.content);
  const key = (await keys.load(new Set([record.subject]))).get(record.subject);
  const content = key && unseal(key, record.content);
  if (content) return restored(content.toString());
  await stateStore.write([{ collection, remove: stream }]);
  return null;
};

const write = async (
  options: SnapshotOptions,
  stream: string,
  version: string,
  text: string,
  subject: DataSubject | null,
): Promise<void> => {
  const { stateStore, keys } = options;
  const content = subject ? seal(await keys.ensure(subject), text) : text;
  const hash = snapshotHash(stream, content);
  const record: SnapshotRecord = { _id: stream, version, subject: subject?.id ?? null, content, hash };
  await stateStore.write([{ collection, put: record }]);
};

/** Written at once: the state may change in place while the snapshot is on its way. */
const textOf = ({ state, end, position, recordedAt, commands }: StreamState): string => {
  const content: Content = { state, end, position, recordedAt, commands: [...commands] };
  return JSON.stringify(content);
};

const restored = (text: string): StreamState => {
  const content = JSON.parse(text) as Content;
  return {
    ...content,
    commands: new Map(content.commands),
    said: new Map(),
    snapshotAt: content.end.revision,
    customerId: null,
  };
};
