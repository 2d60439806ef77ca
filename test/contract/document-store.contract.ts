import { expect } from 'chai';

import type { Document } from '#kernel/projection.ts';
import {
  DuplicateKey,
  NoIndexServes,
  type DocumentStore,
  type Filter,
  type FindOptions,
} from '#ports/document-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { describeDocumentPages } from './document-pages.contract.ts';
import { describeSnapshotChunks } from './snapshot-chunks.contract.ts';

/** An engine to hold to the contract. Each test gets a store of its own. */
export interface DocumentStoreEngine {
  readonly name: string;
  /** A batch of writes is all or nothing. */
  readonly isTransactional: boolean;
  /**
   * False for a stand-in that orders texts by UTF-16 unit, where the engine itself goes by code point. Default true.
   */
  readonly ordersByCodePoint?: () => Promise<boolean>;
  /** An empty store, and how to be rid of it. */
  readonly open: () => Promise<{ readonly store: DocumentStore; readonly dispose: () => Promise<void> }>;
}

interface Order extends Document {
  readonly [field: string]: unknown;
}

const orders = 'orders_v1_a';
const indexed = ['status', 'total', 'customer.email', 'tags', 'isGift', 'mixed'].map((field) => ({
  fields: [field],
}));

const nested = (levels: number): unknown => {
  let value: unknown = {};
  for (let level = 1; level < levels; level++) value = { a: value };
  return value;
};

/** What the port's comments promise, on any engine. */
export function describeDocumentStore(engine: DocumentStoreEngine): void {
  describeSnapshotChunks(engine);
  describeDocumentPages(engine);
  const { name, isTransactional, ordersByCodePoint, open } = engine;
  describe(`documents kept by ${name}`, () => {
    let store: DocumentStore;
    let dispose: () => Promise<void>;

    beforeEach(async () => {
      ({ store, dispose } = await open());
      await store.declare(orders, indexed);
    });
    afterEach(() => dispose());

    const put = (...documents: readonly Order[]): Promise<void> =>
      store.write(documents.map((document) => ({ collection: orders, put: document })));
    const putAt = (position: number, document: Order): Promise<void> =>
      store.write([{ collection: orders, put: document, position }]);
    const removeAt = (position: number, id: string): Promise<void> =>
      store.write([{ collection: orders, remove: id, position }]);
    const idsOf = async (options: FindOptions): Promise<readonly string[]> =>
      (await store.find(orders, options)).map(({ _id }) => _id);
    const matching = (filter: Filter): Promise<readonly string[]> => idsOf({ filter, sort: [['_id', 1]] });
    const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
      promise.then(
        () => null,
        (error: unknown) => error,
      );

    describe('writing and reading back', () => {
      it('answers a document as it was put', async () => {
        const order = {
          _id: 'a',
          total: 12.5,
          lines: [{ sku: 'mug', gift: null }],
          isGift: true,
          customer: { tags: [] },
        };
        await put(order);
        expect(await store.get(orders, 'a')).to.deep.equal(order);
        expect(await store.get(orders, 'b')).to.equal(null);
      });

      it('keeps every script and sign, in ids, keys and values', async () => {
        const order = {
          _id: 'Größe-𝕏-"\'\\',
          note: '👩🏽‍🚀 ñ 漢字 \u2028 \n "quoted" \'single\' \\',
          größe: 'é',
          'a key': 1,
        };
        await put(order);
        expect(await store.get(orders, order._id)).to.deep.equal(order);
        expect(await matching({ note: order.note, _id: order._id })).to.deep.equal([order._id]);
      });

      it('replaces the whole document', async () => {
        await put({ _id: 'a', status: 'Open', note: 'ring twice' });
        await put({ _id: 'a', status: 'Paid' });
        expect(await store.get(orders, 'a')).to.deep.equal({ _id: 'a', status: 'Paid' });
      });

      it('answers many documents, without those that are missing and each once', async () => {
        await put({ _id: 'a' }, { _id: 'b' }, { _id: 'c' });
        await store.get(orders, 'b');
        const found = await store.getMany(orders, ['c', 'nobody', 'b', 'c']);
        expect(found.map(({ _id }) => _id)).to.have.members(['b', 'c']);
        expect(await store.getMany(orders, [])).to.deep.equal([]);
      });

      it('answers the texts at one field, without the documents that have none there', async () => {
        const told = { a: '', b: 'ring "twice" – Größe 7', c: '[1]', d: 7, e: null, f: { text: 'in' } };
        await put(...Object.entries(told).map(([_id, note]) => ({ _id, with: { note } })), { _id: 'g' });
        await store.write([{ collection: orders, remove: 'h', position: 1 }]);
        const ids = [...Object.keys(told), 'g', 'h', 'i', 'b'];
        const texts = new Map([
          ['a', told.a],
          ['b', told.b],
          ['c', told.c],
        ]);
        expect(await store.textsAt(orders, 'with.note', ids)).to.deep.equal(texts);
        expect(await store.textsAt(orders, 'with.note', [])).to.deep.equal(new Map());
        expect(await store.textsAt('nothing', 'with.note', ids)).to.deep.equal(new Map());
        expect(await store.textsAt(orders, '_id', ['g', 'i'])).to.deep.equal(new Map([['g', 'g']]));
      });

      it('carries out a batch in its order, across collections', async () => {
        await store.write([
          { collection: orders, put: { _id: 'a' } },
          { collection: orders, remove: 'a' },
          { collection: orders, remove: 'b' },
          { collection: orders, put: { _id: 'b' } },
          { collection: 'checkpoints', put: { _id: orders } },
        ]);
        expect(await matching({})).to.deep.equal(['b']);
        expect(await store.get('checkpoints', orders)).to.deep.equal({ _id: orders });
      });

      it('never hands out its own copy of what was written', async () => {
        const lines = ['mug'];
        const written = put({ _id: 'a', lines });
        lines.push('cup');
        await written;
        lines.push('bowl');
        expect(await store.get(orders, 'a')).to.deep.equal({ _id: 'a', lines: ['mug'] });
      });

      it('shows each write to all who read after its promise resolved', async () => {
        for (let total = 1; total <= 50; total++) {
          await put({ _id: 'a', total });
          expect(await store.get(orders, 'a')).to.deep.equal({ _id: 'a', total });
          const [[listed], many, count] = await Promise.all([
            store.find(orders, { filter: { total } }),
            store.getMany(orders, ['a']),
            store.count(orders, { total }),
          ]);
          expect({ listed, many, count }).to.deep.equal({
            listed: { _id: 'a', total },
            many: [{ _id: 'a', total }],
            count: 1,
          });
        }
      });

      it('shows readers no state that writers left behind while they overlap', async () => {
        await put({ _id: 'a', total: 0 });
        let acknowledged = 0;
        const writer = async (): Promise<void> => {
          for (let turn = 0; turn < 25; turn++) {
            const changed = await store.updateIf<Order>(orders, { _id: 'a' }, { increment: { total: 1 } });
            acknowledged = Math.max(acknowledged, Number(changed?.total));
          }
        };
        const reader = async (): Promise<void> => {
          while (acknowledged < 100) {
            const known = acknowledged;
            expect((await store.get<Order>(orders, 'a'))?.total).to.be.at.least(known);
            await new Promise((resolve) => setImmediate(resolve));
          }
        };
        await Promise.all([writer(), writer(), writer(), writer(), reader()]);
        expect(await store.get(orders, 'a')).to.deep.equal({ _id: 'a', total: 100 });
      });
    });

    describe('positions', () => {
      it('leaves a document that reflects the same position or a later one', async () => {
        await putAt(7, { _id: 'a', total: 7 });
        await putAt(7, { _id: 'a', total: 70 });
        await putAt(6, { _id: 'a', total: 6 });
        await removeAt(6, 'a');
        expect(await store.get(orders, 'a')).to.deep.equal({ _id: 'a', total: 7 });
        await putAt(8, { _id: 'a', total: 8 });
        expect(await store.get(orders, 'a')).to.deep.equal({ _id: 'a', total: 8 });
      });

      it('lets no older event bring a removed document back, but a newer one', async () => {
        await putAt(3, { _id: 'a', status: 'Open' });
        await removeAt(5, 'a');
        await putAt(4, { _id: 'a', status: 'Open' });
        expect(await store.get(orders, 'a')).to.equal(null);
        await putAt(6, { _id: 'a', status: 'Paid' });
        expect(await store.get(orders, 'a')).to.deep.equal({ _id: 'a', status: 'Paid' });
      });

      it('remembers the removal of a document that it never had', async () => {
        await removeAt(5, 'a');
        await putAt(4, { _id: 'a' });
        expect(await store.get(orders, 'a')).to.equal(null);
      });

      it('never finds a tombstone', async () => {
        await putAt(1, { _id: 'a', status: 'Open' });
        await removeAt(2, 'a');
        expect(await store.getMany(orders, ['a'])).to.deep.equal([]);
        expect(await matching({})).to.deep.equal([]);
        expect(await matching({ status: null })).to.deep.equal([]);
        expect(await store.count(orders)).to.equal(0);
        expect(await store.updateIf(orders, { _id: 'a' }, { set: { status: 'Paid' } })).to.equal(null);
        expect(await store.deleteMany(orders, { _id: 'a' }, 10)).to.equal(0);
      });

      it('forgets a document for good when it is removed without a position', async () => {
        await putAt(9, { _id: 'a', total: 9 });
        await store.write([{ collection: orders, remove: 'a' }]);
        await putAt(1, { _id: 'a', total: 1 });
        expect(await store.get(orders, 'a')).to.deep.equal({ _id: 'a', total: 1 });
      });

      it('replaces whatever is there when a put has no position', async () => {
        await putAt(9, { _id: 'a', total: 9 });
        await put({ _id: 'a', total: 0 });
        expect(await store.get(orders, 'a')).to.deep.equal({ _id: 'a', total: 0 });
        await putAt(1, { _id: 'a', total: 1 });
        expect(await store.get(orders, 'a')).to.deep.equal({ _id: 'a', total: 1 });
      });

      it('keeps the position of a document that is changed in place', async () => {
        await putAt(9, { _id: 'a', total: 9 });
        await store.updateIf(orders, { _id: 'a' }, { set: { note: 'seen' } });
        await putAt(8, { _id: 'a', total: 8 });
        expect(await store.get(orders, 'a')).to.deep.equal({ _id: 'a', total: 9, note: 'seen' });
      });
    });

    describe('inserting and changing under competition', () => {
      it('lets one of a hundred insert a document', async () => {
        const attempts = Array.from({ length: 100 }, (_, by) =>
          store.insertIfAbsent(orders, { _id: 'a', by } as Order),
        );
        const results = await Promise.all(attempts);
        expect(results.filter(Boolean)).to.have.length(1);
        expect(await store.get(orders, 'a')).to.deep.equal({ _id: 'a', by: results.indexOf(true) });
      });

      it('inserts again where a document was removed', async () => {
        await putAt(1, { _id: 'a' });
        await removeAt(2, 'a');
        expect(await store.insertIfAbsent(orders, { _id: 'a' })).to.equal(true);
        expect(await store.get(orders, 'a')).to.deep.equal({ _id: 'a' });
      });

      it('gives each of fifty deliveries to one of two hundred claims', async () => {
        await put(
          ...Array.from({ length: 50 }, (_, index) => ({ _id: `d${index}`, status: 'Pending', attempts: 0 })),
        );
        const claim = { set: { status: 'Sending' }, increment: { attempts: 1 } };
        const claims = Array.from({ length: 200 }, () =>
          store.updateIf<Order>(orders, { status: 'Pending' }, claim),
        );
        const won = (await Promise.all(claims)).filter((document) => document !== null);
        expect(new Set(won.map(({ _id }) => _id)).size).to.equal(50);
        expect(won).to.have.length(50);
        expect(won.every(({ status, attempts }) => status === 'Sending' && attempts === 1)).to.equal(true);
        expect(await store.count(orders, { status: 'Sending' })).to.equal(50);
      });

      it('changes dotted paths and leaves the rest alone', async () => {
        await put({
          _id: 'a',
          customer: { email: 'a@b.example', name: 'Ann' },
          total: 5,
          note: 'x',
          lines: [1],
        });
        const changed = await store.updateIf(
          orders,
          { _id: 'a', total: 5 },
          {
            set: {
              'customer.email': 'new@b.example',
              'shipping.address.city': 'Leeds',
              lines: [{ sku: 'mug' }],
            },
            unset: ['note', 'customer.name', 'no.such.field'],
            increment: { total: -2, 'counts.seen': 1 },
          },
        );
        const expected = {
          _id: 'a',
          customer: { email: 'new@b.example' },
          total: 3,
          lines: [{ sku: 'mug' }],
          shipping: { address: { city: 'Leeds' } },
          counts: { seen: 1 },
        };
        expect(changed).to.deep.equal(expected);
        expect(await store.get(orders, 'a')).to.deep.equal(expected);
      });

      it('changes each of several documents that is still as it was expected, and says how many', async () => {
        await put(
          { _id: 'a', status: 'Pending' },
          { _id: 'b', status: 'Sending' },
          { _id: 'c', status: 'Pending' },
        );
        const known = await store.get(orders, 'a');
        const changes = ['a', 'b', 'c', 'd'].map((_id) => ({
          filter: { _id, status: 'Pending' },
          patch: { set: { note: `for ${_id}` } },
        }));
        expect(await store.updateEach(orders, changes)).to.equal(2);
        expect(await store.get(orders, 'a')).to.deep.equal({ ...known, note: 'for a' });
        expect(await store.get(orders, 'b')).to.deep.equal({ _id: 'b', status: 'Sending' });
        expect(await store.get(orders, 'c')).to.deep.equal({ _id: 'c', status: 'Pending', note: 'for c' });
        expect(await store.updateEach(orders, [])).to.equal(0);
        const broken = { filter: { _id: 'a' }, patch: { increment: { note: 1 } } };
        expect(await failureOf(store.updateEach(orders, [broken]))).to.be.instanceOf(TypeError);
      });

      it('changes nothing when the condition no longer holds', async () => {
        await put({ _id: 'a', attempts: 2 });
        const late = await store.updateIf(
          orders,
          { _id: 'a', attempts: 1 },
          { set: { status: 'Delivered' } },
        );
        expect(late).to.equal(null);
        expect(await store.get(orders, 'a')).to.deep.equal({ _id: 'a', attempts: 2 });
      });

      it('refuses a change that the document has no place for, and only that one', async () => {
        await put({ _id: 'a', note: 'text' }, { _id: 'b', note: 'text' });
        const [failure, changed] = await Promise.all([
          failureOf(store.updateIf(orders, { _id: 'a' }, { increment: { note: 1 } })),
          store.updateIf(orders, { _id: 'b' }, { set: { note: 'read' } }),
        ]);
        expect(failure).to.be.instanceOf(Error);
        expect(changed).to.deep.equal({ _id: 'b', note: 'read' });
        expect(await store.get(orders, 'a')).to.deep.equal({ _id: 'a', note: 'text' });
      });

      it('deletes at most as many as it is told to, and only what matches', async () => {
        await put(...Array.from({ length: 10 }, (_, index) => ({ _id: `o${index}`, total: index })));
        expect(await store.deleteMany(orders, { total: { lt: 7 } }, 5)).to.equal(5);
        expect(await store.count(orders)).to.equal(5);
        expect(await store.deleteMany(orders, { total: { lt: 7 } }, 5)).to.equal(2);
        expect(await store.deleteMany(orders, { total: { lt: 7 } }, 5)).to.equal(0);
        expect(await matching({})).to.deep.equal(['o7', 'o8', 'o9']);
        expect(await store.get(orders, 'o0')).to.equal(null);
      });
    });

    describe('unique indexes', () => {
      const members = 'members';
      const member = (id: string, email?: string | null) => ({
        _id: id,
        ...(email === undefined ? {} : { email }),
      });

      beforeEach(async () => {
        await store.declare(members, [{ fields: ['email'], unique: true }]);
        await store.write([{ collection: members, put: member('a', 'ann@shop.example') }]);
      });

      it('refuses a second document with the same value, however it comes', async () => {
        await store.write([{ collection: members, put: member('b', 'bob@shop.example') }]);
        const failures = await Promise.all([
          failureOf(store.write([{ collection: members, put: member('c', 'ann@shop.example') }])),
          failureOf(store.insertIfAbsent(members, member('c', 'ann@shop.example'))),
          failureOf(store.updateIf(members, { _id: 'b' }, { set: { email: 'ann@shop.example' } })),
        ]);
        for (const failure of failures) expect(failure).to.be.instanceOf(DuplicateKey);
        expect(await store.get(members, 'c')).to.equal(null);
        expect(await store.get(members, 'b')).to.deep.equal(member('b', 'bob@shop.example'));
      });

      it('lets one of a hundred take a value, and does not hold up the others', async () => {
        const attempts = Array.from({ length: 100 }, (_, index) => [
          failureOf(store.insertIfAbsent(members, member(`same${index}`, 'one@shop.example'))),
          failureOf(store.insertIfAbsent(members, member(`own${index}`, `${index}@shop.example`))),
        ]);
        const failures = (await Promise.all(attempts.flat())).filter((failure) => failure !== null);
        expect(failures).to.have.length(99);
        expect(await store.count(members)).to.equal(102);
      });

      it('gives a value free with its document', async () => {
        await store.write([{ collection: members, remove: 'a', position: 5 }]);
        await store.write([{ collection: members, put: member('b', 'ann@shop.example') }]);
        expect(await store.get(members, 'b')).to.deep.equal(member('b', 'ann@shop.example'));
      });

      it('counts missing and null as no value', async () => {
        await store.write(
          [member('b'), member('c'), member('d', null), member('e', null)].map((put) => ({
            collection: members,
            put,
          })),
        );
        expect(await store.count(members)).to.equal(5);
      });

      it('writes the same document again', async () => {
        await store.write([{ collection: members, put: member('a', 'ann@shop.example') }]);
        expect(await store.count(members)).to.equal(1);
      });

      if (isTransactional) {
        it('takes the whole batch back when one write of it is refused', async () => {
          const failure = await failureOf(
            store.write([
              { collection: members, put: member('a', 'moved@shop.example') },
              { collection: 'fresh', put: { _id: 'x' } },
              { collection: members, remove: 'a' },
              { collection: members, put: member('b', 'bob@shop.example') },
              { collection: members, put: member('c', 'bob@shop.example') },
              { collection: 'checkpoints', put: { _id: 'members' } },
            ]),
          );
          expect(failure).to.be.instanceOf(DuplicateKey);
          expect(await store.getMany(members, ['a', 'b', 'c'])).to.deep.equal([
            member('a', 'ann@shop.example'),
          ]);
          expect(await store.get('fresh', 'x')).to.equal(null);
          expect(await store.get('checkpoints', 'members')).to.equal(null);
          await store.write([{ collection: 'fresh', put: { _id: 'x' } }]);
          expect(await store.get('fresh', 'x')).to.deep.equal({ _id: 'x' });
        });
      }
    });

    describe('filters', () => {
      const kinds = [
        { _id: 'array', mixed: ['x', 1, true, null] },
        { _id: 'empty', mixed: '' },
        { _id: 'false', mixed: false },
        { _id: 'missing' },
        { _id: 'null', mixed: null },
        { _id: 'object', mixed: { a: 1 } },
        { _id: 'one', mixed: 1 },
        { _id: 'text', mixed: 'x' },
        { _id: 'text of array', mixed: '["x",1,true,null]' },
        { _id: 'text of object', mixed: '{"a":1}' },
        { _id: 'text of one', mixed: '1' },
        { _id: 'true', mixed: true },
        { _id: 'zero', mixed: 0 },
      ];
      const texts = ['text', 'text of array', 'text of object', 'text of one'];
      const nothing = ['missing', 'null'];
      const everythingBut = (...ids: readonly string[]) =>
        kinds.map(({ _id }) => _id).filter((id) => !ids.includes(id));

      const cases: readonly (readonly [Filter, readonly string[]])[] = [
        [{ mixed: 'x' }, ['text']],
        [{ mixed: '' }, ['empty']],
        [{ mixed: '1' }, ['text of one']],
        [{ mixed: 1 }, ['one']],
        [{ mixed: 0 }, ['zero']],
        [{ mixed: true }, ['true']],
        [{ mixed: false }, ['false']],
        [{ mixed: null }, nothing],
        [{ mixed: '{"a":1}' }, ['text of object']],
        [{ mixed: '["x",1,true,null]' }, ['text of array']],
        [{ mixed: { in: ['x', 0, true] } }, ['text', 'true', 'zero']],
        [{ mixed: { in: [null, 1] } }, ['missing', 'null', 'one']],
        [{ mixed: { in: ['x', '{"a":1}', 'y'] } }, ['text', 'text of object']],
        [{ mixed: { in: [] } }, []],
        [{ mixed: { ne: 'x' } }, everythingBut('text')],
        [{ mixed: { ne: 1 } }, everythingBut('one')],
        [{ mixed: { ne: true } }, everythingBut('true')],
        [{ mixed: { ne: null } }, everythingBut(...nothing)],
        [{ mixed: { exists: true } }, everythingBut(...nothing)],
        [{ mixed: { exists: false } }, nothing],
        [{ mixed: { gt: 0 } }, ['one']],
        [{ mixed: { gte: 0 } }, ['one', 'zero']],
        [{ mixed: { lt: 1 } }, ['zero']],
        [{ mixed: { lte: 1, ne: 0 } }, ['one']],
        [{ mixed: { gt: '' } }, texts],
        [{ mixed: { gte: '' } }, ['empty', ...texts]],
        [{ mixed: { gte: '1', lt: '[' } }, ['text of one']],
        [{ mixed: { contains: 'x' } }, ['text', 'text of array']],
        [{ mixed: { contains: '' } }, ['empty', ...texts]],
        [{ mixed: { has: 'x' } }, ['array']],
        [{ mixed: { has: 1 } }, ['array']],
        [{ mixed: { has: true } }, ['array']],
        [{ mixed: { has: null } }, ['array']],
        [{ mixed: { has: false } }, []],
        [{ mixed: { has: '1' } }, []],
        [{ mixed: { has: ['y', 'x', 'z'] } }, ['array']],
        [{ mixed: { has: ['y', false, null] } }, ['array']],
        [{ mixed: { has: ['y', 'z', 0] } }, []],
        [{ mixed: { has: [] } }, []],
        [{ _id: 'one' }, ['one']],
        [{ _id: { in: ['one', 'zero', 'nobody'] }, mixed: { gt: 0 } }, ['one']],
        [{ _id: { gt: 'true' } }, ['zero']],
        [{ _id: 1 }, []],
        [{}, kinds.map(({ _id }) => _id)],
      ];

      for (const [filter, expected] of cases) {
        it(`finds ${expected.join(', ') || 'nothing'} by ${JSON.stringify(filter)}`, async () => {
          await put(...kinds);
          expect(await matching(filter)).to.deep.equal(expected);
          expect((await store.find(orders, { filter, sort: [['_id', 1]], limit: 1 })).length).to.equal(
            Math.min(1, expected.length),
          );
        });
      }

      it('reaches into objects by dotted paths', async () => {
        await put(
          { _id: 'a', customer: { email: 'a@shop.example' } },
          { _id: 'b', customer: { email: 'b@shop.example' } },
          { _id: 'c', customer: 'a@shop.example' },
          { _id: 'd', 'customer.email': 'a@shop.example' },
        );
        expect(await matching({ 'customer.email': 'a@shop.example' })).to.deep.equal(['a']);
        expect(await matching({ 'customer.email': null })).to.deep.equal(['c', 'd']);
      });

      it('looks for signs as they are, not as patterns', async () => {
        await put({ _id: 'a', status: '100% _wool_ (soft).*' }, { _id: 'b', status: '1000 cotton' });
        for (const contains of ['100% ', '_wool', '(soft)', '.*']) {
          expect(await matching({ status: { contains } })).to.deep.equal(['a']);
        }
      });

      it('demands all conditions', async () => {
        await put(
          { _id: 'a', status: 'Paid', total: 5 },
          { _id: 'b', status: 'Paid', total: 9 },
          { _id: 'c', total: 9 },
        );
        expect(await idsOf({ filter: { status: 'Paid', total: { gt: 5 } } })).to.deep.equal(['b']);
        expect(await store.count(orders, { status: 'Paid', total: { gte: 5, lte: 9 } })).to.equal(2);
      });

      it('sums the numbers at a field of what matches, and nothing else', async () => {
        await put(
          { _id: 'a', status: 'Paid', total: 5, customer: { points: 2.5 } },
          { _id: 'b', status: 'Paid', total: '9', customer: { points: -4 } },
          { _id: 'c', status: 'Paid', total: [9] },
          { _id: 'd', status: 'Paid', total: null },
          { _id: 'e', status: 'Paid', total: true },
          { _id: 'f', status: 'Open', total: 100 },
          { _id: 'g', status: 'Paid', total: 9_000_000_000_000 },
        );
        expect(await store.sum(orders, 'total', { status: 'Paid' })).to.equal(9_000_000_000_005);
        expect(await store.sum(orders, 'customer.points')).to.equal(-1.5);
        expect(await store.sum(orders, 'total', { status: 'Lost' })).to.equal(0);
        expect(await store.sum('nothing', 'total')).to.equal(0);
      });

      it('counts what matches by the values of fields, which may stand in an index beside others', async () => {
        await store.declare(orders, [
          { fields: ['status', 'total'], including: ['customer.points', 'note'] },
        ]);
        await put(
          { _id: 'a', status: 'Paid', total: 5, customer: { points: 2.5 }, note: 'mug' },
          { _id: 'b', status: 'Paid', total: 7, customer: { points: 2.5 }, note: 'mug' },
          { _id: 'c', status: 'Paid', total: 7, customer: { points: 3 }, note: null },
          { _id: 'd', status: 'Paid', total: 7, customer: { points: 3 } },
          { _id: 'e', status: 'Paid', total: 99, customer: { points: 3 } },
          { _id: 'f', status: 'Open', total: 5, customer: { points: 2.5 }, note: 'mug' },
        );
        const groups = async (fields: readonly string[], filter?: Filter) =>
          (await store.countBy(orders, fields, filter)).map(({ values, count }) => [...values, count]);
        const paid = { status: 'Paid', total: { gte: 5, lt: 50 } };
        expect(await groups(['customer.points', 'note'], paid)).to.have.deep.members([
          [2.5, 'mug', 2],
          [3, null, 2],
        ]);
        expect(await groups(['status'])).to.have.deep.members([
          ['Paid', 5],
          ['Open', 1],
        ]);
        expect(await groups(['status'], { status: 'Lost' })).to.deep.equal([]);
        expect(await store.countBy('nothing', ['status'])).to.deep.equal([]);
        expect(await failureOf(store.countBy('baskets', ['total'], { country: 'GB' }))).to.be.instanceOf(
          NoIndexServes,
        );
      });

      it('refuses more than a thousand values', async () => {
        const values = Array.from({ length: 1001 }, (_, index) => index);
        expect(await failureOf(store.find(orders, { filter: { total: { in: values } } }))).to.be.instanceOf(
          RangeError,
        );
        expect(await matching({ total: { in: values.slice(1) } })).to.deep.equal([]);
      });

      it('takes no path or name that could be anything else', async () => {
        const attempts = [`a' OR 1=1 --`, 'a"b', '$where', '', 'a..b', '__proto__.x'];
        for (const field of attempts) {
          expect(await failureOf(store.find(orders, { filter: { _id: 'a', [field]: 1 } }))).to.be.instanceOf(
            TypeError,
          );
        }
        expect(await failureOf(store.declare('orders"; --'))).to.be.instanceOf(TypeError);
        expect(await failureOf(store.write([{ collection: '', put: { _id: 'a' } }]))).to.be.instanceOf(
          TypeError,
        );
      });
    });

    describe('sorting and paging', () => {
      beforeEach(() =>
        put(
          { _id: 'b', total: 2, status: 'Paid' },
          { _id: 'a', total: 2, status: 'Open' },
          { _id: 'd', total: 10, status: 'Paid' },
          { _id: 'c', status: 'Paid' },
          { _id: 'e', total: null, status: 'Open' },
          { _id: 'f', total: -1.5, status: 'Paid' },
        ),
      );

      it('puts what has no value first and breaks ties by id, ascending either way', async () => {
        expect(await idsOf({ sort: [['total', 1]] })).to.deep.equal(['c', 'e', 'f', 'a', 'b', 'd']);
        expect(await idsOf({ sort: [['total', -1]] })).to.deep.equal(['d', 'a', 'b', 'f', 'c', 'e']);
      });

      it('sorts by one field after the other', async () => {
        const filter = { total: { gte: -5 } };
        const byBoth = (first: 1 | -1, second: 1 | -1) =>
          idsOf({
            filter,
            sort: [
              ['status', first],
              ['total', second],
            ],
          });
        expect(await byBoth(1, -1)).to.deep.equal(['a', 'd', 'b', 'f']);
        expect(await byBoth(-1, 1)).to.deep.equal(['f', 'b', 'd', 'a']);
      });

      it('goes by id, in either direction, and without a sort too', async () => {
        expect(await idsOf({})).to.deep.equal(['a', 'b', 'c', 'd', 'e', 'f']);
        expect(await idsOf({ sort: [['_id', -1]] })).to.deep.equal(['f', 'e', 'd', 'c', 'b', 'a']);
        expect(await idsOf({ filter: { status: 'Paid' } })).to.deep.equal(['b', 'c', 'd', 'f']);
      });

      const inOrder = async (...names: readonly string[]): Promise<readonly unknown[]> => {
        const documents = names.map((email, index) => ({ _id: `n${index}`, customer: { email } }));
        await put(...documents.toReversed());
        const found = await store.find<Order>(orders, {
          filter: { 'customer.email': { gt: '' } },
          sort: [['customer.email', 1]],
        });
        return found.map(({ customer }) => (customer as { email: string }).email);
      };

      it('orders texts by code point', async () => {
        const names = ['Z', 'a', 'zz', 'é', '\uffee'];
        expect(await inOrder(...names)).to.deep.equal(names);
      });

      it('orders texts by code point beyond the basic plane too', async function () {
        if (ordersByCodePoint && !(await ordersByCodePoint())) this.skip();
        const names = ['Z', 'é', '\uffee', '𝕏'];
        expect(await inOrder(...names)).to.deep.equal(names);
      });

      it('orders no before yes', async () => {
        await put({ _id: 'x', isGift: true }, { _id: 'y', isGift: false });
        const filter = { _id: { in: ['x', 'y'] } };
        expect(await idsOf({ filter, sort: [['isGift', 1]] })).to.deep.equal(['y', 'x']);
      });

      it('finds who is first in line, who has left it, and what is over, as notices need it', async () => {
        await store.declare(orders, [
          { fields: ['line', 'isOpen', 'position'] },
          { fields: ['queue', 'dueAt'] },
          { fields: ['state', 'dueAt'] },
        ]);
        const told = (line: string, position: number, more: object = {}) => ({
          ...{ _id: `${line}${position}`, line, position, isOpen: true, state: 'Pending' },
          ...{ queue: 'q', dueAt: `2026-01-0${position}` },
          ...more,
        });
        const over = { isOpen: false, state: 'Succeeded' };
        await put(
          ...[told('a', 3), told('a', 1, over), told('a', 2), told('b', 1), told('b', 2, { queue: null })],
          ...[
            told('c', 1, { queue: undefined }),
            told('c', 2, over),
            told('c', 3, { queue: null, dueAt: null }),
          ],
        );
        const first = (line: string, before: number) =>
          idsOf({
            filter: { line, isOpen: true, position: { lt: before } },
            sort: [['position', 1]],
            limit: 1,
          });
        expect([await first('a', 9), await first('a', 2)]).to.deep.equal([['a2'], []]);
        await store.updateIf(orders, { _id: 'a2', state: 'Pending' }, { set: over });
        expect(await first('a', 9)).to.deep.equal(['a3']);
        expect(await store.count(orders, { line: 'a', isOpen: true, state: 'Pending' })).to.equal(1);
        const parked = { queue: null, dueAt: { lte: '2026-01-02' } };
        expect(await idsOf({ filter: parked, sort: [['dueAt', 1]] })).to.deep.equal(['c1', 'b2']);
        const old = { state: { in: ['Succeeded', 'Abandoned'] }, dueAt: { lt: '2026-01-02' } };
        expect(await store.deleteMany(orders, old, 500)).to.equal(1);
        expect(await store.get(orders, 'a1')).to.equal(null);
      });

      it('pages without a gap or an overlap', async () => {
        const page = (skip: number) => idsOf({ sort: [['total', -1]], skip, limit: 2 });
        expect([
          ...(await page(0)),
          ...(await page(2)),
          ...(await page(4)),
          ...(await page(6)),
        ]).to.deep.equal(['d', 'a', 'b', 'f', 'c', 'e']);
        expect(await idsOf({ limit: 0 })).to.deep.equal([]);
      });

      it('merges several values of a condition in the order asked for, and looks up what an index holds beside', async () => {
        await store.declare(orders, [{ fields: ['place', 'total'], including: ['note', 'mixed'] }]);
        const places = ['east', 'west', 'north', null, '[1]'];
        const notes = ['a cup', 'cups', 'mug', 7, ['cup'], { cup: 'cup' }, '["cup"]', null];
        const all = Array.from({ length: 80 }, (_, index) => ({
          ...{ _id: `d${String(index).padStart(2, '0')}`, place: places[index % 5] ?? null },
          ...{ total: index % 3, note: notes[index % 8] ?? null, mixed: index % 2 === 0 ? 'even' : true },
        }));
        await put(...all);
        const wanted = ['east', 'north', '[1]', 'nowhere'];
        const found = (direction: 1 | -1, fits: (one: (typeof all)[number]) => boolean) =>
          all
            .filter((one) => wanted.includes(one.place ?? '') && fits(one))
            .sort((one, other) => (one.total - other.total || (one._id < other._id ? -1 : 1)) * direction)
            .map(({ _id }) => _id);
        const place = { in: wanted };
        for (const direction of [1, -1] as const) {
          const sort = [
            ['total', direction],
            ['_id', direction],
          ] as const;
          const page = { sort, skip: 5, limit: 20 };
          expect(await idsOf({ filter: { place }, ...page })).to.deep.equal(
            found(direction, () => true).slice(5, 25),
          );
          const filter = { place, note: { contains: 'cup' }, mixed: 'even' };
          const fits = found(
            direction,
            ({ note, mixed }) => typeof note === 'string' && note.includes('cup') && mixed === 'even',
          );
          expect(fits).to.have.length.above(3);
          expect(await idsOf({ filter, sort })).to.deep.equal(fits);
          expect(await store.count(orders, filter)).to.equal(fits.length);
        }
      });

      describe('where parts of texts are indexed', () => {
        const withCup = async (rest: Filter = {}): Promise<readonly string[]> => {
          const filter = { _id: { gte: '' }, status: { contains: 'cup' }, ...rest };
          const found = await idsOf({ filter, sort: [['_id', 1]] });
          expect(await store.count(orders, filter)).to.equal(found.length);
          return found;
        };
        const index = () => store.declare(orders, [{ fields: ['status'], contains: true }]);

        it('finds what was there before, in every order, and nothing but texts', async () => {
          await put(
            { _id: 'p', status: 'a cup', total: 2 },
            { _id: 'q', status: 'cups', total: 1 },
            { _id: 'r', status: 'Cup of tea' },
            { _id: 's', status: ['cup'] },
            { _id: 't', status: { cup: 'cup' } },
            { _id: 'u', status: 'c u p' },
          );
          await index();
          await index();
          expect(await withCup()).to.deep.equal(['p', 'q']);
          const filter = { status: { contains: 'cup' } };
          expect(await idsOf({ filter, sort: [['total', 1]] })).to.deep.equal(['q', 'p']);
          expect(await idsOf({ filter, sort: [['total', -1]], skip: 1, limit: 1 })).to.deep.equal(['q']);
          expect(await withCup({ total: 2 })).to.deep.equal(['p']);
        });

        it('follows every write', async () => {
          await index();
          await put({ _id: 'p', status: 'cup' }, { _id: 'q', status: 'mug' }, { _id: 'r', status: 'cup' });
          await putAt(5, { _id: 's', status: 'cup' });
          expect(await withCup()).to.deep.equal(['p', 'r', 's']);
          await put(
            { _id: 'p', status: 'mug' },
            { _id: 'q', status: 'a cup' },
            { _id: 'r', status: 'cup', total: 9 },
          );
          expect(await withCup()).to.deep.equal(['q', 'r', 's']);
          await removeAt(6, 's');
          await putAt(4, { _id: 's', status: 'cup' });
          expect(await withCup()).to.deep.equal(['q', 'r']);
          await putAt(7, { _id: 's', status: 'cup' });
          expect(await withCup()).to.deep.equal(['q', 'r', 's']);
          await store.updateIf(orders, { _id: 'q' }, { set: { status: 'tea' } });
          await store.insertIfAbsent(orders, { _id: 't', status: 'cup' } as Order);
          expect(await withCup()).to.deep.equal(['r', 's', 't']);
          await store.deleteMany(orders, { _id: 'r' }, 1);
          await store.write([{ collection: orders, remove: 's' }]);
          expect(await withCup()).to.deep.equal(['t']);
          await put({ _id: 'v', status: 'cup' });
          expect(await withCup()).to.deep.equal(['t', 'v']);
          await store.drop(orders);
          await index();
          await put({ _id: 'w', status: 'cup' });
          expect(await withCup()).to.deep.equal(['w']);
        });

        it('takes signs as they are, and parts that are too short for an index', async () => {
          await index();
          await put(
            { _id: 'p', status: 'say "cup" OR \\mug*' },
            { _id: 'q', status: 'zero\0cup' },
            { _id: 'r', status: '漢字𝕏 cup' },
          );
          for (const [contains, ...ids] of [
            ['"cup"', 'p'],
            ['cup" OR', 'p'],
            ['\\mug*', 'p'],
            ['zero\0c', 'q'],
            ['cup', 'p', 'q', 'r'],
            ['up', 'p', 'q', 'r'],
            ['字𝕏 c', 'r'],
            ['CUP'],
          ] as const) {
            const filter = { _id: { gte: 'p' }, status: { contains } };
            expect(await idsOf({ filter, sort: [['_id', 1]] }), contains).to.deep.equal(ids);
          }
        });

        it('counts many among those that are asked for', async () => {
          await store.declare(orders, [
            { fields: ['status'], contains: true },
            { fields: ['place'], including: ['status'] },
          ]);
          const places = ['west', 'east', 'north', '[1]', null, 7, 'éast'];
          await put(
            ...Array.from({ length: 2100 }, (_, at) => ({
              ...{ _id: `n${at}`, place: places[at % 7] ?? null },
              status: at % 14 === 1 ? 'mug' : 'a cup',
            })),
            { _id: 'a', place: 'east', status: ['a cup'] } as unknown as Order,
            { _id: 'b', place: 'south', status: 'a cup' },
          );
          for (const [place, count] of [
            ['west', 300],
            ['east', 150],
            [{ in: ['west', 'east'] }, 450],
            [{ in: ['west', 'south', 'west'] }, 301],
            ['[1]', 300],
            [{ in: ['éast', 'north'] }, 600],
            ['nowhere', 0],
            [null, 300],
          ] as const) {
            const filter = { place, status: { contains: 'a cup' } };
            expect(await store.count(orders, filter), JSON.stringify(place)).to.equal(count);
          }
        });

        it('pages through and counts more than are looked up one by one', async () => {
          await index();
          await put(
            ...Array.from({ length: 1100 }, (_, at) => ({ _id: `n${at}`, status: 'cup', total: at })),
          );
          const filter = { status: { contains: 'cup' }, total: { gte: 0 } };
          expect(await store.count(orders, filter)).to.equal(1100);
          const page = { filter, sort: [['total', -1]], skip: 1098, limit: 5 } as const;
          expect(await idsOf(page)).to.deep.equal(['n1', 'n0']);
        });
      });

      it('answers at most a thousand and counts all', async () => {
        await put(...Array.from({ length: 1200 }, (_, index) => ({ _id: `n${index}`, status: 'Many' })));
        expect(await store.find(orders, { filter: { status: 'Many' } })).to.have.length(1000);
        expect(await store.count(orders, { status: 'Many' })).to.equal(1200);
        expect(await store.count(orders)).to.equal(1206);
        expect(await failureOf(store.find(orders, { limit: 1001 }))).to.be.instanceOf(RangeError);
      });
    });

    describe('indexes', () => {
      const isRefused = async (filter: Filter, sort?: FindOptions['sort']): Promise<boolean> =>
        (await failureOf(store.find('baskets', { filter, ...(sort && { sort }) }))) instanceof NoIndexServes;

      beforeEach(() =>
        store.declare('baskets', [{ fields: ['customer', 'changedAt'] }, { fields: ['name'] }]),
      );

      it('refuses a find that none serves', async () => {
        expect(await isRefused({ country: 'GB' })).to.equal(true);
        expect(await isRefused({ changedAt: '2026-01-01' })).to.equal(true);
        expect(await isRefused({}, [['changedAt', 1]])).to.equal(true);
        expect(
          await isRefused({}, [
            ['customer', 1],
            ['changedAt', -1],
          ]),
        ).to.equal(true);
        expect(await isRefused({ name: { contains: 'x' } })).to.equal(true);
        expect(await isRefused({ name: { ne: 'x' } })).to.equal(true);
        expect(await isRefused({ country: 'GB' }, [['country', 1]])).to.equal(true);
      });

      it('refuses such a count, change and deletion as well', async () => {
        const failures = await Promise.all([
          failureOf(store.count('baskets', { country: 'GB' })),
          failureOf(store.sum('baskets', 'total', { country: 'GB' })),
          failureOf(store.updateIf('baskets', { country: 'GB' }, { set: { country: 'FR' } })),
          failureOf(store.deleteMany('baskets', { country: 'GB' }, 10)),
        ]);
        for (const failure of failures) expect(failure).to.be.instanceOf(NoIndexServes);
      });

      it('serves by the first field of an index, by its fields in order, and by id', async () => {
        expect(await isRefused({ customer: 'ann', country: 'GB' }, [['changedAt', -1]])).to.equal(false);
        expect(await isRefused({ customer: { in: ['ann', 'bob'] } })).to.equal(false);
        expect(await isRefused({ customer: null })).to.equal(false);
        expect(await isRefused({ name: { gte: 'a', lt: 'b' } })).to.equal(false);
        expect(
          await isRefused({ country: 'GB' }, [
            ['customer', -1],
            ['changedAt', -1],
          ]),
        ).to.equal(false);
        expect(await isRefused({ name: { contains: 'x' } }, [['name', 1]])).to.equal(false);
        expect(await isRefused({ _id: { in: ['a'] }, country: 'GB' })).to.equal(false);
        expect(await isRefused({ country: 'GB' }, [['_id', 1]])).to.equal(false);
        expect(await isRefused({})).to.equal(false);
      });

      it('can be declared again, and more of them later, over what is there', async () => {
        await store.write([{ collection: 'baskets', put: { _id: 'a', country: 'GB' } as Order }]);
        await store.declare('baskets', [{ fields: ['name'] }]);
        expect(await isRefused({ country: 'GB' })).to.equal(true);
        const indexes = [{ fields: ['country'] }, { fields: ['name'] }];
        await store.declare('baskets', indexes, { filling: 'begins' });
        expect(await isRefused({ country: 'GB' })).to.equal(true);
        await store.declare('baskets', indexes);
        await store.declare('baskets');
        expect(await store.find('baskets', { filter: { country: 'GB' } })).to.deep.equal([
          { _id: 'a', country: 'GB' },
        ]);
        expect(await isRefused({ customer: 'ann' })).to.equal(false);
      });

      it('refuses a unique index that the documents break already', async () => {
        await store.write(
          ['a', 'b'].map((_id) => ({ collection: 'baskets', put: { _id, code: 'SAME' } as Order })),
        );
        const failure = await failureOf(store.declare('baskets', [{ fields: ['code'], unique: true }]));
        expect(failure).to.be.instanceOf(DuplicateKey);
      });
    });

    describe('collections', () => {
      it('lists what was declared or written, until it is dropped', async () => {
        await store.write([{ collection: 'pointers', put: { _id: 'orders' } }]);
        expect(await store.collections()).to.have.members([orders, 'pointers']);
        await store.drop('pointers');
        await store.drop('never_there');
        expect(await store.collections()).to.have.members([orders]);
      });

      it('drops documents, tombstones and indexes together', async () => {
        await putAt(9, { _id: 'a', status: 'Open' });
        await removeAt(9, 'b');
        await store.get(orders, 'a');
        await store.drop(orders);
        expect(await store.get(orders, 'a')).to.equal(null);
        expect(await store.getMany(orders, ['a'])).to.deep.equal([]);
        expect(await failureOf(store.find(orders, { filter: { status: 'Open' } }))).to.be.instanceOf(
          NoIndexServes,
        );
        await putAt(1, { _id: 'b' });
        expect(await matching({})).to.deep.equal(['b']);
      });

      it('takes what nests as deep as callers may send it, and keeps it as it is', async () => {
        const data = nested(40);
        await putAt(1, { _id: '1', status: 'Paid', data });
        expect(await store.get<Order>(orders, '1')).to.deep.equal({ _id: '1', status: 'Paid', data });
      });

      it('keeps or refuses what is beyond that, is not away for it, and goes on', async () => {
        const tooMuch = [{ data: nested(1200) }, { data: 'x'.repeat(17_000_000) }];
        for (const [index, { data }] of tooMuch.entries()) {
          const failure = await failureOf(putAt(2, { _id: `beyond ${index}`, status: 'Paid', data }));
          if (failure !== null) {
            expect(failure).to.be.instanceOf(Error).and.not.instanceOf(EngineUnavailable);
            expect(await store.get(orders, `beyond ${index}`)).to.equal(null);
          }
          await putAt(3, { _id: `after ${index}`, status: 'Paid' });
          expect(await store.get<Order>(orders, `after ${index}`)).to.include({ status: 'Paid' });
        }
      });

      it('is empty where nothing was ever written', async () => {
        expect(await store.get('nothing', 'a')).to.equal(null);
        expect(await store.getMany('nothing', ['a'])).to.deep.equal([]);
        expect(await store.find('nothing')).to.deep.equal([]);
        expect(await store.count('nothing')).to.equal(0);
        expect(await store.updateIf('nothing', { _id: 'a' }, { set: { a: 1 } })).to.equal(null);
        expect(await store.deleteMany('nothing', { _id: 'a' }, 1)).to.equal(0);
      });

      it('answers a ping', async () => expect(await store.ping()).to.equal(undefined));
    });
  });
}
