import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import type { Document } from '#kernel/projection.ts';
import { createFeed } from '#log/feed.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { followReference, type ReferenceFollower } from '#log/follow-reference.ts';
import { collection, headIdOf } from '#log/snapshot-chunks.ts';
import type { EventStore } from '#ports/event-store.ts';
import type { ReferencePart } from '#reference/reference-part.ts';
import { ChunkedEntries } from '#reference/chunked-entries.ts';
import { counted, discarded } from '#test/support/counting-shop.ts';
import { faultyEventStore } from '#test/support/faults.ts';
import { appendPlain, plainDecoder, shopClock, silentLog } from '#test/support/plain-log.ts';

/** How many events of one type there were. */
const counters = (type: string, version = 1) => {
  let restored = 0;
  const entries = new ChunkedEntries<number>();
  const count = (): number => entries.get('count') ?? 0;
  const part: ReferencePart = {
    name: `tally-${type}`,
    version,
    on: { [type]: () => entries.set('count', count() + 1) },
    entries,
    restore: (kept) => {
      for (const [key, value] of kept) entries.set(key, value as number);
      restored++;
    },
    clear: () => undefined,
  };
  return { part, count, restored: () => restored };
};

const countedId = headIdOf(counters('Counted').part);
const discardedId = headIdOf(counters('Discarded').part);

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

/** A store, and the ids of each batch that is written to it. */
const watched = (stateStore: DocumentStore) => {
  const written: string[][] = [];
  const write = stateStore.write.bind(stateStore);
  Object.assign(stateStore, {
    write: async (batch: Parameters<DocumentStore['write']>[0]) => {
      written.push(batch.map((one) => ('put' in one ? one.put._id : one.remove)));
      await write(batch);
    },
  });
  return { stateStore, written };
};

const fifty = Array.from({ length: 50 }, () => counted(1));

describe('reference state', () => {
  it('is ready once it has reached the head it found at the start', async () => {
    const log = createMemoryEventStore();
    const end = await appendPlain(log, 'counter-1', fifty);
    const counts = counters('Counted');
    const { reference, close } = await open(log, createMemoryDocumentStore(), [counts.part]);
    expect(reference.catchingUp()).to.deep.equal({ position: 0, head: end });
    expect(await reference.waitFor(end, 2000)).to.equal(true);
    expect(reference.catchingUp()).to.equal(null);
    expect(counts.count()).to.equal(50);
    await close();
  });

  it('reports the last event that it folded, apart from bookkeeping', async () => {
    const log = createMemoryEventStore();
    const took = await appendPlain(log, 'counter-1', [counted(1)]);
    const bookkeeping = { ...counters('Discarded').part, isBookkeeping: true };
    const { reference, close } = await open(log, createMemoryDocumentStore(), [
      counters('Counted').part,
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
    const before = await open(log, stateStore, [counters('Counted').part, counters('Discarded').part]);
    await before.reference.waitFor(await appendPlain(log, 'counter-1', fifty), 2000);
    await before.close();

    const end = await appendPlain(log, 'counter-1', [counted(1), discarded()]);
    const counts = counters('Counted');
    const discards = counters('Discarded');
    const after = await open(log, stateStore, [counts.part, discards.part]);
    await after.reference.waitFor(end, 2000);
    expect([counts.count(), discards.count()]).to.deep.equal([51, 1]);
    expect(after.decoded()).to.equal(2);
    await after.close();
  });

  it('folds a part of a new version again, while the others pass over what they have', async () => {
    const log = createMemoryEventStore();
    const stateStore = createMemoryDocumentStore();
    const before = await open(log, stateStore, [counters('Counted').part, counters('Discarded').part]);
    const end = await appendPlain(log, 'counter-1', [...fifty, discarded()]);
    await before.reference.waitFor(end, 2000);
    await before.close();

    const counts = counters('Counted', 2);
    const discards = counters('Discarded');
    const after = await open(log, stateStore, [counts.part, discards.part]);
    expect(await after.reference.waitFor(end, 2000)).to.equal(true);
    expect([counts.restored(), discards.restored()]).to.deep.equal([0, 1]);
    expect([counts.count(), discards.count()]).to.deep.equal([50, 1]);
    await after.close();
  });

  it('writes only the slices that have changed, and last of all where everything is', async () => {
    const log = createMemoryEventStore();
    const { stateStore, written } = watched(createMemoryDocumentStore());
    const { reference, close } = await open(
      log,
      stateStore,
      [counters('Counted').part, counters('Discarded').part],
      50,
    );
    await appendPlain(log, 'counter-1', [...fifty.slice(1), discarded()]);
    await reference.waitFor(await log.head(), 2000);
    await reference.waitFor(await appendPlain(log, 'counter-1', fifty.slice(0, 1)), 2000);
    await close();
    const slice = (of: string, position: number) =>
      `${of}/000000001-000000000-${String(position).padStart(16, '0')}-000000`;
    expect(written).to.deep.equal([
      [slice(countedId, 49)],
      [slice(discardedId, 50)],
      [countedId, discardedId],
      [slice(countedId, 51)],
      [countedId, discardedId],
    ]);
  });

  it('keeps a part that came later, though nothing has been appended since', async () => {
    const log = createMemoryEventStore();
    const stateStore = createMemoryDocumentStore();
    const end = await appendPlain(log, 'counter-1', fifty);
    const first = await open(log, stateStore, [counters('Counted').part]);
    await first.reference.waitFor(end, 2000);
    await first.close();

    const second = await open(log, stateStore, [counters('Counted').part, counters('Discarded').part]);
    await second.reference.waitFor(end, 2000);
    await second.close();

    const third = await open(log, stateStore, [counters('Counted').part, counters('Discarded').part]);
    await third.reference.waitFor(end, 2000);
    expect([third.reference.position(), third.decoded()]).to.deep.equal([end, 0]);
    await third.close();
  });

  it('counts nothing twice after a kill between snapshots', async () => {
    const log = createMemoryEventStore();
    const stateStore = createMemoryDocumentStore();
    for (let life = 0; life < 4; life++) {
      const { reference, kill } = await open(log, stateStore, [counters('Counted').part], 30);
      await reference.waitFor(await appendPlain(log, 'counter-1', fifty.slice(life * 7)), 2000);
      await kill();
    }
    const counts = counters('Counted');
    const { reference, close } = await open(log, stateStore, [counts.part]);
    const head = await log.head();
    await reference.waitFor(head, 2000);
    expect(counts.count()).to.equal(head);
    await close();
  });

  it('is saved after a number of folded events, however far apart their positions are', async () => {
    const log = createMemoryEventStore();
    const stateStore = createMemoryDocumentStore();
    const kept = () => stateStore.get(collection, countedId);
    const { reference, kill } = await open(log, stateStore, [counters('Counted').part], 30);
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

  for (const [how, damage] of Object.entries({
    'a turned digit': (text: string) => text.replace('50', '05'),
    'a lost end': (text: string) => text.slice(0, -2),
    'no text at all': () => '',
  }))
    it(`drops a snapshot with ${how}, reads the log instead, and keeps a whole one`, async () => {
      const log = createMemoryEventStore();
      const stateStore = createMemoryDocumentStore();
      const before = await open(log, stateStore, [counters('Counted').part]);
      const end = await appendPlain(log, 'counter-1', fifty);
      await before.reference.waitFor(end, 2000);
      await before.close();
      const [slice] = (await stateStore.find<Document & { readonly text?: string }>(collection, {})).filter(
        ({ text }) => text !== undefined,
      );
      const text = damage(slice?.text ?? '');
      expect(text).to.not.equal(slice?.text);
      await stateStore.updateIf(collection, { _id: slice?._id ?? '' }, { set: { text } });

      const damaged = counters('Counted');
      const after = await open(log, stateStore, [damaged.part]);
      await after.reference.waitFor(end, 2000);
      expect([damaged.count(), after.decoded()]).to.deep.equal([50, 50]);
      await after.close();
      const whole = counters('Counted');
      const later = await open(log, stateStore, [whole.part]);
      await later.reference.waitFor(end, 2000);
      expect([whole.count(), later.decoded()]).to.deep.equal([50, 0]);
      await later.close();
    });

  it('takes slices of an older release, which have no hash', async () => {
    const log = createMemoryEventStore();
    const stateStore = createMemoryDocumentStore();
    const before = await open(log, stateStore, [counters('Counted').part]);
    const end = await appendPlain(log, 'counter-1', fifty);
    await before.reference.waitFor(end, 2000);
    await before.close();
    for (const { _id } of await stateStore.find(collection, {}))
      await stateStore.updateIf(collection, { _id }, { unset: ['hash'] });
    const counts = counters('Counted');
    const after = await open(log, stateStore, [counts.part]);
    await after.reference.waitFor(end, 2000);
    expect([counts.count(), after.decoded()]).to.deep.equal([50, 0]);
    await after.close();
  });

  it('is folded again when the log was restored to before its snapshots, then and at later starts', async () => {
    const stateStore = createMemoryDocumentStore();
    const lostLog = createMemoryEventStore();
    const before = await open(lostLog, stateStore, [counters('Counted').part, counters('Discarded').part]);
    await before.reference.waitFor(await appendPlain(lostLog, 'counter-1', fifty), 2000);
    await before.close();

    const log = createMemoryEventStore();
    let end = await appendPlain(log, 'counter-1', fifty.slice(0, 20));
    for (const more of [10, 30]) {
      const counts = counters('Counted');
      const discards = counters('Discarded');
      const after = await open(log, stateStore, [counts.part, discards.part]);
      await after.reference.waitFor(end, 2000);
      expect([counts.count(), discards.count()]).to.deep.equal([end, 0]);
      end = await appendPlain(log, 'counter-1', fifty.slice(0, more));
      await after.reference.waitFor(end, 2000);
      expect(counts.count()).to.equal(end);
      await after.close();
    }
    const counts = counters('Counted');
    const last = await open(log, stateStore, [counts.part, counters('Discarded').part]);
    await last.reference.waitFor(end, 2000);
    expect([counts.count(), counts.restored(), last.decoded()]).to.deep.equal([60, 1, 0]);
    await last.close();
  });

  it('is folded again when the log was restored and grew past its snapshots, event for event', async () => {
    const stateStore = createMemoryDocumentStore();
    const lostLog = createMemoryEventStore();
    const before = await open(lostLog, stateStore, [counters('Counted').part]);
    await before.reference.waitFor(await appendPlain(lostLog, 'counter-1', fifty), 2000);
    await before.close();

    const log = createMemoryEventStore();
    const end = await appendPlain(log, 'counter-1', [...fifty.slice(0, 20), ...fifty.map(discarded)]);
    const counts = counters('Counted');
    const after = await open(log, stateStore, [counts.part]);
    await after.reference.waitFor(end, 2000);
    expect([counts.count(), counts.restored()]).to.deep.equal([20, 0]);
    await after.close();
    const next = counters('Counted');
    const last = await open(log, stateStore, [next.part]);
    await last.reference.waitFor(end, 2000);
    expect([next.count(), next.restored()]).to.deep.equal([20, 1]);
    await last.close();
  });

  it('is taken from a snapshot of an older release, which kept no ids, and knows them from then on', async () => {
    const stateStore = createMemoryDocumentStore();
    const log = createMemoryEventStore();
    const end = await appendPlain(log, 'counter-1', fifty);
    const before = await open(log, stateStore, [counters('Counted').part]);
    await before.reference.waitFor(end, 2000);
    await before.close();
    await stateStore.updateIf(collection, { _id: countedId }, { unset: ['eventId'] });
    const counts = counters('Counted');
    const { close } = await open(log, stateStore, [counts.part]);
    expect([counts.count(), counts.restored()]).to.deep.equal([50, 1]);
    const [last] = (await log.readAll(end - 1)).map(({ id }) => id);
    expect(await stateStore.get(collection, countedId)).to.include({ position: end, eventId: last });
    await close();
  });

  it('keeps the snapshot that another process has put in place of one that the log does not hold', async () => {
    const stateStore = createMemoryDocumentStore();
    const lostLog = createMemoryEventStore();
    const before = await open(lostLog, stateStore, [counters('Counted').part]);
    await before.reference.waitFor(await appendPlain(lostLog, 'counter-1', fifty), 2000);
    await before.close();

    const log = faultyEventStore(createMemoryEventStore());
    const end = await appendPlain(log, 'counter-1', fifty.slice(0, 20));
    const other = async (): Promise<void> => {
      const first = await open(log, stateStore, [counters('Counted').part]);
      await first.reference.waitFor(end, 2000);
      await first.close();
    };
    log.runBefore('eventAt', () => true, other);
    const counts = counters('Counted');
    const { reference, close } = await open(log, stateStore, [counts.part]);
    await reference.waitFor(end, 2000);
    expect([counts.count(), counts.restored()]).to.deep.equal([20, 1]);
    await close();
  });
});
