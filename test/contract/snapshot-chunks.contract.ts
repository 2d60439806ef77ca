import { expect } from 'chai';
import type { DomainEvent, Recorded } from '#kernel/event.ts';
import type { Document } from '#kernel/projection.ts';
import {
  collection,
  deleteOtherVersions,
  headIdOf,
  saveParts,
  restorePart,
  takePart,
  type Head,
} from '#log/snapshot-chunks.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { LogMark } from '#ports/event-store.ts';
import { applyEvent, type ReferencePart } from '#reference/reference-part.ts';
import { ChunkedEntries } from '#reference/chunked-entries.ts';
import { recordedEvents } from '#test/support/given.ts';

/** See `DocumentStoreEngine`. */
interface KeepingEngine {
  readonly name: string;
  readonly isTransactional: boolean;
  readonly open: () => Promise<{ readonly store: DocumentStore; readonly dispose: () => Promise<void> }>;
}

interface Told {
  readonly key: string;
  readonly text: string | null;
}

/** What was last told under each key; null takes it back. */
const createTales = (version = 1) => {
  const entries = new ChunkedEntries<string>();
  const part: ReferencePart = {
    name: 'tales',
    version,
    on: {
      Told: ({ data: { key, text } }: { readonly data: Told }) => {
        if (text === null) entries.delete(key);
        else entries.set(key, text);
      },
    },
    entries,
    restore: (kept) => {
      for (const [key, text] of kept) entries.set(key, text as string);
    },
    clear: () => undefined,
  };
  return { part, texts: () => [...entries.values()].sort() };
};
type Tales = ReturnType<typeof createTales>;

const at = (position: number): LogMark => ({ position, eventId: `event-${position}` });
const headId = headIdOf(createTales().part);

/** A log of tales in memory. */
const createLog = () => {
  const events: Recorded[] = [];
  const tell = (keys: readonly string[], text: string | null): void => {
    const more = keys.map((key): DomainEvent => ({
      type: 'Told',
      data: { key, text: text === null ? null : `${key} ${text}` },
    }));
    for (const event of recordedEvents(more)) events.push({ ...event, position: events.length + 1 });
  };
  const replay = ({ part }: Tales, after = 0): void => {
    for (const event of events.slice(after)) applyEvent(part, event);
  };
  const textsAt = (position: number): readonly string[] => {
    const { part, texts } = createTales();
    for (const event of events.slice(0, position)) applyEvent(part, event);
    return texts();
  };
  return { tell, replay, textsAt, head: () => events.length };
};

/**
 * The same store for so many steps, then none. A batch is a step, or each of its writes where it is no transaction.
 */
const mortal = (store: DocumentStore, isTransactional: boolean, steps: number): DocumentStore => {
  let left = steps;
  const step = (): void => {
    if (left-- === 0) throw new EngineUnavailable('killed');
  };
  return Object.assign(Object.create(null) as DocumentStore, {
    write: async (batch: Parameters<DocumentStore['write']>[0]) => {
      for (const some of isTransactional ? [batch] : batch.map((one) => [one])) {
        step();
        await store.write(some);
      }
    },
    deleteMany: async (...parameters: Parameters<DocumentStore['deleteMany']>) => {
      step();
      return store.deleteMany(...parameters);
    },
  });
};

const keys = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, index) => `key ${from + index}`);

/** Whatever is killed when, the next process finds a whole snapshot. */
export const describeSnapshotChunks = ({ name, isTransactional, open }: KeepingEngine): void => {
  describe(`snapshots of reference state kept by ${name}`, () => {
    let store: DocumentStore;
    let tidied: Set<ReferencePart>;
    let dispose: () => Promise<void>;

    beforeEach(async () => {
      ({ store, dispose } = await open());
      tidied = new Set();
      // The index is for a stand-in that cannot make a collection without one a second time.
      await store.declare(collection, [{ fields: ['position'] }]);
    });
    afterEach(() => dispose());

    const headNow = async (): Promise<Head> => {
      const head = await store.get<Head>(collection, headId);
      if (!head) throw new Error('there is no snapshot');
      return head;
    };
    const keep = async (tales: Tales, position: number, into = store): Promise<void> => {
      const stored = (await store.get<Head>(collection, headId)) ?? undefined;
      await saveParts(into, [takePart(tales.part, stored)], at(position), tidied);
    };
    const restored = async (version = 1): Promise<Tales> => {
      const tales = createTales(version);
      expect(await restorePart(store, tales.part, await headNow())).to.deep.equal({ kind: 'restored' });
      return tales;
    };
    const idsKept = async (): Promise<readonly string[]> =>
      (await store.find<Document>(collection, { sort: [['_id', 1]] })).map(({ _id }) => _id);

    it('are whole after a kill at any point of their writing, and leave nothing behind in the end', async () => {
      const log = createLog();
      const tales = createTales();
      log.tell(keys(0, 900), 'at first');
      log.replay(tales);
      await keep(tales, log.head());
      let kills = 0;
      for (let steps = 0; kills === steps; steps++) {
        const before = log.head();
        // Some change, some go, and on the way there are so many that there are twice as many chunks.
        log.tell(keys(steps, steps + 3), `step ${steps}`);
        log.tell(keys(590 - steps, 592 - steps), null);
        log.tell(keys(900 + 40 * steps, 940 + 40 * steps), 'new');
        log.replay(tales, before);
        await keep(tales, log.head(), mortal(store, isTransactional, steps)).catch(() => kills++);
        const { position } = await headNow();
        const next = await restored();
        expect(next.texts()).to.deep.equal(log.textsAt(position));
        log.replay(next, position);
        expect(next.texts()).to.deep.equal(tales.texts());
      }
      const { changedAt } = await headNow();
      expect(changedAt.length).to.be.above(4);
      expect(await idsKept()).to.have.length(1 + changedAt.length);
    });

    it('are found though another process replaces them while they are read', async () => {
      const log = createLog();
      const tales = createTales();
      log.tell(keys(0, 1500), 'at first');
      log.replay(tales);
      await keep(tales, log.head());
      const stale = await headNow();
      const before = log.head();
      log.tell(keys(0, 1500), 'again');
      log.replay(tales, before);
      await keep(tales, log.head());
      const reader = createTales();
      expect(await restorePart(store, reader.part, stale)).to.deep.equal({ kind: 'incomplete' });
      expect(reader.texts()).to.deep.equal([]);
      expect((await restored()).texts()).to.deep.equal(tales.texts());
    });

    it('leave a part empty when the store goes away while they are read, and fill it at the next try', async () => {
      const log = createLog();
      const tales = createTales();
      log.tell(keys(0, 1500), 'at first');
      log.replay(tales);
      await keep(tales, log.head());
      const head = await headNow();
      let reads = 0;
      const goesAway: DocumentStore = Object.assign(Object.create(store) as DocumentStore, {
        find: async (...asked: Parameters<DocumentStore['find']>) => {
          if (++reads === 2) throw new EngineUnavailable('the state store is away');
          return store.find(...asked);
        },
      });
      const reader = createTales();
      const outcome = await restorePart(goesAway, reader.part, head).catch((error: unknown) => error);
      expect(outcome).to.be.instanceOf(EngineUnavailable);
      expect(reader.texts()).to.deep.equal([]);
      expect(await restorePart(store, reader.part, head)).to.deep.equal({ kind: 'restored' });
      expect(reader.texts()).to.deep.equal(tales.texts());
    });

    it('share what two processes have both seen, and the one behind takes nothing back', async () => {
      const log = createLog();
      const [one, other] = [createTales(), createTales()];
      log.tell(keys(0, 600), 'at first');
      for (const tales of [one, other]) log.replay(tales);
      const before = log.head();
      log.tell(['key 7'], 'later');
      log.replay(one, before);
      await keep(one, log.head());
      await keep(other, before);
      expect((await headNow()).position).to.equal(log.head());
      expect((await restored()).texts()).to.deep.equal(one.texts());
      log.replay(other, before);
      const stored = await headNow();
      expect(takePart(other.part, stored).taken.chunks).to.deep.equal([]);
    });

    it('take documents under 4 MB, however much is under one key', async () => {
      const log = createLog();
      const tales = createTales();
      log.tell(['poem'], `x${'\u{1f375}"茶'.repeat(700_000)}`);
      log.tell(keys(0, 3), 'short');
      log.replay(tales);
      await keep(tales, log.head());
      const documents = await store.find<Document>(collection);
      const sizes = documents.map((document) => Buffer.byteLength(JSON.stringify(document)));
      expect(Math.max(...sizes)).to.be.below(4_000_000);
      const after = await restored();
      expect(after.texts()).to.deep.equal(tales.texts());
      const before = log.head();
      log.tell(['key 1'], 'changed');
      log.tell(['poem'], 'short');
      log.replay(after, before);
      await keep(after, log.head());
      expect(await idsKept()).to.have.length(2);
    });

    it('take the place of those of other versions', async () => {
      const log = createLog();
      const tales = createTales();
      log.tell(keys(0, 3), 'told');
      log.replay(tales);
      await keep(tales, log.head());
      const newer = createTales(2);
      log.replay(newer);
      await saveParts(store, [takePart(newer.part, undefined)], at(log.head()), tidied);
      await deleteOtherVersions(store, [newer.part]);
      expect((await idsKept()).map((id) => id.split('/').slice(0, 2).join('/'))).to.deep.equal([
        headIdOf(newer.part),
        headIdOf(newer.part),
      ]);
    });
  });
};
