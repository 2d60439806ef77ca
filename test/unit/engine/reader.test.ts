import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createReader } from '#projection/engine/reader.ts';
import { storedViews } from '#test/support/stored-views.ts';

/** A store whose reads wait while the generation that they ask is replaced by another and dropped. */
const replacedWhileRead = async () => {
  const readStore = createMemoryDocumentStore();
  const put = { _id: 'order-1', total: 5 };
  await readStore.write(['orders_v1_1', 'orders_v1_2'].map((collection) => ({ collection, put })));
  let serving = 'orders_v1_1';
  const replace = async (): Promise<void> => {
    serving = 'orders_v1_2';
    await readStore.drop('orders_v1_1');
  };
  const find = readStore.find.bind(readStore);
  const count = readStore.count.bind(readStore);
  const sum = readStore.sum.bind(readStore);
  readStore.find = (...asked) => replace().then(() => find(...asked)) as never;
  readStore.count = (...asked) => replace().then(() => count(...asked));
  readStore.sum = (...asked) => replace().then(() => sum(...asked));
  const engine = {
    collectionOf: () => serving,
    fillingOf: () => null,
    shown: () => undefined,
    stateOf: () => null,
    write: () => Promise.resolve(),
  };
  return createReader({ readStore, engine });
};

describe('how many documents a filter finds', () => {
  const twoOfAda = { customer: 'Ada' };
  const orders = ['Ada', 'Ada', 'Bob'].map((customer, place) => ({
    collection: 'orders',
    put: { _id: `order-${place}`, customer },
  }));

  /** A view whose state is told by the test, and how often its store has counted. */
  const counting = async (state: { now: object | null }) => {
    const readStore = createMemoryDocumentStore();
    await readStore.declare('orders', [{ fields: ['customer'] }]);
    await readStore.write(orders);
    const count = readStore.count.bind(readStore);
    const counted = { times: 0, whileCounting: () => undefined as unknown };
    readStore.count = async (...asked) => {
      counted.times++;
      const found = await count(...asked);
      counted.whileCounting();
      return found;
    };
    const engine = { ...storedViews((view) => view), stateOf: () => state.now };
    return { counted, reader: createReader({ readStore, engine }) };
  };

  it('is counted once for all pages of a list, and again when something has changed', async () => {
    const state = { now: {} };
    const { counted, reader } = await counting(state);
    for (let page = 0; page < 3; page++) expect(await reader.count('orders', twoOfAda)).to.equal(2);
    expect(await reader.count('orders', { customer: 'Bob' })).to.equal(1);
    expect(counted.times).to.equal(2);
    state.now = {};
    expect(await reader.count('orders', twoOfAda)).to.equal(2);
    expect(counted.times).to.equal(3);
  });

  it('is counted once each where two are asked for at once', async () => {
    const { counted, reader } = await counting({ now: {} });
    for (let time = 0; time < 2; time++)
      await Promise.all(['Ada', 'Bob'].map((customer) => reader.count('orders', { customer })));
    expect(counted.times).to.equal(2);
  });

  it('is counted each time where it is not known what has changed, and while something changes', async () => {
    const state: { now: object | null } = { now: null };
    const { counted, reader } = await counting(state);
    await reader.count('orders', twoOfAda);
    await reader.count('orders', twoOfAda);
    expect(counted.times).to.equal(2);
    const before = {};
    state.now = before;
    counted.whileCounting = () => (state.now = {});
    await reader.count('orders', twoOfAda);
    state.now = before;
    await reader.count('orders', twoOfAda);
    expect(counted.times).to.equal(4);
  });
});

describe('a question to a view that is replaced meanwhile', () => {
  it('is answered by what has come to serve', async () => {
    expect(await (await replacedWhileRead()).find('orders')).to.deep.equal([{ _id: 'order-1', total: 5 }]);
    expect(await (await replacedWhileRead()).count('orders')).to.equal(1);
    expect(await (await replacedWhileRead()).sum('orders', 'total')).to.equal(5);
  });
});
