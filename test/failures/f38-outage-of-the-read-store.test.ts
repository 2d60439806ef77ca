import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { Leases } from '#runtime/leases.ts';
import {
  counted,
  counters,
  discards,
  foldCounters,
  grandTotal,
  type Counter,
} from '#test/support/counting-shop.ts';
import { appendPlain, wholeLog } from '#test/support/plain-log.ts';
import { openProjections, type ProjectionRuntime } from '#test/support/open-projections.ts';

const views = [discards, { ...counters, counters: () => ({ documents: 1 }) }, grandTotal];

/** A read store that can be away: what is asked meanwhile is refused. */
const withDoor = (store: DocumentStore) => {
  const door = { isOpen: true };
  const behind = new Proxy(store, {
    get: (it, name) => {
      const value: unknown = Reflect.get(it, name);
      if (typeof value !== 'function') return value;
      return async (...parameters: unknown[]) => {
        if (!door.isOpen) throw new EngineUnavailable('the read store is away');
        // The answers of a server come a little later, so that two followers would get in each other's way.
        await pause(1);
        return Reflect.apply(value, it, parameters) as unknown;
      };
    },
  });
  return { door, behind };
};

/** A lease that is lost at its next renewal, when told so, and had again at once. */
const losableLeases = () => {
  const state = { isLost: false, given: 0 };
  const leases: Leases = {
    acquire: (name) => {
      state.isLost = false;
      state.given++;
      return Promise.resolve({
        name,
        attempt: state.given,
        renew: () => Promise.resolve(!state.isLost),
        release: () => Promise.resolve(),
      });
    },
  };
  return { state, leases };
};

describe('F38: the read store is away until the lease of the views is lost', () => {
  const log = createMemoryEventStore();
  const readStore = createMemoryDocumentStore();
  const { door, behind } = withDoor(readStore);
  const { state, leases } = losableLeases();
  let runtime: ProjectionRuntime;
  let streams = 0;
  before(async () => {
    runtime = await openProjections({ log, projections: views, readStore: behind, leases });
  });
  after(() => runtime.stop());

  const sell = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index++) await appendPlain(log, `counter-${streams++}`, [counted(1)]);
  };
  const changeEach = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index++) await appendPlain(log, `counter-${index % 30}`, [counted(1)]);
  };
  const settled = async (): Promise<void> => {
    const head = await log.head();
    for (const { name } of views) {
      const { isReached } = await runtime.engine.waitFor(name, head, 20_000);
      expect(isReached, name).to.equal(true);
    }
  };
  const followers = () => runtime.feed.followers.map(({ name }) => name).toSorted();
  const expectAsInLog = async (): Promise<void> => {
    const found = await runtime.reader.find<Counter>('counters', { limit: 1000 });
    const wanted = foldCounters(await wholeLog(log));
    expect(new Map(found.map(({ _id, total }) => [_id, total]))).to.deep.equal(
      new Map(wanted.values().map(({ _id, total }) => [_id, total])),
    );
    expect(await runtime.reader.counters('counters')).to.deep.equal({ documents: wanted.size });
    const all = await runtime.reader.get<Counter>('grandTotal', 'all');
    expect(all?.total).to.equal((await wholeLog(log)).length);
  };

  for (const round of [1, 2]) {
    it(`afterwards each view has one follower, and lists and counts are those of the log (outage ${round})`, async () => {
      await sell(30);
      await settled();
      door.isOpen = false;
      await sell(10);
      const before = state.given;
      state.isLost = true;
      while (state.given === before) await pause(20);
      door.isOpen = true;
      await sell(40);
      await settled();
      expect(followers()).to.deep.equal(views.map(({ name }) => `projection ${name}`).toSorted());
      expect([...runtime.engine.followers().values()]).to.deep.equal([1, 1, 1]);
      await Promise.all([sell(60), changeEach(90)]);
      await settled();
      await expectAsInLog();
    });
  }
});
