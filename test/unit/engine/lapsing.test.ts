import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { sweepPage } from '#projection/engine/lapsing.ts';
import { when } from '#test/support/refusal.ts';

const left = (_id: string, day: string) => ({ _id, changedAt: `2026-03-${day}T00:00:00.000Z` });

const givenView = async () => {
  const readStore = createMemoryDocumentStore();
  const documents = [left('old', '01'), left('older', '02'), left('young', '20')];
  await readStore.write(documents.map((put) => ({ collection: 'baskets', put })));
  const forgotten: string[] = [];
  const sweeping = {
    collection: 'baskets',
    lapsing: {
      changedAt: (document: object) => (document as { changedAt: string }).changedAt,
      streamOf: (key: string) => key,
    },
    before: '2026-03-10T00:00:00.000Z',
    forget: (key: string) => void forgotten.push(key),
  };
  return { readStore, sweeping, forgotten };
};

describe('A page of documents that lapse', () => {
  it('loses those that were not changed since, and says which', async () => {
    const { readStore, sweeping, forgotten } = await givenView();
    expect(await sweepPage({ ...sweeping, readStore }, '')).to.deep.equal({ removed: 2, last: null });
    expect(forgotten).to.deep.equal(['old', 'older']);
    expect(await readStore.count('baskets')).to.equal(1);
  });

  it('says so, too, where the store gives no answer: they may be gone', async () => {
    const { readStore, sweeping, forgotten } = await givenView();
    const deleteMany: typeof readStore.deleteMany = async (...asked) => {
      await readStore.deleteMany(...asked);
      throw new EngineUnavailable('no answer');
    };
    const find = readStore.find.bind(readStore);
    await when(sweepPage({ ...sweeping, readStore: { find, deleteMany } }, '')).thenFails(EngineUnavailable);
    expect(forgotten).to.deep.equal(['old', 'older']);
  });
});
