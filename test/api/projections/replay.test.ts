import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { AsOf } from '#contracts/as-of.contract.ts';
import { loadConfig, type Config } from '#runtime/config.ts';
import { settingsAsItWas } from '#command/settings-as-it-was.ts';
import { makeReplay } from '#projection/cli/replay/make-replay.ts';
import { openReplayViews } from '#projection/cli/replay/replay-folder.ts';
import { serveReplay } from '#projection/cli/replay/serve-replay.ts';
import { Browser } from '#test/support/browser.ts';
import { when } from '#test/support/refusal.ts';
import { manage } from '#test/support/requests.ts';
import { testEnvironment, TestShop, API_KEY } from '#test/support/shop.ts';
import { closeEngines } from '../../../shared-kernel/open-engines.ts';

const DAY_SECONDS = 24 * 60 * 60;

describe('a replay beside a running shop', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tillroll-replay-'));
  const at = (name: string): string => `sqlite:${join(folder, name)}`;
  const environment = {
    ...testEnvironment(),
    ...{ DATA_DIR: folder, EVENT_STORE: at('events.db') },
    STATE_STORE: at('state.db'),
  };
  let shop: TestShop;
  let config: Config;
  let then: number;
  let mug: string;
  let customerId: string;
  let expected: Readonly<Record<string, unknown>>;

  const iso = (instant: number): string => new Date(instant).toISOString();
  const now = (): number => shop.shop.runtime.clock.now();
  const asked = ['/orders', '/orders/dashboard-stats', '/products', '/customers'];
  const answersOf = async (admin: Browser) => {
    const answers: Record<string, unknown> = {};
    for (const path of asked) answers[path] = (await admin.ask(manage.get(path))).body;
    return answers;
  };
  const watched = (onProgress: () => void = () => undefined, signal = new AbortController().signal) => ({
    onProgress,
    signal,
  });
  const until = (instant: number): AsOf => ({ kind: 'instant', instant });
  const make = (name: string, instant = then, views: readonly string[] | null = null) =>
    makeReplay(config, { until: until(instant), folder: join(folder, name), views }, watched());
  const serve = async (name: string) => {
    const options = {
      config,
      folder: join(folder, name),
      port: 0,
      version: '0',
      allRoutes: shop.shop.routes,
      further: settingsAsItWas,
    };
    const served = await serveReplay(options, watched());
    const admin = new Browser(`http://127.0.0.1:${served.port}`, { Authorization: `Bearer ${API_KEY}` });
    return { ...served, admin };
  };

  before(async () => {
    shop = await TestShop.open({ environment });
    config = loadConfig({ env: environment });
    mug = await shop.sell('mug', { price: 10 });
    const shopper = shop.shopper();
    await shopper.prepare(mug, 2, 'ada@example.com');
    const { invoiceId } = (await shopper.pay()).body as { invoiceId: string };
    await shopper.payWith(invoiceId);
    await shop.settle();
    expected = await answersOf(shop.admin);
    const { items } = expected['/customers'] as { items: readonly { readonly id: string }[] };
    customerId = items[0]?.id ?? '';
    then = now();
    // A month later it has another price, and someone else buys.
    await shop.tester.post('/testing/clock', { advanceSeconds: 31 * DAY_SECONDS });
    const { items: products } = expected['/products'] as { items: readonly { readonly id: string }[] };
    const changed = await shop.admin.ask(
      manage.put(`/products/${products[0]?.id}/variants/${mug}`, { price: 12 }),
    );
    expect(changed.status, changed.text).to.equal(200);
    const named = await shop.admin.ask(manage.put('/settings', { name: 'Another shop' }));
    expect(named.status, named.text).to.equal(200);
    await shop.settle();
    const later = shop.shopper();
    await later.prepare(mug, 1, 'bob@example.com');
    await later.pay();
    await shop.settle();
  });
  after(async () => {
    await shop.close();
    rmSync(folder, { recursive: true });
  });

  it('answers every query as the shop did then, names the moment, and takes no change', async () => {
    const head = await shop.shop.runtime.store.head();
    const { position } = await make('answers');
    const { admin, record, ownKey, close } = await serve('answers');
    const missing = `This is the shop as it was at ${iso(then)}; what is asked here only the running shop knows.`;
    try {
      expect(await answersOf(admin)).to.deep.equal(expected);
      const product = await admin.get('/api/shop/storefront/products?pageSize=1');
      expect(product.body.items[0]).to.include({ priceFrom: 10 });
      expect(product.headers.get('tillroll-as-of')).to.equal(`${iso(then)}; position=${position}`);
      const found = await admin.post('/api/v1/catalog/search', { query: 'mug' });
      expect(found.body.products?.[0]?.price_range.min, found.text).to.include({ amount: 1000 });
      expect([record.until, ownKey]).to.deep.equal([iso(then), null]);

      const refused = await admin.ask(manage.post('/products', { rootName: 'Jug' }));
      expect([refused.status, refused.body.code, refused.headers.get('allow')]).to.deep.equal([
        405,
        'shown-as-it-was',
        'GET',
      ]);
      expect((await admin.post('/api/shop/storefront/basket/add', { productId: mug })).status).to.equal(405);
      expect((await admin.ask(manage.post('/projections/rebuild', { names: ['orders'] }))).status).to.equal(
        405,
      );
      const checkout = await admin.post('/api/v1/checkout-sessions', {});
      expect([checkout.status, checkout.body.code]).to.deep.equal([405, 'method_not_allowed']);
      const order = await admin.get('/api/v1/orders/an-agents');
      expect([order.status, order.body.content]).to.deep.equal([404, missing]);
      expect((await admin.ask(manage.get('/webhooks'))).body.code).to.equal('not-in-replay');
      expect((await admin.get('/nowhere')).status).to.equal(404);
      const stranger = await new Browser(admin.base).ask(manage.get('/orders'));
      expect(stranger.status).to.equal(401);
      expect(stranger.headers.get('tillroll-as-of')).to.contain(iso(then));

      const exported = await admin.ask(
        manage.post('/orders/export?format=ndjson', { fromDate: '2000-01-01', toDate: '2999-12-31' }),
      );
      expect(exported.text.trim().split('\n')).to.have.length(1);
      expect(await shop.shop.runtime.store.head()).to.equal(head);
    } finally {
      await close();
    }
  });

  it('of some views answers from these, and says of others that it does not have them', async () => {
    await make('some', then, ['orders', 'customer-accounts']);
    const { admin, close } = await serve('some');
    try {
      expect((await admin.ask(manage.get('/orders'))).body.totalItems).to.equal(1);
      const products = await admin.ask(manage.get('/products'));
      expect([products.status, products.body.code, products.body.view]).to.deep.equal([
        404,
        'not-in-replay',
        'products',
      ]);
    } finally {
      await close();
    }
  });

  it('is not made of what cannot be, and then nothing is written', async () => {
    const files = () => readdirSync(folder).filter((name) => !/^(events|read|state)\.db/.test(name));
    const before = files();
    const refusals = [
      [
        () => make('late', now() + 1000),
        /^--until is after the end of the log: the last event was recorded at 2/,
      ],
      [() => make('early', Date.parse('2001-01-01')), /^Nothing had been recorded by 2001-01-01/],
      [
        () => make('unknown', then, ['orders', 'ordres']),
        /^There is no view "ordres"; tillroll projections list/,
      ],
    ] as const;
    for (const [made, message] of refusals)
      expect((await when(made()).thenFails(Error)).message).to.match(message);
    expect(files()).to.deep.equal(before);
  });

  it('is made in a folder of its own only', async () => {
    const taken = join(folder, 'taken');
    mkdirSync(taken);
    writeFileSync(join(taken, 'notes.txt'), 'mine');
    expect((await when(make('taken')).thenFails(Error)).message).to.match(
      /is not empty, and holds no replay/,
    );
    expect((await when(serve('taken')).thenFails(Error)).message).to.match(/^There is no replay in /);
    expect(readdirSync(taken)).to.deep.equal(['notes.txt']);
    // One that was killed begins again.
    const killed = { until: iso(then), position: 1, eventId: 'x', views: [], logHead: 1, madeAt: null };
    mkdirSync(join(folder, 'own'));
    writeFileSync(join(folder, 'own', 'replay.json'), JSON.stringify(killed));
    const other = await openReplayViews(join(folder, 'own'));
    expect((await when(make('own')).thenFails(Error)).message).to.match(/is open for writing in process/);
    await closeEngines(other);
    await make('own', then, ['orders']);
    expect((await when(make('own')).thenFails(Error)).message).to.contain(
      `holds the shop as of ${iso(then)}`,
    );
  });

  it('begins again where one was killed before it had said what it is', async () => {
    mkdirSync(join(folder, 'cut'));
    writeFileSync(join(folder, 'cut', 'replay.json'), '');
    await closeEngines(await openReplayViews(join(folder, 'cut')));
    const { madeAt } = await make('cut', then, ['orders']);
    expect(madeAt).to.be.a('string');
  });

  it('is made once by two who ask for it at once', async () => {
    const views = ['orders'];
    const ended = await Promise.allSettled([make('both', then, views), make('both', then, views)]);
    expect(ended.map(({ status }) => status).sort()).to.deep.equal(['fulfilled', 'rejected']);
    const { record, close } = await serve('both');
    await close();
    expect(record.madeAt).to.be.a('string');
  });

  it('leaves nothing when it is called off', async () => {
    const stop = new AbortController();
    const off = { until: until(then), folder: join(folder, 'off'), views: null };
    const called = makeReplay(
      config,
      off,
      watched(() => stop.abort(), stop.signal),
    );
    expect((await when(called).thenFails(Error)).name).to.equal('AbortError');
    expect(existsSync(join(folder, 'off'))).to.equal(false);
  });

  it('forgets whom the shop has forgotten since', async () => {
    await make('forgotten');
    const reason = { reason: 'asked for it' };
    const forgotten = await shop.admin.ask(manage.post(`/customers/${customerId}/forget`, reason));
    expect(forgotten.status, forgotten.text).to.be.below(300);
    await shop.settle();
    const { admin, close } = await serve('forgotten');
    try {
      const [customers, orders] = [
        await admin.ask(manage.get('/customers')),
        await admin.ask(manage.get('/orders')),
      ];
      expect(customers.text + orders.text).to.not.contain('ada@example.com');
      expect(orders.body.totalItems).to.equal(1);
    } finally {
      await close();
    }
  });
});
