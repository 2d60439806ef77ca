import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import type { EventStore, StoredEvent } from '#ports/event-store.ts';
import { finishFill } from '#projection/engine/rebuild.ts';
import {
  fillViews,
  resumeFill,
  startFills,
  type FillOptions,
  type RebuildProgress,
} from '#projection/engine/rebuilds/fill-views.ts';
import {
  counted,
  counters,
  discarded,
  discards,
  foldCounters,
  grandTotal,
  type Counter,
} from '#test/support/counting-shop.ts';
import { faultyEventStore } from '#test/support/faults.ts';
import { appendPlain, plainDecoder, wholeLog } from '#test/support/plain-log.ts';
import { when } from '#test/support/refusal.ts';

const fillLog = async (log: EventStore): Promise<number> => {
  let end = 0;
  for (let stream = 0; stream < 60; stream++) {
    const events = Array.from({ length: 50 }, (_, index) => counted(index + stream));
    end = await appendPlain(log, `counter-${stream % 20}`, [...events, discarded(), counted(1)]);
  }
  return end;
};

const plain = ({ _id, total, seen }: Counter): Counter => ({ _id, total, seen });

const expectFold = async (events: readonly StoredEvent[], readStore: DocumentStore, collection: string) => {
  const log = createMemoryEventStore();
  for (const { stream, revision, ...event } of events) await log.append(stream, revision - 1, [event]);
  const found = await readStore.find<Counter>(collection);
  const expected = [...foldCounters(await wholeLog(log)).values()];
  expect(found.map(plain)).to.have.deep.members(expected);
};

const open = async () => {
  const log = faultyEventStore(createMemoryEventStore());
  const end = await fillLog(log);
  const readStore = createMemoryDocumentStore();
  const codec = plainDecoder();
  const options: FillOptions = { store: log, codec };
  return { log, end, readStore, codec, options };
};

const everything = async (log: EventStore): Promise<readonly StoredEvent[]> => {
  const events: StoredEvent[] = [];
  for (
    let page = await log.readAll(0);
    page.length > 0;
    page = await log.readAll(events.at(-1)?.position ?? 0)
  )
    events.push(...page);
  return events;
};

describe('filling views (docs/rules/replay.md#rebuild)', () => {
  it('ends at a position of the past, and says so by the event that is there', async () => {
    const { log, readStore, options } = await open();
    const fills = await startFills([counters, discards], readStore);
    await fillViews(fills, { ...options, upTo: 1234 });
    const events = await everything(log);
    for (const { generation } of fills)
      expect(generation.checkpoint).to.deep.equal({ position: 1234, eventId: events[1233]?.id });
    await expectFold(events.slice(0, 1234), readStore, 'counters_v1_1');
  });

  it('reads only the types that its views want, once, and tells its phases', async () => {
    const { end, readStore, codec, options } = await open();
    const told: RebuildProgress[] = [];
    const fills = await startFills([discards], readStore);
    await fillViews(fills, { ...options, onProgress: (progress) => void told.push(progress) });
    expect([...codec.decoded.values()]).to.deep.equal(Array.from({ length: 60 }, () => 1));
    expect(told.at(-1)).to.deep.include({ position: end, head: end });
    expect(new Set(told.map(({ phase }) => phase))).to.deep.equal(new Set(['filling', 'indexes']));
    expect(fills[0]?.generation.checkpoint.position).to.equal(end);
  });

  it('takes what comes while it fills and while indexes are made', async () => {
    const { log, readStore, options } = await open();
    const [fill] = await startFills([counters], readStore);
    const phases: string[] = [];
    const onProgress = ({ phase }: RebuildProgress): void => {
      if (phases.at(-1) !== phase) phases.push(phase);
    };
    const declare = readStore.declare.bind(readStore);
    readStore.declare = async (...declared) => {
      await appendPlain(log, 'counter-1', [counted(5)]);
      return declare(...declared);
    };
    await fillViews(fill ? [fill] : [], { ...options, onProgress });
    expect(phases).to.deep.equal(['filling', 'indexes', 'catching up']);
    expect(fill?.generation.checkpoint.position).to.equal(await log.head());
    await expectFold(await everything(log), readStore, 'counters_v1_1');
  });

  it('goes on from what was kept, not from the beginning, once it was cut short', async () => {
    const { log, end, readStore, codec, options } = await open();
    const stop = new AbortController();
    const [fill] = await startFills([grandTotal], readStore);
    if (!fill) return expect.fail('nothing was begun');
    const onProgress = ({ position }: RebuildProgress): void => {
      if (position > 2000) stop.abort();
    };
    // Five seconds for each page.
    const now = (): number => codec.decoded.size * 5;
    const cut = fillViews([fill], { ...options, onProgress, signal: stop.signal, now });
    expect((await when(cut).thenFails(Error)).name).to.equal('AbortError');
    const resumed = await resumeFill(grandTotal, 1, readStore);
    if (!resumed) return expect.fail('nothing is left');
    const from = resumed.generation.checkpoint.position;
    expect(from).to.be.greaterThan(900);
    await fillViews([resumed], options);
    expect((await finishFill(resumed, readStore)).collection).to.equal('grandTotal_v1_1');
    const total = (await wholeLog(log)).reduce((sum, { type, data }) => {
      return type === 'Counted' ? sum + (data as { by: number }).by : sum;
    }, 0);
    expect((await readStore.get<Counter>('grandTotal_v1_1', 'all'))?.total).to.equal(total);
    const twice = [...codec.decoded].filter(([, times]) => times > 1).map(([position]) => position);
    expect(Math.min(end, ...twice)).to.be.greaterThan(from);
  });

  describe('documents of all views that wait for the store', () => {
    /** Three views that change 450 documents each, half a second a page; at which second each write was begun. */
    const beginningsWhere = async (isTaken: (seconds: number) => boolean) => {
      const log = createMemoryEventStore();
      for (let index = 0; index < 2500; index++)
        await appendPlain(log, `counter-${index % 450}`, [counted(1)]);
      const readStore = createMemoryDocumentStore();
      const fills = await startFills(
        [counters, { ...counters, name: 'second' }, { ...counters, name: 'third' }],
        readStore,
      );
      let seconds = 0;
      const begun: [collection: string, seconds: number][] = [];
      const taken = Promise.withResolvers<void>();
      const write = readStore.write.bind(readStore);
      readStore.write = async (batch) => {
        begun.push([batch[0]?.collection ?? '', seconds]);
        await taken.promise;
        return write(batch);
      };
      const onProgress = (): void => {
        seconds += 0.5;
        if (isTaken(seconds)) taken.resolve();
      };
      const options = { store: log, codec: plainDecoder(), onProgress, pageSize: 250 };
      await fillViews(fills, { ...options, now: () => seconds * 1000 });
      return begun.slice(0, 3);
    };

    it('are a thousand at most: the next view has its turn once the store has taken those of the one before', async () => {
      expect(await beginningsWhere((seconds) => seconds >= 2.5)).to.deep.equal([
        ['counters_v1_1', 2],
        ['second_v1_1', 2],
        ['third_v1_1', 3],
      ]);
    });

    it('may be more where the store is slow, so that none is kept later than after 3.5 seconds', async () => {
      expect(await beginningsWhere((seconds) => seconds >= 4)).to.deep.equal([
        ['counters_v1_1', 2],
        ['second_v1_1', 2],
        ['third_v1_1', 3.5],
      ]);
    });
  });

  it('ends where a view is given up whose documents the store refuses', async () => {
    const { readStore, options } = await open();
    const [fill] = await startFills([counters], readStore);
    if (!fill) return expect.fail('nothing was begun');
    let refusals = 0;
    readStore.write = () => {
      refusals++;
      void fill.giveUp();
      return Promise.reject(new TypeError('too long'));
    };
    await fillViews([fill], options);
    expect([refusals, fill.poison]).to.deep.equal([1, null]);
  });

  it('has nothing to go on with where the generation was dropped', async () => {
    const { readStore } = await open();
    expect(await resumeFill(counters, 7, readStore)).to.equal(null);
  });
});
