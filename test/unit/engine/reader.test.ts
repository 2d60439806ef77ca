import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createReader } from '#projection/engine/reader.ts';

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
    write: () => Promise.resolve(),
  };
  return createReader({ readStore, engine });
};

describe('a question to a view that is replaced meanwhile', () => {
  it('is answered by what has come to serve', async () => {
    expect(await (await replacedWhileRead()).find('orders')).to.deep.equal([{ _id: 'order-1', total: 5 }]);
    expect(await (await replacedWhileRead()).count('orders')).to.equal(1);
    expect(await (await replacedWhileRead()).sum('orders', 'total')).to.equal(5);
  });
});
