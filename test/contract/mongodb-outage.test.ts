import { expect } from 'chai';

import { openMongoDocumentStore } from '#adapters/mongodb/mongo-document-store.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { startMongoServer, type MongoServer } from '#test/support/mongo-server.ts';
import { onRealEngine } from '#test/support/real-engine.ts';
import { ownMilliseconds } from '#test/support/own-clock.ts';

const patience = 8000;

interface Basket extends Document {
  readonly total: number;
}

onRealEngine('TEST_READ_STORE', () => {
  describe('a document store whose server stops', () => {
    const baskets = 'baskets';
    let server: MongoServer;
    let store: DocumentStore;
    let started: MongoServer | null = null;

    before(async function () {
      started = await startMongoServer();
      if (!started) return this.skip();
      server = started;
      store = await openMongoDocumentStore({ url: server.url });
      await store.declare(baskets, [{ fields: ['total'] }]);
    });
    after(async () => {
      if (!started) return;
      await store.close();
      await started.dispose();
    });

    const put = (total: number): Promise<void> =>
      store.write([{ collection: baskets, put: { _id: 'a', total } as Basket }]);

    const expectUnavailable = async (attempt: () => Promise<unknown>): Promise<void> => {
      let failure: unknown = null;
      const took = await ownMilliseconds(async () => {
        failure = await attempt().then(
          () => null,
          (error: unknown) => error,
        );
      });
      expect(failure).to.be.instanceOf(EngineUnavailable);
      expect(took).to.be.below(patience);
    };
    const expectNoResponse = async (): Promise<void> => {
      await Promise.all(
        [
          () => store.get(baskets, 'a'),
          () => store.find(baskets, { filter: { total: 1 } }),
          () => store.count(baskets),
          () => put(2),
          () => store.insertIfAbsent(baskets, { _id: 'b' }),
          () => store.updateIf(baskets, { _id: 'b' }, { set: { total: 3 } }),
          () => store.deleteMany(baskets, { _id: 'b' }, 1),
          () => store.declare('orders', [{ fields: ['total'] }]),
          () => store.collections(),
          () => store.ping(),
        ].map(expectUnavailable),
      );
      await expectUnavailable(() => store.get(baskets, 'a'));
    };

    it('says so in time while it is frozen, and goes on by itself', async () => {
      await put(1);
      await server.run('pause');
      await expectNoResponse();
      await server.run('resume');
      await put(7);
      expect(await store.get(baskets, 'a')).to.deep.equal({ _id: 'a', total: 7 });
      await store.ping();
    });

    it('says so in time while it is away, and goes on by itself', async () => {
      await put(8);
      await server.run('stop');
      await expectNoResponse();
      await expectUnavailable(() => openMongoDocumentStore({ url: server.url }));
      await server.run('start');
      expect(await store.get(baskets, 'a')).to.deep.equal({ _id: 'a', total: 8 });
      await put(9);
      expect(await store.find(baskets, { filter: { total: { gte: 9 } } })).to.have.length(1);
    });

    it('goes on with a new client where the old one has answered nothing for long', async () => {
      await put(10);
      const renewing = await openMongoDocumentStore({ url: server.url, renewAfterMilliseconds: 0 });
      try {
        await server.run('stop');
        await expectUnavailable(() => renewing.get(baskets, 'a'));
        await expectUnavailable(() => renewing.ping());
        await server.run('start');
        expect(await renewing.get(baskets, 'a')).to.deep.equal({ _id: 'a', total: 10 });
        expect(await renewing.find(baskets, { filter: { total: { gte: 10 } } })).to.have.length(1);
      } finally {
        await renewing.close();
      }
      await expectUnavailable(() => renewing.ping());
    });

    it('answers at once when it is back, however often nobody was found meanwhile', async () => {
      await put(11);
      const waiting = await openMongoDocumentStore({ url: server.url, renewAfterMilliseconds: 4000 });
      try {
        await server.run('stop');
        // Longer than a new client takes to be tried, and to be given up.
        for (let tries = 0; tries < 4; tries++) await expectUnavailable(() => waiting.get(baskets, 'a'));
        await server.run('start');
        const took = await ownMilliseconds(async () =>
          expect(await waiting.get(baskets, 'a')).to.deep.equal({ _id: 'a', total: 11 }),
        );
        expect(took).to.be.below(2000);
        await waiting.ping();
      } finally {
        await waiting.close();
      }
    });

    it('lets what is under way end before it closes, and answers nothing afterwards', async () => {
      const closing = await openMongoDocumentStore({ url: server.url });
      const written = Array.from({ length: 20 }, (_, index) =>
        closing.write([{ collection: 'closing', put: { _id: `c${index}` } }]),
      );
      await Promise.all([closing.close(), closing.close(), ...written]);
      expect(await store.count('closing')).to.equal(20);
      await expectUnavailable(() => closing.get('closing', 'c1'));
      await expectUnavailable(() => closing.ping());
    });
  });
});
