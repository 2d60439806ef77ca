import { randomUUID } from 'node:crypto';

import { expect } from 'chai';
import { MongoClient, type Db } from 'mongodb';

import { openMongoDocumentStore } from '#adapters/mongodb/mongo-document-store.ts';
import { databaseOf, stateDatabaseOf } from '#adapters/mongodb/mongo-url.ts';
import type { Document } from '#kernel/projection.ts';
import { DuplicateKey, type DocumentStore } from '#ports/document-store.ts';
import { onRealEngine } from '#test/support/real-engine.ts';

interface Basket extends Document {
  readonly [field: string]: unknown;
}

const baskets = 'baskets';

onRealEngine('TEST_READ_STORE', (url) => {
  describe('documents in MongoDB', () => {
    const database = `tillroll_test_${randomUUID().slice(0, 8)}`;
    let client: MongoClient;
    let db: Db;
    let one: DocumentStore;
    let other: DocumentStore;

    before(async () => {
      client = await new MongoClient(url).connect();
      db = client.db(database);
      [one, other] = await Promise.all([
        openMongoDocumentStore({ url, database }),
        openMongoDocumentStore({ url, database }),
      ]);
    });
    afterEach(async () => {
      for (const collection of await one.collections()) {
        await one.drop(collection);
        await other.drop(collection);
      }
    });
    after(async () => {
      await db.dropDatabase();
      await Promise.all([one, other, client].map((open) => open.close()));
    });

    const put = (...documents: readonly Basket[]): Promise<void> =>
      one.write(documents.map((document) => ({ collection: baskets, put: document })));
    const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
      promise.then(
        () => null,
        (error: unknown) => error,
      );

    it('have the indexes that were declared, whoever declares them and how often', async () => {
      const indexes = [{ fields: ['customer.email', 'total'] }, { fields: ['number'], unique: true }];
      const declare = (store: DocumentStore): Promise<void> => store.declare(baskets, indexes);
      await Promise.all([one, other, one, other].map(declare));
      await declare(one);
      const found = await db.collection(baskets).listIndexes().toArray();
      expect(found.map(({ key, unique = false }) => ({ key, unique }))).to.have.deep.members([
        { key: { _id: 1 }, unique: false },
        { key: { 'doc.customer.email': 1, 'doc.total': 1, _id: 1 }, unique: false },
        { key: { 'doc.customer.email': -1, 'doc.total': -1, _id: 1 }, unique: false },
        { key: { 'doc.number': 1, 'exempt.number': 1 }, unique: true },
      ]);
    });

    it('can be read as they are with any tool', async () => {
      await one.write([
        { collection: baskets, put: { _id: 'a', status: 'Open', total: 5 } as Basket, position: 7 },
      ]);
      expect(await db.collection<Basket>(baskets).findOne({ _id: 'a' })).to.deep.equal({
        _id: 'a',
        position: 7,
        doc: { status: 'Open', total: 5 },
      });
    });

    it('may have keys that mean something to MongoDB', async () => {
      const basket = {
        _id: 'a',
        $set: { 'a.b': [{ $ref: 'x', $id: 'y', '': 1 }] },
        '100%': '%2E',
        '%24': 1,
        'zero\0byte': null,
        ...(JSON.parse('{"__proto__":{"x":1}}') as object),
      };
      await put(basket);
      expect(await one.get(baskets, 'a')).to.deep.equal(basket);
      const nested = { $inc: { 'c.d': 1 } };
      expect(await one.updateIf(baskets, { _id: 'a' }, { set: { nested } })).to.deep.equal({
        ...basket,
        nested,
      });
    });

    it('keep numbers what they are', async () => {
      const numbers = [0, -1.5, 2 ** 31, 2 ** 53 - 1, 1e21, 1e-7, 0.1 + 0.2];
      await put({ _id: 'a', numbers, count: 2 ** 31 - 1 });
      const changed = await one.updateIf<Basket>(baskets, { _id: 'a' }, { increment: { count: 1 } });
      expect(changed).to.deep.equal({ _id: 'a', numbers, count: 2 ** 31 });
      expect(await one.get(baskets, 'a')).to.deep.equal(changed);
    });

    describe('between two clients', () => {
      it('give each of fifty rows to one of two hundred claims', async () => {
        await one.declare(baskets, [{ fields: ['status'] }]);
        await put(...Array.from({ length: 50 }, (_, index) => ({ _id: `b${index}`, status: 'Pending' })));
        const claims = Array.from({ length: 200 }, (_, index) =>
          (index % 2 ? one : other).updateIf<Basket>(
            baskets,
            { status: 'Pending' },
            { set: { status: 'Sending', by: index } },
          ),
        );
        const won = (await Promise.all(claims)).filter((document) => document !== null);
        expect(won).to.have.length(50);
        expect(new Set(won.map(({ _id }) => _id)).size).to.equal(50);
      });

      it('end at the latest position, in whatever order the writes come', async () => {
        const ids = Array.from({ length: 10 }, (_, index) => `b${index}`);
        const shuffled = Array.from({ length: 30 }, (_, index) => ((index * 7) % 30) + 1);
        await Promise.all(
          shuffled.map((position, index) =>
            (index % 2 ? one : other).write(
              ids.map((id, place) =>
                (position + place) % 3 === 0
                  ? { collection: baskets, remove: id, position }
                  : { collection: baskets, put: { _id: id, position } as Basket, position },
              ),
            ),
          ),
        );
        const expected = ids.filter((_, place) => (30 + place) % 3 !== 0);
        expect(await one.find(baskets)).to.deep.equal(expected.map((_id) => ({ _id, position: 30 })));
      });

      it('heed a unique index that the other one declared later', async () => {
        await put({ _id: 'a', number: 1 }, { _id: 'b' }, { _id: 'c', number: null });
        await one.write([{ collection: baskets, remove: 'd', position: 3 }]);
        await other.declare(baskets, [{ fields: ['number'], unique: true }]);
        await put({ _id: 'e' }, { _id: 'f' }, { _id: 'g', number: 2 });
        expect(await failureOf(put({ _id: 'h', number: 1 }))).to.be.instanceOf(DuplicateKey);
        expect(await one.count(baskets)).to.equal(6);
      });
    });

    describe('in batches', () => {
      const replay = () =>
        Array.from({ length: 2500 }, (_, index) => ({
          collection: baskets,
          put: { _id: `b${index % 100}`, total: index } as Basket,
          position: index,
        }));
      const checkpoint = { collection: 'checkpoints', put: { _id: baskets, position: 2500 } as Basket };

      it('are written in their order, however many, and the checkpoint last', async () => {
        await one.write([...replay(), checkpoint]);
        expect(await one.get(baskets, 'b7')).to.deep.equal({ _id: 'b7', total: 2407 });
        expect(await one.count(baskets)).to.equal(100);
        expect(await one.get('checkpoints', baskets)).to.deep.equal(checkpoint.put);
      });

      it('do not change when what they reflect comes again, wholly or in part', async () => {
        await one.write(replay());
        const before = await one.find(baskets);
        await other.write(replay());
        await other.write(replay().slice(1200));
        expect(await one.find(baskets)).to.deep.equal(before);
        await one.write([
          ...replay().slice(0, 10),
          { collection: baskets, put: { _id: 'b3' } },
          { collection: baskets, put: { _id: 'b3', total: -1 } as Basket, position: 1 },
          { collection: baskets, put: { _id: 'b4', total: -1 } as Basket, position: 9999 },
        ]);
        expect(await one.getMany(baskets, ['b3', 'b4', 'b5'])).to.have.deep.members([
          { _id: 'b3', total: -1 },
          { _id: 'b4', total: -1 },
          { _id: 'b5', total: 2405 },
        ]);
      });

      it('pass over what is stale before they mind a value that is taken', async () => {
        await one.declare(baskets, [{ fields: ['number'], unique: true }]);
        await one.write([
          { collection: baskets, put: { _id: 'a', number: 2 } as Basket, position: 5 },
          { collection: baskets, put: { _id: 'b', number: 1 } as Basket, position: 6 },
        ]);
        await one.write([
          { collection: baskets, put: { _id: 'a', number: 1 } as Basket, position: 1 },
          { collection: baskets, put: { _id: 'c', number: 3 } as Basket, position: 7 },
        ]);
        expect(await one.count(baskets)).to.equal(3);
        const taken = [
          { collection: baskets, put: { _id: 'd', number: 1 } as Basket, position: 8 },
          checkpoint,
        ];
        expect(await failureOf(one.write(taken))).to.be.instanceOf(DuplicateKey);
        expect(await one.get('checkpoints', baskets)).to.equal(null);
      });
    });

    describe('changed in place', () => {
      it('follow the order of a patch whose paths meet', async () => {
        await put({ _id: 'a', total: 1 });
        const patch = {
          set: { counts: { seen: 1 }, total: 5 },
          unset: ['total'],
          increment: { 'counts.seen': 2 },
        };
        const expected = { _id: 'a', counts: { seen: 3 } };
        expect(await one.updateIf(baskets, { _id: 'a' }, patch)).to.deep.equal(expected);
        expect(await one.get(baskets, 'a')).to.deep.equal(expected);
      });

      it('lose nothing when many change them by such a patch', async () => {
        await put({ _id: 'a', days: { 1: 0 } });
        await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            (index % 2 ? one : other).updateIf(baskets, { _id: 'a' }, { increment: { 'days.1': 1 } }),
          ),
        );
        expect(await one.get(baskets, 'a')).to.deep.equal({ _id: 'a', days: { 1: 20 } });
      });

      it('take no number for a place in an array, and no path through one', async () => {
        const basket = { _id: 'a', lines: [{ sku: 'mug' }] };
        await put(basket);
        for (const field of ['lines.0', 'lines.0.sku', 'lines.sku', '_id']) {
          const failure = await failureOf(one.updateIf(baskets, { _id: 'a' }, { set: { [field]: 'x' } }));
          expect(failure, field).to.be.instanceOf(TypeError);
        }
        expect(await one.updateIf(baskets, { _id: 'a' }, {})).to.deep.equal(basket);
      });

      it('take and give up values under a unique index of several fields', async () => {
        await one.declare(baskets, [{ fields: ['shop', 'number'], unique: true }]);
        await put({ _id: 'a', shop: 'x', number: 1 }, { _id: 'b', shop: 'x' }, { _id: 'c', shop: 'x' });
        const take = (id: string): Promise<unknown> =>
          one.updateIf(baskets, { _id: id }, { set: { number: 1 } });
        expect(await failureOf(take('b'))).to.be.instanceOf(DuplicateKey);
        await one.updateIf(baskets, { _id: 'a' }, { unset: ['number'] });
        await take('b');
        expect(await failureOf(take('c'))).to.be.instanceOf(DuplicateKey);
        expect(await failureOf(put({ _id: 'd', shop: 'x', number: 1 }))).to.be.instanceOf(DuplicateKey);
      });
    });

    it('are not found through arrays on the way', async () => {
      await one.declare(baskets, [{ fields: ['lines.sku'] }]);
      await put({ _id: 'a', lines: [{ sku: 'mug' }] }, { _id: 'b', lines: { sku: 'mug' } }, { _id: 'c' });
      const found = async (condition: 'mug' | null | { ne: 'mug' }): Promise<readonly string[]> =>
        (await one.find(baskets, { filter: { 'lines.sku': condition, _id: { gte: 'a' } } })).map(
          ({ _id }) => _id,
        );
      expect(await found('mug')).to.deep.equal(['b']);
      expect(await found(null)).to.deep.equal(['a', 'c']);
      expect(await found({ ne: 'mug' })).to.deep.equal(['a', 'c']);
    });
  });
});

describe('the databases of a MongoDB URL', () => {
  it('are named by it, or for the shop', () => {
    expect(databaseOf('mongodb://ann:p%2Fw@a:27017,b:27018/shop%20one?w=1')).to.equal('shop one');
    expect(databaseOf('mongodb+srv://cluster.example')).to.equal('tillroll');
    expect(databaseOf('mongodb://localhost/?replicaSet=rs')).to.equal('tillroll');
    expect(stateDatabaseOf('mongodb://localhost/shop')).to.equal('shop_state');
  });
});
