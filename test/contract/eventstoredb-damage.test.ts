import { expect } from 'chai';
import { openEventStoreDb } from '#adapters/eventstoredb/eventstoredb-event-store.ts';
import { newId } from '#kernel/ids.ts';
import { EngineUnavailable, StreamDamaged } from '#ports/engine-errors.ts';
import { NO_STREAM, START, type EventStore } from '#ports/event-store.ts';
import { anyMeta, startTestEngine } from '#test/support/engine.ts';
import { EventStoreDouble } from '#test/support/eventstoredb/double-server.ts';
import { counter } from '../unit/engine/counter.ts';
import { newStream, rejectionOf, someEvents } from './event-store.contract.ts';

/** What an operator can do to a stream whose six events are 0 to 5. */
const ways: readonly (readonly [string, (double: EventStoreDouble, stream: string) => void])[] = [
  ['cut to its last events', ({ log }, stream) => log.cut(stream, 4)],
  ['cut to nothing by $maxAge', ({ log }, stream) => log.cut(stream, 6)],
  ['deleted for good', ({ log }, stream) => log.tombstone(stream)],
];

for (const withoutBatchAppend of [false, true]) {
  describe(`streams of EventStoreDB that somebody damaged, appending ${withoutBatchAppend ? 'one by one' : 'in batches'}`, () => {
    let double: EventStoreDouble;
    let store: EventStore;
    beforeEach(async () => {
      double = await new EventStoreDouble({ withoutBatchAppend }).start();
      store = await openEventStoreDb({ address: double.address });
    });
    afterEach(async () => {
      await store.close();
      double.close();
    });

    const expectDamage = async (work: Promise<unknown>, stream: string): Promise<void> => {
      const refusal = await rejectionOf(work);
      expect(refusal).to.be.instanceOf(StreamDamaged).and.include({ stream });
      expect(String(refusal)).to.include(stream);
    };

    for (const [what, damage] of ways) {
      it(`that are ${what} are not read as if they were whole`, async () => {
        const stream = newStream();
        await store.append(stream, NO_STREAM, someEvents(6));
        damage(double, stream);
        await expectDamage(store.readStream(stream), stream);
        await expectDamage(store.readStream(stream, { fromRevision: 0, limit: 1 }), stream);
      });

      it(`that are ${what} refuse the command that needs them, with their name, and take nothing`, async () => {
        const { another } = await startTestEngine();
        const id = newId();
        const take = (engine: ReturnType<typeof another>) =>
          engine.execute({
            decider: counter,
            id,
            command: { type: 'Take', pieces: 1 },
            context: () => 10,
            meta: anyMeta(newId()),
          });
        const before = another({ store });
        for (let count = 0; count < 6; count++) await take(before);
        await before.drain();
        const head = await store.head();
        damage(double, `stock-${id}`);
        const warnings: object[] = [];
        const log = { warn: (line: object) => void warnings.push(line) };
        const engine = another({ store, log });
        await expectDamage(take(engine), `stock-${id}`);
        await engine.drain();
        expect(await store.head()).to.equal(head);
        expect(warnings).to.have.length(1);
        expect(warnings[0]).to.have.property('err').that.is.instanceOf(StreamDamaged);
      });
    }

    it('still serve a reader of the part that is whole', async () => {
      const stream = newStream();
      await store.append(stream, NO_STREAM, someEvents(6));
      double.log.cut(stream, 4);
      expect(await store.readStream(stream, { fromRevision: 4 })).to.have.length(2);
      expect(await store.readStream(stream, { fromRevision: 6 })).to.deep.equal([]);
      expect(await store.readStream(stream, { direction: 'backwards', limit: 1 })).to.have.length(1);
    });

    it('that were deleted for good take no append', async () => {
      const stream = newStream();
      await store.append(stream, NO_STREAM, someEvents(1));
      double.log.tombstone(stream);
      await expectDamage(store.append(stream, 0, someEvents(1)), stream);
    });

    it('that were deleted and begun again are told by their revision', async () => {
      const stream = newStream();
      await store.append(stream, NO_STREAM, someEvents(3));
      double.log.deleteSoftly(stream);
      expect(await store.readStream(stream)).to.deep.equal([]);
      await expectDamage(store.append(stream, NO_STREAM, someEvents(1)), stream);
      await expectDamage(store.readStream(stream), stream);
    });
  });
}

describe('a user of EventStoreDB who may not read everything', () => {
  it('is refused with the right that is missing, and not tried again', async () => {
    const double = await new EventStoreDouble().start();
    const store = await openEventStoreDb({ address: double.address });
    try {
      double.faults.mayReadAll = false;
      for (const work of [() => store.head(), () => store.ping(), () => store.readAll(START)]) {
        const refusal = await rejectionOf(work());
        expect(refusal).not.to.be.instanceOf(EngineUnavailable);
        expect(String(refusal)).to.include('read $all').and.include('$admins').and.include('EVENT_STORE');
      }
    } finally {
      await store.close();
      double.close();
    }
  });
});
