import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { managing } from '#test/support/managing.ts';
import { manage } from '#test/support/requests.ts';
import { body, exactly, noNewEvents, refusedFor } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';
import { counterCollection, zeroCounters, type SubscriptionCounters } from '#topics/webhook-delivery.ts';

const nobody = '00000000-0000-4000-8000-000000000000';

describe('health checks (docs/rules/management.md#health-checks)', () => {
  let shop: TestShop;
  let dataDir: string;
  let bare: string;
  let shown: string;
  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'tillroll-checks-'));
    shop = await TestShop.open({ environment: { DATA_DIR: dataDir } });
    const idOf = async (wanted: object): Promise<string> => (await make('/products', wanted)).id;
    shown = await idOf({ rootName: 'Shown', sku: 'SHOWN', price: 1, images: ['shown.jpg'] });
    const { body: hull } = await shop.admin.ask(manage.get('/warehouses'));
    await shop.admin.ask(
      manage.put(`/products/${shown}`, { warehouses: [{ warehouseId: hull.items[0].id }] }),
    );
    const value = (name: string, more: object = {}) => ({ name, ...more });
    bare = await idOf({
      rootName: 'Bare',
      variants: [{ sku: 'BARE', price: 1, canPurchase: false }],
      options: [
        {
          name: 'Engraving',
          isVariant: false,
          optionUiAlias: 'colour',
          values: [value('Red', { hexValue: '#f00' }), value('Blue')],
        },
      ],
    });
    await shop.settle();
  });
  after(async () => {
    await shop.close();
    rmSync(dataDir, { recursive: true });
  });

  const { when, make } = managing(() => shop);

  it('are listed in their order', async () => {
    await when(manage.get('/health-checks'))
      .then(200)
      .and(
        body((list) => {
          const known = list.map(({ alias }: { alias: string }) => alias);
          expect(known).to.include.members([
            'no-payment-method',
            'money-owed-back',
            'products-missing-images',
            'products-missing-warehouses',
            'unpublished-products',
            'option-values-missing-media',
            'webhooks-failing',
          ]);
          expect(list[0]).to.have.all.keys('alias', 'name', 'description', 'icon', 'sortOrder');
        }),
      );
  });

  for (const [alias, description] of [
    ['products-missing-images', 'No image'],
    ['unpublished-products', 'No variant is for sale'],
    ['option-values-missing-media', 'Engraving: Blue'],
  ] as const) {
    it(`find what they look for, and write nothing: ${alias}`, async () => {
      await when(manage.post(`/health-checks/${alias}/run`))
        .then(200, { alias, status: 'warning', affectedCount: 1 })
        .and(noNewEvents());
      await when(manage.get(`/health-checks/${alias}/details`))
        .then(200, { totalItems: 1, pageSize: 25 })
        .and(
          body(({ items }) =>
            expect(items).to.deep.equal([
              { id: bare, name: 'Bare', description, editPath: `/products/${bare}`, imageUrl: null },
            ]),
          ),
        );
      await when(manage.get(`/health-checks/${alias}/details?page=2`)).then(200, {
        totalItems: 1,
        items: [],
      });
    });
  }

  it('find a shop that does not know where its shoppers see it', async () => {
    const alias = 'storefront-missing';
    await when(manage.post(`/health-checks/${alias}/run`)).then(200, { status: 'warning', affectedCount: 1 });
    await when(manage.put('/settings', { websiteUrl: 'https://shop.example' })).then(200);
    await when(manage.post(`/health-checks/${alias}/run`)).then(200, { status: 'success', affectedCount: 0 });
    await when(manage.get(`/health-checks/${alias}/details`)).then(200, { totalItems: 0 });
  });

  it('find a list of agents onto which anybody can get, as none has to sign', async () => {
    const askedOf = async (environment: Record<string, string>): Promise<unknown> => {
      const other = await TestShop.open({ environment });
      const { body: run } = await other.admin.ask(manage.post('/health-checks/agents-unverified/run'));
      await other.close();
      return [run.status, run.affectedCount];
    };
    const some = { Protocol__Ucp__AllowedAgents: '["https://agent.example"]' };
    expect(await askedOf({})).to.deep.equal(['success', 0]);
    expect(await askedOf(some)).to.deep.equal(['warning', 1]);
    expect(await askedOf({ ...some, Protocol__Ucp__RequireSignature: 'true' })).to.deep.equal(['success', 0]);
  });

  it('find digital products that have nothing to download', async () => {
    const song = { rootName: 'Song', sku: 'SONG', price: 1, images: ['s.jpg'], isDigitalProduct: true };
    const { id } = await make('/products', song);
    await shop.settle();
    const alias = 'digital-products-without-files';
    await when(manage.post(`/health-checks/${alias}/run`)).then(200, { affectedCount: 1 });
    await when(manage.put(`/products/${id}`, { digitalFileIds: ['song.mp3'] })).then(200);
    await when(manage.get(`/health-checks/${alias}/details`))
      .then(200)
      .and(body(({ items }) => expect(items[0]).to.include({ id, description: 'Not on disk: song.mp3' })));
    const folder = join(dataDir, 'downloads');
    mkdirSync(folder);
    writeFileSync(join(folder, 'song.mp3'), 'la la la');
    await when(manage.post(`/health-checks/${alias}/run`)).then(200, { status: 'success' });
  });

  it('find variants that are stocked where their product is not sent from', async () => {
    const alias = 'products-missing-warehouses';
    await when(manage.post(`/health-checks/${alias}/run`)).then(200, { status: 'success' });
    const { id: york } = await make('/warehouses', { name: 'York', address: { countryCode: 'GB' } });
    const { body: known } = await shop.admin.ask(manage.get(`/products/${shown}`));
    const { id } = await make('/products', {
      rootName: 'Lost',
      warehouses: known.warehouses,
      images: ['lost.jpg'],
      variants: [
        { sku: 'FOUND', price: 1 },
        { sku: 'LOST', price: 1, stock: [{ warehouseId: york, stock: 1 }] },
      ],
      options: [{ name: 'Kind', isVariant: false, values: [{ name: 'Any' }] }],
    });
    await shop.settle();
    await when(manage.get(`/health-checks/${alias}/details`))
      .then(200)
      .and(
        body(({ items }) =>
          expect(
            items.map((one: { id: string; description: string }) => [one.id, one.description]),
          ).to.deep.equal([[id, 'No warehouse sends LOST']]),
        ),
      );
    await when(manage.put(`/products/${id}`, { warehouses: [] })).then(200);
    await when(manage.post(`/health-checks/${alias}/run`)).then(200, { status: 'success' });
  });

  it('say that all is well where nothing is found', async () => {
    await when(manage.post('/health-checks/no-payment-method/run'))
      .then(200)
      .and(
        exactly({
          alias: 'no-payment-method',
          name: 'Payment methods',
          description: 'Whether shoppers are offered a way to pay.',
          icon: 'icon-credit-card',
          status: 'success',
          summary: 'Shoppers can pay.',
          affectedCount: 0,
        }),
      );
  });

  it('tell of a receiver that has refused ten times in a row, until it takes something again', async () => {
    const { id } = await make('/webhooks', {
      name: 'Books',
      topic: 'invoice.paid',
      targetUrl: 'https://accounting.example.com/hooks',
    });
    const counted = (counters: Partial<SubscriptionCounters>) =>
      shop.shop.runtime.stateStore.write([
        { collection: counterCollection, put: { ...zeroCounters(id), ...counters } },
      ]);
    const lastFailureUtc = '2026-01-02T00:00:00.000Z';
    await counted({ lastFailureUtc, failureCount: 12, failuresInARow: 9, lastErrorMessage: 'HTTP 500' });
    await when(manage.post('/health-checks/webhooks-failing/run')).then(200, { status: 'success' });
    await counted({ lastFailureUtc, failuresInARow: 10, lastErrorMessage: 'HTTP 500' });
    await when(manage.post('/health-checks/webhooks-failing/run')).then(200, {
      status: 'error',
      summary: '1 webhook is failing.',
    });
    await when(manage.get('/health-checks/webhooks-failing/details'))
      .then(200)
      .and(
        body(({ items }) =>
          expect(items).to.deep.equal([
            { id, name: 'Books', description: 'HTTP 500', editPath: `/webhooks/${id}`, imageUrl: null },
          ]),
        ),
      );
    await when(manage.put(`/webhooks/${id}`, { isActive: false })).then(200);
    await when(manage.post('/health-checks/webhooks-failing/run')).then(200, { status: 'success' });
    await when(manage.put(`/webhooks/${id}`, { isActive: true })).then(200);
    await when(manage.post('/health-checks/webhooks-failing/run')).then(200, { status: 'error' });
    await counted({ lastFailureUtc, lastSuccessUtc: '2026-01-03T00:00:00.000Z', failuresInARow: 0 });
    await when(manage.post('/health-checks/webhooks-failing/run')).then(200, { status: 'success' });
  });

  it('know nothing of others, and of nobody without a key', async () => {
    await when(manage.post(`/health-checks/${nobody}/run`))
      .then(404)
      .and(refusedFor('entity-not-found'));
    await when(manage.get(`/health-checks/${nobody}/details`))
      .then(404)
      .and(refusedFor('entity-not-found'));
    await when(manage.get('/health-checks/unpublished-products/details?page=x')).then(400);
    await shop.given().when(manage.get('/health-checks')).then(401);
  });
});

describe('a shop without a way to pay', () => {
  it('says so', async () => {
    const shop = await TestShop.open({ environment: { Payments__Providers: '[]' } });
    const { body: run } = await shop.admin.ask(manage.post('/health-checks/no-payment-method/run'));
    expect(run).to.include({ status: 'error', affectedCount: 1 });
    await shop.close();
  });
});
