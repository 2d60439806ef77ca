import { expect } from 'chai';
import { manage } from '#test/support/requests.ts';
import { TestShop } from '#test/support/shop.ts';
import { respondWith, startReceiver, type Receiver } from '#test/support/subscriber.ts';

/** Nobody may read them. */
const KEY = 'sk_live_44b1c0ffee';
const SIGNING_SECRET = 'whsec-8d21e7aa';
const secrets = [KEY, SIGNING_SECRET];

describe('addresses that carry keys', () => {
  let shop: TestShop;
  let receiver: Receiver;
  /** Everything that any answer has said. */
  let told: string;
  before(async () => {
    shop = await TestShop.open({ environment: { ALLOW_LOOPBACK_TARGETS: 'true' } });
  });
  after(() => shop.close());
  beforeEach(async () => {
    told = '';
    // It repeats how it was called, as the error pages of many do.
    receiver = await startReceiver((response, { path, headers }) => {
      respondWith(400, `no such thing: ${path} for ${headers.authorization ?? 'nobody'}`)(response, {
        path,
        headers,
        body: Buffer.of(),
      });
    });
  });
  afterEach(() => receiver.stop());

  const host = (): string => new URL(receiver.url).origin;
  const address = (path: string): string => `${host()}${path}?key=${KEY}`;
  const asked = async (request: ReturnType<typeof manage.get>, expected = [200, 201]) => {
    const { status, body } = await shop.admin.ask(request);
    told += JSON.stringify(body);
    expect(expected, JSON.stringify(body)).to.include(status);
    return body;
  };
  const tellNobody = async (): Promise<void> => {
    for (let position: number | null = 0; position !== null;) {
      const page = await asked(manage.get(`/audit/events?position=${position}&limit=1000`));
      position = page.next as number | null;
    }
    for (const secret of secrets) expect(told, secret).to.not.include(secret);
    const { store, stateStore, readStore } = shop.shop.runtime;
    const stored = [JSON.stringify(await store.readAll(0, 1000))];
    for (const one of [stateStore, readStore])
      for (const collection of await one.collections())
        stored.push(JSON.stringify(await one.find(collection, { limit: 1000 })));
    for (const secret of secrets) expect(stored.join(), secret).to.not.include(secret);
  };

  it('of webhooks are called whole, and shown as scheme and host', async () => {
    const made = await asked(
      manage.post('/webhooks', { name: 'hook', topic: 'basket.created', targetUrl: address('/in') }),
    );
    const path = `/webhooks/${made.id}`;
    expect(made.targetUrl).to.equal(host());
    await asked(manage.put(path, { name: 'renamed', targetUrl: host() }));
    await asked(manage.post(`${path}/test`, {}), [200, 201, 400]);
    await receiver.count(1);
    expect(receiver.received[0]?.path).to.equal(`/in?key=${KEY}`);
    await shop.settle();
    const deliveries = await asked(manage.get(`${path}/deliveries`));
    for (const { id } of deliveries.items as readonly { id: string }[])
      await asked(manage.get(`/webhooks/deliveries/${id}`));
    await asked(manage.get(path));
    const found = await asked(manage.get(`/webhooks?search=${KEY}`));
    expect(found.items).to.deep.equal([]);
    await tellNobody();
  });

  it('of fulfilment services are called whole, and their errors are told without the keys', async () => {
    const configuration = { baseUrl: address('/api/'), apiKey: KEY, webhookSecret: SIGNING_SECRET };
    const made = await asked(
      manage.post('/fulfilment-providers', { providerKey: 'generic-http', configuration }),
    );
    expect(made.configuration.baseUrl).to.equal(host());
    const path = `/fulfilment-providers/${made.id}`;
    await asked(manage.put(path, { displayName: 'renamed', configuration: made.configuration }));
    const test = await asked(manage.post(`${path}/test`, {}));
    expect(test.success).to.equal(false);
    expect(test.errorMessage).to.match(/answered 400: no such thing/);
    expect(receiver.received[0]?.path).to.equal(`/api/ping?key=${KEY}`);
    await shop.sell('mug', { price: 10, stock: 5 });
    await asked(manage.post(`${path}/sync/products`, {}), [200, 201, 202]);
    await receiver.count(2);
    await shop.settle();
    await asked(manage.get('/fulfilment-providers/sync-logs'));
    await asked(manage.get(path));
    await tellNobody();
  });

  it('of exchange rates are asked whole, and shown as scheme and host', async () => {
    const path = '/exchange-rate-providers/frankfurter';
    const made = await asked(manage.put(`${path}/settings`, { configuration: { url: address('/v1') } }));
    expect(made.configuration).to.deep.equal({ url: host() });
    const again = await asked(manage.put(`${path}/settings`, { configuration: made.configuration }));
    expect(again.configuration).to.deep.equal({ url: host() });
    await asked(manage.post(`${path}/test`, {}));
    expect(receiver.received[0]?.path).to.equal(`/v1/latest?key=${KEY}&base=GBP`);
    await asked(manage.get('/exchange-rate-providers'));
    await tellNobody();
  });
});
