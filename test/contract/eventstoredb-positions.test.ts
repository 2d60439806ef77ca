import { expect } from 'chai';
import { openEventStoreDb } from '#adapters/eventstoredb/eventstoredb-event-store.ts';
import { NoSuchPosition } from '#ports/engine-errors.ts';
import { NO_STREAM, type EventStore } from '#ports/event-store.ts';
import { EventStoreDouble } from '#test/support/eventstoredb/double-server.ts';
import { follow, newStream, rejectionOf, someEvents } from './event-store.contract.ts';

describe("positions that are no event's, in EventStoreDB", () => {
  let double: EventStoreDouble;
  let store: EventStore;
  /** In the middle of an event's record: before and behind it there are events. */
  let inside: number;
  beforeEach(async () => {
    double = await new EventStoreDouble().start();
    store = await openEventStoreDb({ address: double.address });
    inside = (await store.append(newStream(), NO_STREAM, someEvents(2))).position + 7;
    await store.append(newStream(), NO_STREAM, someEvents(2));
  });
  afterEach(async () => {
    await store.close();
    double.close();
  });

  for (const [which, isNewer] of [
    ['up to 23.10', false],
    ['of later servers', true],
  ] as const) {
    it(`are refused with a name, whatever the words ${which}, and disturb nothing`, async () => {
      double.faults.namesInvalidPositions = isNewer;
      for (const asked of [store.readAll(inside), follow(store, inside, 1)]) {
        const refusal = await rejectionOf(asked);
        expect(refusal).to.be.instanceOf(NoSuchPosition).and.include({ position: inside });
      }
      expect(await store.eventAt(inside)).to.equal(null);
      expect(store.disturbances?.()).to.equal(0);
    });
  }

  it('hold none of the shop where the server keeps an event of its own', async () => {
    double.log.addStatistics(1);
    const own = double.log.all.at(-1)?.position ?? 0;
    await store.append(newStream(), NO_STREAM, someEvents(1));
    expect(await store.eventAt(own)).to.equal(null);
  });
});
