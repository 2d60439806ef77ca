import { expect } from 'chai';
import { openEventStoreDb } from '#adapters/eventstoredb/eventstoredb-event-store.ts';
import { NO_STREAM, START, type EventStore } from '#ports/event-store.ts';
import { EventStoreDouble } from '#test/support/eventstoredb/double-server.ts';
import { anEvent, newStream, rejectionOf, someEvents } from './event-store.contract.ts';

/** More than the adapter goes through by itself. */
const STATISTICS_OF_A_MONTH = 100_000;

describe("the head of EventStoreDB's log", () => {
  let double: EventStoreDouble;
  let store: EventStore;
  beforeEach(async () => {
    double = await new EventStoreDouble().start();
    store = await openEventStoreDb({ address: double.address });
  });
  afterEach(async () => {
    await store.close();
    double.close();
  });

  const append = async (): Promise<number> =>
    (await store.append(newStream(), NO_STREAM, someEvents(2))).position;
  const callsOfHead = async (expected: number): Promise<number> => {
    const { readAll = 0, ...others } = await double.calls.during(async () =>
      expect(await store.head()).to.equal(expected),
    );
    expect(others).to.deep.equal({});
    return readAll;
  };

  it('takes one call where an event of the shop is the last', async () => {
    expect(await callsOfHead(await append())).to.equal(1);
  });

  for (const [what, count] of [
    ['some', 3],
    ['1,000', 1000],
    ['100,000', STATISTICS_OF_A_MONTH],
  ] as const) {
    it(`takes one call more behind ${what} events of the server, and that only once`, async () => {
      const last = await append();
      await store.head();
      double.log.addStatistics(count);
      expect(await callsOfHead(last)).to.equal(2);
      expect(await callsOfHead(last)).to.equal(1);
      double.log.addStatistics(1);
      expect(await callsOfHead(last)).to.equal(2);
      expect(await callsOfHead(await append())).to.equal(1);
    });

    it(`takes two calls behind ${what} events of the server in a process that has just begun`, async () => {
      const last = await append();
      double.log.addStatistics(count);
      expect(await callsOfHead(last)).to.equal(2);
    });
  }

  it("is found among the server's events", async () => {
    await store.head();
    double.log.addStatistics(40);
    const last = await append();
    double.log.addStatistics(40);
    expect(await callsOfHead(last)).to.equal(2);
  });

  it('is the start in a log that holds nothing of the shop', async () => {
    expect(await callsOfHead(START)).to.equal(2);
    double.log.addStatistics(10);
    expect(await callsOfHead(START)).to.equal(2);
  });

  it('is not that of a log that was restored to an older state, until the process starts again', async () => {
    const older = await append();
    double.log.addStatistics(1);
    const newer = await append();
    expect(await store.head()).to.equal(newer);
    double.stop();
    double.log.restoreTo(older);
    double.log.addStatistics(1);
    await double.start();
    await rejectionOf(store.ping());
    expect(String(await rejectionOf(store.ping()))).to.include(
      `does not hold the event at position ${newer}`,
    );
    await store.close();
    store = await openEventStoreDb({ address: double.address });
    expect(await callsOfHead(older)).to.equal(2);
  });

  it('is asked for once more for all who come while an answer is on its way', async () => {
    const last = await append();
    double.faults.delayMilliseconds = 30;
    const { readAll } = await double.calls.during(async () => {
      const asked = Array.from({ length: 50 }, () => store.head());
      expect(new Set(await Promise.all(asked))).to.deep.equal(new Set([last]));
    });
    expect(readAll).to.equal(2);
  });

  it('is never older than the question', async () => {
    double.faults.delayMilliseconds = 2;
    const stream = newStream();
    let asking = true;
    const others = (async () => {
      while (asking) await store.head();
    })();
    for (let revision = NO_STREAM; revision < 60; revision++) {
      const { position } = await store.append(stream, revision, [anEvent()]);
      expect(await store.head()).to.equal(position);
    }
    asking = false;
    await others;
  });

  it('fails for those who asked together, and is asked for again by the next', async () => {
    const last = await append();
    double.faults.refusal = 'no leader';
    const refusals = await Promise.all([rejectionOf(store.head()), rejectionOf(store.head())]);
    expect(refusals.map(String).join()).to.include('No leader info');
    double.faults.refusal = null;
    expect(await store.head()).to.equal(last);
  });
});
