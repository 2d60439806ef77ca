import { openSqliteDocumentStore } from '#adapters/sqlite/sqlite-document-store.ts';
import { openSqliteEventStore } from '#adapters/sqlite/sqlite-event-store.ts';
import type { DataSubject } from '#kernel/decider.ts';
import type { Actor, DomainEvent, Recorded } from '#kernel/event.ts';
import { newId } from '#kernel/ids.ts';
import { createCodec } from '#log/codec.ts';
import { chainStart, type ChainEnd } from '#log/hash-chain.ts';
import { createSubjectKeys } from '#log/subject-keys.ts';
import { fileNames } from './data-folder.ts';

/** Appended together. */
const AT_ONCE = 500;

/** The log of a stopped shop, to which whole streams are added. */
export interface StoppedLog {
  /** `begin` for each of so many, many at once; tells the process above how far it is. */
  fill(count: number, begin: (index: number) => Promise<unknown>): Promise<void>;
  /** Appends the first events of a stream; `subject`: whose the personal data in them is. */
  begin(stream: string, events: readonly DomainEvent[], actor: Actor, subject?: DataSubject): Promise<void>;
  /** Appends what follows the events that a stream has. */
  goOn(
    stream: string,
    next: (before: readonly Recorded[]) => readonly DomainEvent[],
    actor: Actor,
  ): Promise<void>;
  close(): Promise<void>;
}

/** APPLICATION_KEY is the shop's. */
export const openStoppedLog = async (dataDir: string): Promise<StoppedLog> => {
  const applicationKey = Buffer.from(process.env['APPLICATION_KEY'] ?? '', 'base64');
  const files = fileNames(dataDir);
  const store = await openSqliteEventStore({ file: files.events, synchronous: 'NORMAL', mode: 'inline' });
  const stateStore = await openSqliteDocumentStore({ file: files.state });
  const keys = await createSubjectKeys({ store: stateStore, applicationKey });
  const codec = createCodec({ keys, applicationKey, store });
  const recordedAt = new Date().toISOString();
  const append = async (
    stream: string,
    end: ChainEnd,
    events: readonly DomainEvent[],
    actor: Actor,
    subject?: DataSubject,
  ): Promise<void> => {
    const id = newId();
    const subjectKey = subject && (await keys.ensure(subject));
    const whose = subject && subjectKey ? { subject: subject.id, subjectKey } : {};
    const stamp = { recordedAt, correlationId: id, causationId: id, actor, ...whose };
    const { toAppend } = codec.encode(stream, end, events.map(codec.draft), stamp);
    await store.append(stream, end.revision, toAppend);
  };
  return {
    fill: async (count, begin) => {
      for (let made = 0; made < count; made += AT_ONCE) {
        const some = Math.min(AT_ONCE, count - made);
        await Promise.all(Array.from({ length: some }, (_, index) => begin(made + index)));
        process.send?.({ progress: made / count });
      }
    },
    begin: (stream, events, actor, subject) => append(stream, chainStart, events, actor, subject),
    goOn: async (stream, next, actor) => {
      const before = await codec.decodeAll(await store.readStream(stream));
      const last = before.at(-1);
      const end = last ? { revision: last.revision, hash: last.metadata.hash } : chainStart;
      await append(stream, end, next(before), actor);
    },
    close: async () => {
      await stateStore.close();
      await store.close();
    },
  };
};
