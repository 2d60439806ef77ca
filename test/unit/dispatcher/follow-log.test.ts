import { expect } from 'chai';
import { getEventListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createMemoryBus } from '#adapters/memory/memory-bus.ts';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { followLog, type LogFollower, type LogMapping } from '#dispatcher/engine/follow-log.ts';
import { resumeFollower } from '#dispatcher/engine/follower-checkpoint.ts';
import { resumeDispatch } from '#dispatcher/engine/resume-dispatch.ts';
import type { EventDecoder } from '#log/decode-page.ts';
import type { StoppedAt } from '#log/feed-follower.ts';
import { createFeed } from '#log/feed.ts';
import { createLeases } from '#runtime/leases.ts';
import { newId } from '#kernel/ids.ts';
import type { Document } from '#kernel/projection.ts';
import type { Bus, BusMessage } from '#ports/bus.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { EventStore } from '#ports/event-store.ts';
import { appendPlain, plainDecoder, shopClock, silentLog } from '#test/support/plain-log.ts';
import { when } from '#test/support/refusal.ts';

interface Row extends Document {
  readonly status: string;
  readonly opened: number;
}

const olderIdOf = (eventId: string): string => `older ${eventId}`;

/** A row for each event that is announced while doors are open; the state counts the openings. */
const mapping: LogMapping<{ readonly isOpen: boolean; readonly opened: number }> = {
  name: 'rows',
  eventTypes: ({ isOpen }) => new Set(['Opened', 'Closed', ...(isOpen ? ['Announced', 'Broken'] : [])]),
  initial: { isOpen: false, opened: 0 },
  evolve: (state, { type }) => {
    if (type === 'Opened') return { isOpen: true, opened: state.opened + 1 };
    return type === 'Closed' ? { ...state, isOpen: false } : state;
  },
  outgoing: ({ isOpen, opened }, { type, id, position }, { hasOlderIds }) => {
    if (type === 'Broken') throw new Error('cannot be mapped');
    if (type !== 'Announced' || !isOpen) return [];
    const _id = hasOlderIds ? olderIdOf(id) : id;
    const put: Row = { _id, status: 'new', opened };
    return [{ writes: [{ collection: 'rows', put, position }], messages: [{ key: 'one', value: _id }] }];
  },
};

const event = (type: string) => ({ type, data: {} });
const events = (...types: readonly string[]) => types.map(event);

describe('the follower of the log', () => {
  let log: EventStore;
  let stateStore: DocumentStore;
  let bus: Bus;
  const running: { stop(): Promise<void> }[] = [];
  let published: string[];
  /** The types of the events that were decoded for it. */
  let decoded: string[];

  const spiedBus = (fails: () => boolean = () => false): Bus => {
    const real = createMemoryBus();
    return {
      ...real,
      declareTopic: (topic, partitions) => real.declareTopic(topic, partitions),
      publish: async (_: string, messages: readonly BusMessage[]) => {
        if (fails()) throw new EngineUnavailable('the bus is away');
        published.push(...messages.map(({ value }) => value));
      },
    } as Bus;
  };

  const start = async (onBus: Bus = bus, mostRows = 500) => {
    const decoder = plainDecoder();
    const codec: EventDecoder = {
      decodeAll: (batch) => {
        decoded.push(...batch.map(({ type }) => type));
        return decoder.decodeAll(batch);
      },
    };
    const feed = createFeed({ store: log, codec, clock: shopClock, log: silentLog });
    const leases = createLeases({ stateStore, instanceId: newId(), isOnlyWriter: true });
    const follower = await followLog({
      mapping,
      topic: 'rows',
      feed,
      stateStore,
      personalTexts: { sealers: async () => new Map() },
      bus: onBus,
      mostRows,
      leases,
      clock: shopClock,
      log: silentLog,
    });
    await feed.start();
    const stop = async (): Promise<void> => {
      await follower.stop();
      await feed.stop();
    };
    running.push({ stop });
    return { follower, stop, feed };
  };
  const rows = () => stateStore.find<Row>('rows');

  beforeEach(() => {
    log = createMemoryEventStore();
    stateStore = createMemoryDocumentStore();
    published = [];
    decoded = [];
    bus = spiedBus();
  });
  afterEach(async () => {
    for (const one of running.splice(0)) await one.stop();
  });

  it('turns events into rows and messages with what was known when they happened', async () => {
    const end = await appendPlain(
      log,
      'door-1',
      events('Announced', 'Opened', 'Announced', 'Closed', 'Announced', 'Opened', 'Announced'),
    );
    const { follower } = await start();
    expect(await follower.waitFor(end, 2000)).to.equal(true);
    expect((await rows()).map(({ opened }) => opened).toSorted()).to.deep.equal([1, 2]);
    expect(published).to.have.members((await rows()).map(({ _id }) => _id));
  });

  it('writes no more rows together than it is told', async () => {
    const end = await appendPlain(log, 'door-1', events('Opened', ...Array<string>(5).fill('Announced')));
    const { write } = stateStore;
    const written: number[] = [];
    stateStore.write = (batch) => {
      written.push(batch.filter(({ collection }) => collection === 'rows').length);
      return write.call(stateStore, batch);
    };
    const { follower } = await start(bus, 2);
    expect(await follower.waitFor(end, 2000)).to.equal(true);
    expect(written.filter((count) => count > 0)).to.deep.equal([2, 2, 1]);
  });

  it('resumes from its checkpoint with its state', async () => {
    await appendPlain(log, 'door-1', events('Opened', 'Announced'));
    const first = await start();
    await first.follower.waitFor(2, 2000);
    await first.stop();
    const end = await appendPlain(log, 'door-1', events('Announced'));
    const second = await start();
    await second.follower.waitFor(end, 2000);
    expect((await rows()).map(({ opened }) => opened)).to.deep.equal([1, 1]);
    expect(published).to.have.length(2);
  });

  it('folds nothing twice when it is killed between its state and its checkpoint', async () => {
    await appendPlain(log, 'door-1', events('Opened', 'Announced'));
    const first = await start();
    await first.follower.waitFor(2, 2000);
    await first.stop();
    const mark = await stateStore.get('dispatcherCheckpoints', 'rows');
    await appendPlain(log, 'door-1', events('Closed', 'Opened'));
    const second = await start();
    await second.follower.waitFor(4, 2000);
    await second.stop();
    // An engine without transactions had written the one, and not the other.
    await stateStore.write([{ collection: 'dispatcherCheckpoints', remove: 'rows' }]);
    await stateStore.write([{ collection: 'dispatcherCheckpoints', put: mark ?? { _id: 'rows' } }]);

    const end = await appendPlain(log, 'door-1', events('Announced'));
    const third = await start();
    expect(await third.follower.waitFor(end, 2000)).to.equal(true);
    expect((await rows()).map(({ opened }) => opened).toSorted()).to.deep.equal([1, 2]);
    expect(published).to.have.length(2);
  });

  it('leaves existing rows alone after a crash, and wakes the workers again', async () => {
    const end = await appendPlain(log, 'door-1', events('Opened', 'Announced'));
    const first = await start();
    await first.follower.waitFor(end, 2000);
    await first.stop();
    await stateStore.drop('dispatcherCheckpoints');
    await stateStore.updateIf('rows', { _id: published[0] ?? '' }, { set: { status: 'done' } });
    const second = await start();
    await second.follower.waitFor(end, 2000);
    expect((await rows()).map(({ status }) => status)).to.deep.equal(['done']);
    expect(published).to.have.length(2);
  });

  it('retries a batch while the bus is unavailable, from the state before it', async () => {
    let failures = 2;
    const end = await appendPlain(log, 'door-1', events('Opened', 'Announced', 'Closed'));
    const { follower } = await start(spiedBus(() => failures-- > 0));
    expect(await follower.waitFor(end, 4000)).to.equal(true);
    expect(published).to.have.length(1);
    expect((await rows()).map(({ opened }) => opened)).to.deep.equal([1]);
  });

  it('stops at an event that cannot be mapped, after handling all before it', async () => {
    await appendPlain(log, 'door-1', events('Opened', 'Announced', 'Broken', 'Announced'));
    const { follower } = await start();
    expect(await follower.waitFor(2, 2000)).to.equal(true);
    while (!follower.stopped) await new Promise((resolve) => setImmediate(resolve));
    expect(follower.stopped).to.deep.equal({ position: 3, message: 'cannot be mapped' });
    expect(published).to.have.length(1);
  });

  it('reads only event types that matter, and misses none once they do', async () => {
    const { follower } = await start();
    const idle = await appendPlain(log, 'door-1', events('Announced', 'Announced'));
    expect(await follower.waitFor(idle, 2000)).to.equal(true);
    const open = await appendPlain(log, 'door-2', events('Announced', 'Opened', 'Announced', 'Announced'));
    expect(await follower.waitFor(open, 2000)).to.equal(true);
    const closed = await appendPlain(log, 'door-3', events('Announced', 'Closed', 'Announced'));
    expect(await follower.waitFor(closed, 2000)).to.equal(true);
    expect(published).to.have.length(3);
    const later = await appendPlain(log, 'door-4', events('Announced'));
    expect(await follower.waitFor(later, 2000)).to.equal(true);
    expect(published).to.have.length(3);
    expect(decoded).to.deep.equal([
      'Opened',
      ...['Announced', 'Announced'],
      ...['Announced', 'Closed', 'Announced'],
    ]);
  });

  it('listens once for its end, however often the types change', async () => {
    const signals: AbortSignal[] = [];
    const { any } = AbortSignal;
    AbortSignal.any = (given) => {
      const signal = any.call(AbortSignal, given);
      signals.push(signal);
      return signal;
    };
    try {
      const { follower } = await start();
      const changes = ['Opened', 'Closed', 'Opened', 'Closed', 'Opened', 'Closed'];
      for (const type of changes)
        await follower.waitFor(await appendPlain(log, 'door-1', events(type)), 2000);
      const listeners = signals.map((signal) => getEventListeners(signal, 'abort').length);
      expect(signals).to.not.be.empty;
      expect(Math.max(...listeners)).to.be.below(changes.length);
    } finally {
      AbortSignal.any = any;
    }
  });

  const checkpoints = 'dispatcherCheckpoints';
  const markAt = (position: number, more: object = {}) =>
    stateStore.write([{ collection: checkpoints, put: { _id: 'rows', position, ...more } as Document }]);
  const idsInLog = async () => (await log.readAll(0)).slice(1).map(({ id }) => id);
  const idsOfRows = async () => (await rows()).map(({ _id }) => _id);

  it('keeps the ids of rows that an older release may have written, and gives later rows new ones', async () => {
    const head = await appendPlain(log, 'door-1', events('Opened', 'Announced', 'Announced', 'Announced'));
    const [first = '', second = '', third = ''] = await idsInLog();
    // The release before had come to the second event, and had written a row of the third when it was stopped.
    const state: Document & object = {
      _id: 'rows state',
      ...{ position: 2, state: { isOpen: true, opened: 1 } },
    };
    const written: Row = { _id: olderIdOf(second), status: 'done', opened: 1 };
    await stateStore.write([
      { collection: checkpoints, put: state },
      { collection: 'rows', put: { ...written, _id: olderIdOf(first) }, position: 2 },
      { collection: 'rows', put: written, position: 3 },
    ]);
    await markAt(2);
    const upgraded = await start();
    expect(await upgraded.follower.waitFor(head, 2000)).to.equal(true);
    const last = await appendPlain(log, 'door-1', events('Announced'));
    expect(await upgraded.follower.waitFor(last, 2000)).to.equal(true);
    await upgraded.stop();
    const fourth = (await idsInLog()).at(-1) ?? '';
    const expected = [...[first, second, third].map(olderIdOf), fourth];
    expect(await idsOfRows()).to.have.members(expected);
    expect(await stateStore.get<Row>('rows', olderIdOf(second))).to.deep.include({ status: 'done' });

    // Killed before its first checkpoint: by then the log had grown.
    await markAt(2, { idsSince: head });
    const again = await start();
    expect(await again.follower.waitFor(last, 2000)).to.equal(true);
    expect(await idsOfRows()).to.have.members(expected);
  });

  it('notes where its ids begin before it writes a row', async () => {
    const marks: unknown[] = [];
    const { write } = stateStore;
    stateStore.write = async (writes) => {
      if (writes.some(({ collection }) => collection === 'rows'))
        marks.push(await stateStore.get(checkpoints, 'rows'));
      return write.call(stateStore, writes);
    };
    const none = await appendPlain(log, 'door-1', events('Opened', 'Announced'));
    const first = await start();
    expect(await first.follower.waitFor(none, 2000)).to.equal(true);
    await first.stop();
    expect(await idsOfRows()).to.deep.equal(await idsInLog());
    expect(marks).to.deep.equal([{ _id: 'rows', position: 0, idsSince: 0 }]);

    await markAt(none);
    const behind = await appendPlain(log, 'door-1', events('Announced'));
    const second = await start();
    expect(await second.follower.waitFor(behind, 2000)).to.equal(true);
    expect(marks.at(-1)).to.deep.include({ _id: 'rows', position: none, idsSince: behind });
  });

  /** The log as it was after its first events, in place of the present one. */
  const restoreLog = async (upTo: number): Promise<number> => {
    const kept = (await log.readAll(0)).slice(0, upTo);
    log = createMemoryEventStore();
    let end = 0;
    for (const { stream, revision, ...one } of kept)
      end = (await log.append(stream, revision - 1, [one])).position;
    return end;
  };

  const resume = (from: number | 'now') =>
    resumeDispatch(
      log,
      [{ name: 'rows', resume: (wish) => resumeFollower('rows', { stateStore, store: log }, wish) }],
      from,
    );
  const whenWaiting = async (follower: LogFollower): Promise<StoppedAt> => {
    while (!follower.stopped) await nextTurn();
    return follower.stopped;
  };
  const lost = ['Announced', 'Closed', 'Opened', 'Opened', 'Announced'];
  /** Three rows have gone out, and with age been purged, when the log is restored to its first two events. */
  const restoredShop = async (): Promise<void> => {
    await appendPlain(log, 'door-1', events('Opened', 'Announced', ...lost));
    const first = await start();
    await first.follower.waitFor(7, 2000);
    await first.stop();
    expect(published.splice(0)).to.have.length(3);
    await stateStore.drop('rows');
    await restoreLog(2);
  };

  for (const [growth, grown] of [
    ['has not grown since', 0],
    ['has grown to before the checkpoint', 3],
    ['has grown to the checkpoint', 5],
    ['has grown past the checkpoint', 20],
  ] as const) {
    it(`waits when the log was restored and ${growth}, until someone says where to go on: now`, async () => {
      await restoredShop();
      const more = Array.from({ length: grown }, () => 'Announced');
      const head = grown === 0 ? 2 : await appendPlain(log, 'door-1', events(...more));
      const { follower, stop } = await start();
      const { position, message } = await whenWaiting(follower);
      expect(position).to.equal(7);
      expect(message).to.include('tillroll dispatch resume').and.include('never told');
      await follower.waitFor(head, 50);
      expect([published, await rows()]).to.deep.equal([[], []]);

      expect(await resume('now')).to.deep.equal({ after: head, resumed: ['rows'] });
      const next = await appendPlain(log, 'door-1', events('Announced'));
      expect(await follower.waitFor(next, 2000)).to.equal(true);
      expect(follower.stopped).to.equal(null);
      expect((await rows()).map(({ opened }) => opened)).to.deep.equal([1]);
      expect(published).to.have.length(1);
      await stop();

      const again = await start();
      const last = await appendPlain(log, 'door-2', events('Opened', 'Announced'));
      expect(await again.follower.waitFor(last, 2000)).to.equal(true);
      expect((await rows()).map(({ opened }) => opened).toSorted()).to.deep.equal([1, 2]);
    });
  }

  it('sends everything after the given position, even what it had sent before', async () => {
    await restoredShop();
    await appendPlain(log, 'door-1', events(...lost.slice(0, 1)));
    const { follower } = await start();
    await whenWaiting(follower);
    expect(await resume(1)).to.deep.equal({ after: 1, resumed: ['rows'] });
    expect(await follower.waitFor(3, 2000)).to.equal(true);
    expect(published).to.have.length(2);
  });

  it('sends everything when it resumes from 0', async () => {
    await restoredShop();
    const { follower } = await start();
    await whenWaiting(follower);
    await resume(0);
    const next = await appendPlain(log, 'door-1', events('Announced'));
    expect(await follower.waitFor(next, 2000)).to.equal(true);
    expect(published).to.have.length(2);
  });

  it('cannot resume from a position beyond the log, and needs no resume while it follows', async () => {
    await restoredShop();
    const { follower } = await start();
    await whenWaiting(follower);
    await when(resume(3)).thenRefused('invalid-request');
    expect(follower.stopped?.position).to.equal(7);
    await resume('now');
    expect((await resume(0)).resumed).to.deep.equal([]);
    const next = await appendPlain(log, 'door-1', events('Announced'));
    expect(await follower.waitFor(next, 2000)).to.equal(true);
    expect((await resume(0)).resumed).to.deep.equal([]);
    expect(published).to.have.length(1);
  });

  it('still skips the past when it is killed while it reads the restored log', async () => {
    await restoredShop();
    const { follower, stop } = await start();
    await whenWaiting(follower);
    await stop();
    await resume('now');
    const second = await start();
    const next = await appendPlain(log, 'door-1', events('Announced'));
    expect(await second.follower.waitFor(next, 2000)).to.equal(true);
    expect(published).to.have.length(1);
  });

  it('waits again when the log is restored once more while it skips the past', async () => {
    await restoredShop();
    await appendPlain(log, 'door-1', events('Announced', 'Announced'));
    const { follower, stop } = await start();
    await whenWaiting(follower);
    await stop();
    await resume('now');
    await restoreLog(3);
    await appendPlain(log, 'door-1', events('Announced', 'Announced', 'Announced'));
    const second = await start();
    expect((await whenWaiting(second.follower)).position).to.equal(4);
    expect(published).to.deep.equal([]);
  });

  it('resumes from an older release’s checkpoint without ids, and stores them from then on', async () => {
    const end = await appendPlain(log, 'door-1', events('Opened', 'Announced'));
    const first = await start();
    await first.follower.waitFor(end, 2000);
    await first.stop();
    for (const _id of ['rows', 'rows state'])
      await stateStore.updateIf(checkpoints, { _id }, { unset: ['eventId'] });
    const second = await start();
    while (!second.follower.isFollowing) await nextTurn();
    const eventId = (await log.eventAt(end))?.id;
    expect(await stateStore.get(checkpoints, 'rows')).to.deep.include({ position: end, eventId });
    await second.stop();
    expect(published).to.have.length(1);
  });
});
