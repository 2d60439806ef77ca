import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createScratchDocumentStore } from '#adapters/memory/scratch-document-store.ts';
import type { Document } from '#kernel/projection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { describeDocumentStore } from './document-store.contract.ts';

describeDocumentStore({
  name: 'memory over another store',
  isTransactional: true,
  open: async () => {
    const store = createScratchDocumentStore(createMemoryDocumentStore());
    return { store, dispose: () => store.close() };
  },
});

const days = 'days_v1_1';
const day = (_id: string, sales: number, position: number) =>
  ({ _id, sales, _position: position }) as Document;

describe('memory over a store that holds documents', () => {
  let base: DocumentStore;
  let scratch: DocumentStore;
  beforeEach(async () => {
    base = createMemoryDocumentStore();
    await base.declare(days, [{ fields: ['sales'] }]);
    const documents = Array.from({ length: 1200 }, (_, place) =>
      day(`day-${String(place).padStart(4, '0')}`, place, 10),
    );
    await base.write(documents.map((put) => ({ collection: days, put, position: 10 })));
    scratch = createScratchDocumentStore(base);
  });

  it('finds what was there and what is new in one order', async () => {
    await scratch.write([
      { collection: days, put: day('day-0001', 5000, 11), position: 11 },
      { collection: days, put: day('day-0002a', 2, 11), position: 11 },
      { collection: days, remove: 'day-0003', position: 11 },
    ]);
    const ids = async (store: DocumentStore) =>
      (await store.find(days, { sort: [['_id', 1]], skip: 1, limit: 4 })).map(({ _id }) => _id);
    expect(await ids(scratch)).to.deep.equal(['day-0001', 'day-0002', 'day-0002a', 'day-0004']);
    expect(await scratch.find(days, { sort: [['sales', -1]], limit: 2 })).to.deep.equal([
      day('day-0001', 5000, 11),
      day('day-1199', 1199, 10),
    ]);
    expect(await scratch.find(days, { sort: [['_id', 1]], skip: 1000, limit: 1000 })).to.have.length(200);
    expect(await scratch.count(days)).to.equal(1200);
    expect(await scratch.count(days, { sales: { gte: 1199 } })).to.equal(2);
    expect(await scratch.sum(days, 'sales', { sales: { lte: 3 } })).to.equal(0 + 2 + 2);
    expect(await scratch.countBy(days, ['sales'], { sales: { lte: 3 } })).to.have.deep.members([
      { values: [0], count: 1 },
      { values: [2], count: 2 },
    ]);
  });

  it('leaves the store as it was', async () => {
    await scratch.write([{ collection: days, put: day('day-0001', 7, 11), position: 11 }]);
    await scratch.write([{ collection: days, remove: 'day-0002' }]);
    await scratch.updateIf(days, { _id: 'day-0003' }, { increment: { sales: 1 } });
    await scratch.deleteMany(days, { sales: { gte: 1198 } }, 10);
    expect([await scratch.get(days, 'day-0003'), await scratch.count(days)]).to.deep.equal([
      day('day-0003', 4, 10),
      1197,
    ]);
    expect([await base.get(days, 'day-0003'), await base.count(days)]).to.deep.equal([
      day('day-0003', 3, 10),
      1200,
    ]);
    await scratch.drop(days);
    expect([await scratch.collections(), await scratch.get(days, 'day-0000')]).to.deep.equal([[], null]);
    expect(await base.get(days, 'day-0000')).to.deep.equal(day('day-0000', 0, 10));
  });

  it('writes over a document as the store itself would: only what is newer', async () => {
    await scratch.write([{ collection: days, put: day('day-0001', 7, 9), position: 9 }]);
    expect(await scratch.get(days, 'day-0001')).to.deep.equal(day('day-0001', 1, 10));
    expect(await scratch.insertIfAbsent(days, day('day-0001', 7, 12))).to.equal(false);
    expect(await scratch.insertIfAbsent(days, day('day-9999', 7, 12))).to.equal(true);
    expect(await scratch.updateIf(days, { _id: 'day-0001', sales: 2 }, { set: { sales: 3 } })).to.equal(null);
  });
});
