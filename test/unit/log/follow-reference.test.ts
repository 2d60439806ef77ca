import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { createFeed } from '#log/feed.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore, Write } from '#ports/document-store.ts';
import { followReference, snapshotIdOf, type ReferenceFollower } from '#log/follow-reference.ts';
import type { EventStore } from '#ports/event-store.ts';
import type { ReferencePart } from '#reference/reference-part.ts';
import { counted, discarded } from '#test/support/counting-shop.ts';
import { appendPlain, plainDecoder, shopClock, silentLog } from '#test/support/plain-log.ts';

/** How many events of one type there were. */
const tally = (type: string, version = 1) => {
  let count = 0;
  let restored = 0;
  const part: ReferencePart = {
    name: `tally-${type}`,
    version,
    on: { [type]: () => void count++ },
    snapshot: () => ({ count }),
    restore: (snapshot) => {
      count = (snapshot as { count: number }).count;
      restored++;
    },
  };
  return { part, count: () => count, restored: () => restored };
};

const countedId = snapshotIdOf(tally('Counted').part);
const discardedId = snapshotIdOf(tally('Discarded').part);

interface Opened {
  readonly reference: ReferenceFollower;
  readonly decoded: () => number;
  close(): Promise<void>;
  kill(): Promise<void>;
}

const open = async (
  log: EventStore,
  stateStore: DocumentStore,
  parts: readonly ReferencePart[],
  snapshotEveryEvents?: number,
): Promise<Opened> => {
  const codec = plainDecoder();
  const feed = createFeed({ store: log, codec, clock: shopClock, log: silentLog });
  await feed.start();
  const every = snapshotEveryEvents === undefined ? {} : { snapshotEveryEvents };
  const reference = await followReference({ parts, feed, stateStore, log: silentLog, ...every });
  const kill = () => feed.stop();
  const close = async (): Promise<void> => {
    await reference.stop();
    await kill();
  };
  return { reference, decoded: () => codec.decoded.size, close, kill };
};

const fifty = Array.from({ length: 50 }, () => counted(1));

describe('reference state', () => {
  it('is ready once it has reached the head that it found', async () => {
    const log = createMemoryEventStore();
    const end = await appendPlain(log, 'counter-1', fifty);
    const counts = tally('Counted');
    const { reference, close } = await open(log, createMemoryDocumentStore(), [counts.part]);
    expect(reference.isReady()).to.equal(false);
    expect(await reference.waitFor(end, 2000)).to.equal(true);
    expect(reference.isReady()).to.equal(true);
    expect(counts.count()).to.equal(50);
    await close();
  });

  it('tells the last event that it took, but for its bookkeeping', async () => {
    const log = createMemoryEventStore();
    const took = await appendPlain(log, 'counter-1', [counted(1)]);
    const bookkeeping = { ...tally('Discarded').part, isBookkeeping: true };
    const { reference, close } = await open(log, createMemoryDocumentStore(), [
      tally('Counted').part,
      bookkeeping,
    ]);
    const end = await appendPlain(log, 'counter-1', [discarded()]);
    await reference.waitFor(end, 2000);
    expect([reference.took(), reference.position()]).to.deep.equal([took, end]);
    await close();
  });

  it('starts from its snapshot and reads only what has come since', async () => {
    const log = createMemoryEventStore();
    const stateStore = createMemoryDocumentStore();
    const before = await open(log, stateStore, [tally('Counted').part, tally('Discarded').part]);
    await before.reference.waitFor(await appendPlain(log, 'counter-1', fifty), 2000);
    await before.close();

    const end = await appendPlain(log, 'counter-1', [counted(1), discarded()]);
    const counts = tally('Counted');
    const discards = tally('Discarded');
    const after = await open(log, stateStore, [counts.part, discards.part]);
    await after.reference.waitFor(end, 2000);
    expect([counts.count(), discards.count()]).to.deep.equal([51, 1]);
    expect(after.decoded()).to.equal(2);
    await after.close();
  });

  it('folds a part of a new version again, while the others pass over what they have', async () => {
    const log = createMemoryEventStore();
    const stateStore = createMemoryDocumentStore();
    const before = await open(log, stateStore, [tally('Counted').part, tally('Discarded').part]);
    const end = await appendPlain(log, 'counter-1', [...fifty, discarded()]);
    await before.reference.waitFor(end, 2000);
    await before.close();

    const counts = tally('Counted', 2);
    const discards = tally('Discarded');
    const after = await open(log, stateStore, [counts.part, discards.part]);
    expect(await after.reference.waitFor(end, 2000)).to.equal(true);
    expect([counts.restored(), discards.restored()]).to.deep.equal([0, 1]);
    expect([counts.count(), discards.count()]).to.deep.equal([50, 1]);
    await after.close();
  });

  it('writes only the parts that have changed, and one mark for all', async () => {
    const log = createMemoryEventStore();
    const inner = createMemoryDocumentStore();
    const written: string[][] = [];
    const stateStore: DocumentStore = Object.assign(Object.create(inner) as DocumentStore, {
      get: inner.get.bind(inner),
      write: async (batch: Parameters<DocumentStore['write']>[0]) => {
        written.push(batch.map((write) => ('put' in write ? write.put._id : write.remove)));
        await inner.write(batch);
      },
    });
    const { reference, close } = await open(
      log,
      stateStore,
      [tally('Counted').part, tally('Discarded').part],
      10,
    );
    await reference.waitFor(await appendPlain(log, 'counter-1', fifty), 2000);
    await reference.waitFor(await appendPlain(log, 'counter-1', [discarded(), ...fifty.slice(40)]), 2000);
    await reference.waitFor(await appendPlain(log, 'counter-1', fifty), 2000);
    await close();
    expect(written[0]).to.deep.equal([countedId, discardedId, 'position']);
    expect(written.at(-1)).to.deep.equal([countedId, 'position']);
  });

  it('covers a part that came later, though nothing has been appended since', async () => {
    const log = createMemoryEventStore();
    const stateStore = createMemoryDocumentStore();
    const end = await appendPlain(log, 'counter-1', fifty);
    const first = await open(log, stateStore, [tally('Counted').part]);
    await first.reference.waitFor(end, 2000);
    await first.close();

    const second = await open(log, stateStore, [tally('Counted').part, tally('Discarded').part]);
    await second.reference.waitFor(end, 2000);
    await second.close();

    const third = await open(log, stateStore, [tally('Counted').part, tally('Discarded').part]);
    await third.reference.waitFor(end, 2000);
    expect(third.reference.position()).to.equal(end);
    const mark = await stateStore.get<{ _id: string; covers: string[] }>('referenceSnapshots', 'position');
    expect(mark?.covers).to.deep.equal([countedId, discardedId]);
    await third.close();
  });

  it('counts nothing twice after a kill between snapshots', async () => {
    const log = createMemoryEventStore();
    const stateStore = createMemoryDocumentStore();
    for (let life = 0; life < 4; life++) {
      const { reference, kill } = await open(log, stateStore, [tally('Counted').part], 30);
      await reference.waitFor(await appendPlain(log, 'counter-1', fifty.slice(life * 7)), 2000);
      await kill();
    }
    const counts = tally('Counted');
    const { reference, close } = await open(log, stateStore, [counts.part]);
    const head = await log.head();
    await reference.waitFor(head, 2000);
    expect(counts.count()).to.equal(head);
    await close();
  });

  it('misses nothing when its snapshot was read before another process replaced it, and the mark after', async () => {
    const log = createMemoryEventStore();
    const stateStore = createMemoryDocumentStore();
    const keep = async (): Promise<void> => {
      const { reference, close } = await open(log, stateStore, [tally('Counted').part]);
      await reference.waitFor(await appendPlain(log, 'counter-1', fifty), 2000);
      await close();
    };
    await keep();
    const [stale] = await stateStore.getMany('referenceSnapshots', ['tally-Counted-v1']);
    await keep();
    const getMany: DocumentStore['getMany'] = async <Doc extends Document>(
      collection: string,
      ids: readonly string[],
    ) => {
      const found = await stateStore.getMany<Doc>(collection, ids);
      return found.map((one) => (one._id === stale?._id ? (stale as Doc) : one));
    };
    const torn: DocumentStore = Object.assign(Object.create(stateStore) as DocumentStore, {
      getMany,
      write: (batch: readonly Write[]) => stateStore.write(batch),
    });
    const counts = tally('Counted');
    const { reference, close } = await open(log, torn, [counts.part]);
    await reference.waitFor(await log.head(), 2000);
    expect(counts.count()).to.equal(100);
    await close();
  });

  it('is kept after so many events that it takes, however far apart their positions are', async () => {
    const log = createMemoryEventStore();
    const stateStore = createMemoryDocumentStore();
    const kept = () => stateStore.get('referenceSnapshots', countedId);
    const { reference, kill } = await open(log, stateStore, [tally('Counted').part], 30);
    await appendPlain(log, 'counter-1', fifty.slice(0, 29));
    await reference.waitFor(
      await appendPlain(log, 'counter-1', Array.from({ length: 100 }, discarded)),
      2000,
    );
    expect(await kept()).to.equal(null);
    await reference.waitFor(await appendPlain(log, 'counter-1', fifty.slice(0, 1)), 2000);
    while ((await kept()) === null) await new Promise(setImmediate);
    await kill();
  });

  it('is folded again when the log was restored to before its snapshots, then and at later starts', async () => {
    const stateStore = createMemoryDocumentStore();
    const lostLog = createMemoryEventStore();
    const before = await open(lostLog, stateStore, [tally('Counted').part, tally('Discarded').part]);
    await before.reference.waitFor(await appendPlain(lostLog, 'counter-1', fifty), 2000);
    await before.close();

    const log = createMemoryEventStore();
    let end = await appendPlain(log, 'counter-1', fifty.slice(0, 20));
    for (const more of [10, 30]) {
      const counts = tally('Counted');
      const discards = tally('Discarded');
      const after = await open(log, stateStore, [counts.part, discards.part]);
      await after.reference.waitFor(end, 2000);
      expect([counts.count(), discards.count()]).to.deep.equal([end, 0]);
      end = await appendPlain(log, 'counter-1', fifty.slice(0, more));
      await after.reference.waitFor(end, 2000);
      expect(counts.count()).to.equal(end);
      await after.close();
    }
    const counts = tally('Counted');
    const last = await open(log, stateStore, [counts.part, tally('Discarded').part]);
    await last.reference.waitFor(end, 2000);
    expect([counts.count(), counts.restored(), last.decoded()]).to.deep.equal([60, 1, 0]);
    await last.close();
  });
});
