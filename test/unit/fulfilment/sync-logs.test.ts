import { expect } from 'chai';
import { createSyncLogs } from '#command/contexts/fulfilment/syncs/sync-logs.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';

const house = 'house';
const done = { status: 'Completed', errorMessage: null } as const;

/** docs/rules/fulfilment.md#syncs */
describe('syncs of two processes with one provider', () => {
  let time: number;
  let stateStore: DocumentStore;
  const logsOf = (instanceId: string) =>
    createSyncLogs({
      ...{ stateStore, instanceId, isOnlyWriter: false, retentionDays: 30, leaseMs: 5000 },
      ...{ clock: { now: () => time }, realTime: () => time },
    });
  const codeOf = (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'begun',
      (error: unknown) => (error instanceof Rejection ? error.code : String(error)),
    );

  beforeEach(() => {
    time = Date.parse('2026-01-05T09:00:00Z');
    stateStore = createMemoryDocumentStore();
  });

  it('go one after another, and those of the other kind beside them', async () => {
    const [one, other] = [await logsOf('one'), await logsOf('other')];
    const begun = await Promise.all(
      [one, other, one].map((logs) => codeOf(logs.begin(house, 'InventoryIn'))),
    );
    expect(begun.sort()).to.deep.equal(['begun', 'run-under-way', 'run-under-way']);
    expect(await codeOf(other.begin(house, 'ProductsOut'))).to.equal('begun');
    expect(await codeOf(other.begin('another house', 'InventoryIn'))).to.equal('begun');
    const { items } = await one.list({ configurationId: house, page: 1, pageSize: 50 });
    expect(items.map(({ syncType }) => syncType).sort()).to.deep.equal(['InventoryIn', 'ProductsOut']);
    for (const row of items) await one.end(row, done);
    expect(await codeOf(other.begin(house, 'InventoryIn'))).to.equal('begun');
  });

  it('wait for none that has died with its process', async () => {
    const [one, other] = [await logsOf('one'), await logsOf('other')];
    const left = await one.begin(house, 'InventoryIn');
    time += 4999;
    expect(await codeOf(other.begin(house, 'InventoryIn'))).to.equal('run-under-way');
    time += 1;
    expect(await codeOf(other.begin(house, 'InventoryIn'))).to.equal('begun');
    expect(await one.load(left._id)).to.include({ status: 'Failed' });
    // The one that was taken for dead ends nothing that is not its own.
    expect(await one.end(left, done)).to.equal(null);
    expect(await codeOf(one.begin(house, 'InventoryIn'))).to.equal('run-under-way');
  });
});
