import type { Logger } from 'pino';
import { eventDefinition } from '#events/registry.ts';
import { seal, unseal } from '#runtime/encryption.ts';
import { snapshotHash } from '#log/snapshot-hash.ts';
import { snapshotVersion } from '#log/snapshot-version.ts';
import type { SubjectKeys } from '#log/subject-keys.ts';
import type { DataSubject } from '#kernel/decider.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { idOf } from '#values/stream-name.ts';
import type { TextCipher } from '#values/text-cipher.ts';
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

/** `content` is encrypted whole where the stream has a subject, under its key, or secrets. */
interface SnapshotRecord extends Document {
  readonly version: string;
  readonly subject: string | null;
  readonly content: string;
  /** Of stream and content; absent where an older release wrote it. */
  readonly hash?: string;
}

interface Content extends Omit<
  StreamState,
  'commands' | 'said' | 'snapshotAt' | 'customerId' | 'isPersonal'
> {
  readonly commands: readonly (readonly [string, CommandRun])[];
}

interface SnapshotOptions {
  readonly stateStore: DocumentStore;
  readonly keys: SubjectKeys;
  /** For streams with secrets. */
  readonly secrets: TextCipher;
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
        return await read(options, stream, keepingOf(decider, decider.snapshot));
      } catch (error) {
        log?.warn({ stream, err: error }, 'the snapshot cannot be read, the whole stream is');
        return null;
      }
    },
    consider: (decider, stream, known) => {
      if (!decider.snapshot || known.end.revision - known.snapshotAt < decider.snapshot.every) return;
      known.snapshotAt = known.end.revision;
      const subject = decider.subject?.(idOf(stream), known.state) ?? null;
      const written = write(options, stream, keepingOf(decider, decider.snapshot), textOf(known), subject)
        .catch((error: unknown) => log?.warn({ stream, err: error }, 'the snapshot was not written'))
        .finally(() => writing.delete(written));
      writing.add(written);
    },
    drain: async () => {
      await Promise.all(writing);
    },
  };
};

/** How the states of a decider are kept. */
interface Keeping {
  readonly version: string;
  /** One of its events has a secret: the log does not hold it in clear, nor does a snapshot. */
  readonly hasSecrets: boolean;
}

const keepings = new WeakMap<AnyDecider, Keeping>();

/** Worked out once: it takes the schemas of all the stream's events. */
const keepingOf = (decider: AnyDecider, { version }: { readonly version: number }): Keeping => {
  const known = keepings.get(decider);
  if (known) return known;
  const types = Object.keys(decider.on);
  const hasSecrets = types.some((type) => (eventDefinition(type)?.secretFields.length ?? 0) > 0);
  const keeping = { version: snapshotVersion({ version, on: decider.on }), hasSecrets };
  keepings.set(decider, keeping);
  return keeping;
};

const read = async (
  options: SnapshotOptions,
  stream: string,
  keeping: Keeping,
): Promise<StreamState | null> => {
  const { stateStore } = options;
  const record = await stateStore.get<SnapshotRecord>(collection, stream);
  if (record?.version !== keeping.version) return null;
  if (record.hash !== undefined && record.hash !== snapshotHash(stream, record.content)) {
    await stateStore.write([{ collection, remove: stream }]);
    throw new Error('it does not have the hash that it was written with, and is dropped: check the disk');
  }
  const content = await opened(options, keeping, record);
  if (content !== null) return restored(content, record.subject !== null);
  await stateStore.write([{ collection, remove: stream }]);
  return null;
};

/** Null when no key opens it, or an older release wrote secrets in clear. */
const opened = async (
  { keys, secrets }: SnapshotOptions,
  { hasSecrets }: Keeping,
  { subject, content }: SnapshotRecord,
): Promise<string | null> => {
  if (subject === null) return hasSecrets ? secrets.open(content) : content;
  const key = (await keys.load(new Set([subject]))).get(subject);
  return key ? (unseal(key, content)?.toString() ?? null) : null;
};

/** None is written of what belongs to someone who is forgotten: the state may still know what the log does not. */
const write = async (
  { stateStore, keys, secrets }: SnapshotOptions,
  stream: string,
  { version, hasSecrets }: Keeping,
  text: string,
  subject: DataSubject | null,
): Promise<void> => {
  const underOwnKey = (): string => (hasSecrets ? secrets.seal(text) : text);
  const key = subject ? await keys.ensure(subject) : null;
  if (subject && key === null) return;
  const content = key ? seal(key, text) : underOwnKey();
  const hash = snapshotHash(stream, content);
  const record: SnapshotRecord = { _id: stream, version, subject: subject?.id ?? null, content, hash };
  await stateStore.write([{ collection, put: record }]);
};

/** Written at once: the state may change in place while the snapshot is on its way. */
const textOf = ({ state, end, position, recordedAt, commands }: StreamState): string => {
  const content: Content = { state, end, position, recordedAt, commands: [...commands] };
  return JSON.stringify(content);
};

const restored = (text: string, isPersonal: boolean): StreamState => {
  const content = JSON.parse(text) as Content;
  return {
    ...content,
    commands: new Map(content.commands),
    said: new Map(),
    snapshotAt: content.end.revision,
    customerId: null,
    isPersonal,
  };
};
