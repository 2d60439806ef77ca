import { expect } from 'chai';
import type { ApiResponse } from '#test/support/browser.ts';
import {
  FULFILMENT_KEY,
  FULFILMENT_SECRET,
  startFulfilmentServer,
  type FulfilmentServer,
} from '#test/support/fulfilment-server.ts';
import { managing } from '#test/support/managing.ts';
import { manage } from '#test/support/requests.ts';
import { body, events, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const path = '/fulfilment-providers';
const DAY = 86_400;

describe('what a fulfilment provider has in stock, and knows of products (docs/rules/fulfilment.md#syncs)', () => {
  let shop: TestShop;
  let server: FulfilmentServer;
  let id: string;
  let leith: string;
  const { when, make } = managing(() => shop);

  const stocked = async (sku: string, stock: number, more: object = {}): Promise<string> => {
    const rows = [{ warehouseId: leith, stock }];
    const warehouses = [{ warehouseId: leith }];
    const product = { rootName: sku, sku, price: 10, warehouses, stock: rows, ...more };
    const { variants } = await make('/products', product);
    return variants[0].id as string;
  };
  const sync = async (what: 'products' | 'inventory'): Promise<ApiResponse['body']> => {
    const begun = await when(manage.post(`${path}/${id}/sync/${what}`)).then(202, { status: 'Running' });
    await shop.settle();
    return (await when(manage.get(`${path}/sync-logs/${begun.body.id}`)).then(200)).body;
  };
  const stockOf = async (productId: string, warehouseId = leith): Promise<number> => {
    const { body: row } = await when(
      manage.post('/inventory/adjust', { productId, warehouseId, quantity: 0, reason: 'look' }),
    ).then(200);
    return row.stock as number;
  };

  beforeEach(async () => {
    shop = await TestShop.open({ environment: { ALLOW_LOOPBACK_TARGETS: 'true' } });
    server = await startFulfilmentServer();
    const secrets = { apiKey: FULFILMENT_KEY, webhookSecret: FULFILMENT_SECRET };
    const configuration = { baseUrl: server.url, ...secrets, timeoutSeconds: 60 };
    id = (await make(path, { providerKey: 'generic-http', displayName: 'Leith', configuration })).id;
    const address = { countryCode: 'GB' };
    const warehouse = { name: 'Leith', code: 'LEITH', address, fulfilmentProviderConfigurationId: id };
    leith = (await make('/warehouses', warehouse)).id;
    await shop.settle();
  });
  afterEach(async () => {
    await server.close();
    await shop.close();
  });

  it('take over what can be sold there, on top of what the shop has reserved', async () => {
    const mug = await stocked('mug', 10);
    const cup = await stocked('cup', 4);
    const jug = await stocked('jug', 3);
    await shop.settle();
    server.levels = [
      { sku: 'mug', availableQuantity: 25, reservedQuantity: 9 },
      { sku: 'cup', warehouseCode: 'leith', availableQuantity: 4 },
      { sku: 'jug', availableQuantity: -1 },
      { sku: 'unknown', availableQuantity: 5 },
      { sku: 'cup', warehouseCode: 'nowhere', availableQuantity: 5 },
    ];
    expect(await sync('inventory')).to.deep.include({
      providerConfigurationId: id,
      providerDisplayName: 'Leith',
      syncType: 'InventoryIn',
      status: 'Completed',
      itemsProcessed: 5,
      itemsSucceeded: 2,
      itemsFailed: 0,
      errorMessage: null,
    });
    await when(manage.get('/audit/events?type=StockAdjusted'))
      .then(200)
      .and(body(({ events: found }) => expect(found).to.have.length(1)));
    expect(await stockOf(mug)).to.equal(25);
    expect(await stockOf(cup)).to.equal(4);
    expect(await stockOf(jug)).to.equal(3);
  });

  it('pass over warehouses that this provider does not send from', async () => {
    const own = (await make('/warehouses', { name: 'Own', code: 'OWN', address: { countryCode: 'GB' } })).id;
    const rows = [leith, own].map((warehouseId) => ({ warehouseId, stock: 4 }));
    const cup = await stocked('cup', 4, {
      ...{ warehouses: rows.map(({ warehouseId }) => ({ warehouseId })), stock: rows },
    });
    await shop.settle();
    server.levels = [
      { sku: 'cup', warehouseCode: 'OWN', availableQuantity: 99 },
      { sku: 'cup', warehouseCode: 'LEITH', availableQuantity: 5 },
    ];
    expect(await sync('inventory')).to.include({ itemsProcessed: 2, itemsSucceeded: 1, itemsFailed: 0 });
    expect(await stockOf(cup)).to.equal(5);
    expect(await stockOf(cup, own)).to.equal(4);
  });

  it('tell integrators once that stock was taken over', async () => {
    await stocked('mug', 10);
    await shop.settle();
    server.levels = [{ sku: 'mug', availableQuantity: 11 }];
    await sync('inventory');
    await when(manage.get('/audit/events?type=FulfilmentInventorySynced'))
      .then(200)
      .and(body(({ events: found }) => expect(found).to.have.length(1)))
      .and(
        body(({ events: found }) =>
          expect(found[0].data).to.deep.include({ providerKey: 'generic-http', itemsSucceeded: 1 }),
        ),
      );
  });

  it('say why they failed, and change nothing then', async () => {
    const mug = await stocked('mug', 10);
    await shop.settle();
    for (const [fault, message] of [
      ['off', /the connection failed/],
      ['nonsense', /its answer is not JSON/],
      ['refuses', /it answered 422/],
    ] as const) {
      server.fail(fault);
      const row = await sync('inventory');
      expect(row).to.include({ status: 'Failed', itemsProcessed: 0 });
      expect(row.errorMessage).to.match(message);
    }
    expect(await stockOf(mug)).to.equal(10);
    await when(manage.get('/audit/events?type=FulfilmentInventorySynced'))
      .then(200)
      .and(body(({ events: found }) => expect(found).to.have.length(0)));
  });

  it('send every product that can be sold and sent, and name those that were not taken', async () => {
    await stocked('mug', 1);
    await stocked('BAD-cup', 1);
    await stocked('off', 1, { canPurchase: false });
    await make('/products', { rootName: 'song', sku: 'song', price: 1, isDigitalProduct: true });
    await shop.settle();
    const row = await sync('products');
    expect(server.products.map((skus) => [...skus].sort())).to.deep.equal([['BAD-cup', 'mug']]);
    expect(row).to.include({
      syncType: 'ProductsOut',
      status: 'Failed',
      itemsProcessed: 2,
      itemsSucceeded: 1,
      itemsFailed: 1,
      errorMessage: 'not taken: BAD-cup',
    });
    await when(manage.get('/audit/events?type=FulfilmentProductsSynced'))
      .then(200)
      .and(body(({ events: found }) => expect(found).to.have.length(1)));
  });

  it('tell nobody of products where there are none', async () => {
    expect(await sync('products')).to.include({ status: 'Completed', itemsProcessed: 0 });
    expect(server.requests).to.deep.equal([]);
    await when(manage.get('/audit/events?type=FulfilmentProductsSynced'))
      .then(200)
      .and(body(({ events: found }) => expect(found).to.have.length(0)));
  });

  it('are listed, latest first, for as long as the shop keeps them', async () => {
    const first = await sync('inventory');
    await shop.tester.post('/testing/clock', { advanceSeconds: 20 * DAY });
    const second = await sync('products');
    await when(manage.get(`${path}/sync-logs`))
      .then(200, { totalItems: 2, page: 1 })
      .and(
        body(({ items }) =>
          expect(items.map((row: ApiResponse['body']) => row.id)).to.deep.equal([second.id, first.id]),
        ),
      );
    await when(manage.get(`${path}/sync-logs?configurationId=${second.id}`)).then(200, { totalItems: 0 });
    await when(manage.get(`${path}/sync-logs?search=INVENTORY`)).then(200, { totalItems: 1 });
    await when(manage.get(`${path}/sync-logs?search=nobody`)).then(200, { totalItems: 0 });
    await shop.tester.post('/testing/clock', { advanceSeconds: 11 * DAY });
    await shop.tester.post('/testing/jobs/fulfilment-cleanup');
    await when(manage.get(`${path}/sync-logs`)).then(200, { totalItems: 1 });
    await when(manage.get(`${path}/sync-logs/${first.id}`))
      .then(404)
      .and(refusedFor('entity-not-found'));
  });

  it('are under way once of each kind', async () => {
    server.fail('hangs');
    // Nothing settles while the first hangs.
    const ask = (what: string) => shop.admin.ask(manage.post(`${path}/${id}/sync/${what}`));
    const syncId: string = (await ask('inventory')).body.id;
    const { status, body: refusal } = await ask('inventory');
    const message = `A sync of this kind with this provider is under way: ${syncId}.`;
    expect({ status, ...refusal }).to.deep.include({ status: 409, syncId, message });
    expect((await ask('products')).status).to.equal(202);
    const { items } = (await shop.admin.ask(manage.get(`${path}/sync-logs`))).body;
    expect(items).to.have.length(2);
  });

  it('are refused of a provider that cannot, or is off', async () => {
    const supplier = await make(path, { providerKey: 'supplier-direct' });
    await when(manage.post(`${path}/${supplier.id}/sync/inventory`))
      .then(400, { message: 'This provider does not support that.' })
      .and(noNewEvents());
    await when(manage.post(`${path}/${id}/toggle`, { isEnabled: false }))
      .then(200)
      .and(events('FulfilmentProviderConfigurationChanged'));
    await shop.settle();
    await when(manage.post(`${path}/${id}/sync/products`))
      .then(400, { message: 'This provider is switched off.' })
      .and(noNewEvents());
  });
});
