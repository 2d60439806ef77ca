import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { verifyShop } from '#projection/contexts/audit/verification/verify-shop.ts';
import { manage } from '#test/support/requests.ts';
import { TestShop } from '#test/support/shop.ts';

const path = '/backoffice/api/v1/audit/verification';

describe('the last verification of the event log', () => {
  let shop: TestShop;
  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop.close());

  it('is none, then the one that was kept last', async () => {
    expect((await shop.admin.get(path)).body).to.deep.equal({ last: null });
    await shop.sell('mug', { price: 10, stock: 1 });
    const { store } = shop.shop.runtime;
    const report = await verifyShop({
      store,
      stateStore: createMemoryDocumentStore(),
      kept: null,
      now: () => Date.parse('2026-03-01T12:00:00.000Z'),
    });
    expect(report).to.deep.include({ isSound: true, position: await store.head() });
    expect(report.seals).to.deep.include({ covering: null, uncovered: report.events });
    const { status } = await shop.admin.ask(manage.put('/audit/verification', report));
    expect(status).to.equal(200);
    expect((await shop.admin.get(path)).body).to.deep.equal({ last: report });
  });

  it('is taken only as a whole', async () => {
    const { status, body } = await shop.admin.ask(manage.put('/audit/verification', { isSound: true }));
    expect(status).to.equal(400);
    expect(JSON.stringify(body)).to.include('startedAt');
  });
});
