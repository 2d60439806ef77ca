import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { verifyShop } from '#projection/contexts/audit/verification/verify-shop.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { servingGenerations } from '#projection/engine/generations.ts';
import { projectionsOf } from '#projection/engine/join-modules.ts';
import { verifyViews } from '#projection/engine/verify/verify-views.ts';
import { modules } from '#projection/modules.ts';
import { pause } from '#runtime/back-off.ts';
import { manage } from '#test/support/requests.ts';
import { TestShop } from '#test/support/shop.ts';

const path = '/backoffice/api/v1/audit/verification';

/** Views are written a little later than they are read. */
const written = async (readStore: DocumentStore, position: number): Promise<void> => {
  const projections = projectionsOf(modules);
  for (;;) {
    const serving = await servingGenerations(readStore, projections);
    if ([...serving.values()].every(({ checkpoint }) => checkpoint.position >= position)) return;
    await pause(20);
  }
};

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

  it('compares every view of a shop that has sold with a fresh fold, while it is open', async () => {
    const mug = await shop.sell('cup', { price: 10, stock: 10 });
    const shopper = shop.shopper();
    await shopper.prepare(mug, 2);
    await shopper.payWith((await shopper.pay()).body.invoiceId as string);
    await shop.settle();
    const { store, codec, readStore } = shop.shop.runtime;
    const projections = projectionsOf(modules);
    const freshStore = createMemoryDocumentStore();
    await written(readStore, await store.head());
    const { views, documents, problems } = await verifyViews({
      store,
      codec,
      readStore,
      freshStore,
      projections,
    });
    expect(problems).to.deep.equal([]);
    expect(views).to.equal(projections.length);
    expect(documents).to.be.above(10);
  });

  it('is taken only as a whole', async () => {
    const { status, body } = await shop.admin.ask(manage.put('/audit/verification', { isSound: true }));
    expect(status).to.equal(400);
    expect(JSON.stringify(body)).to.include('startedAt');
  });
});
