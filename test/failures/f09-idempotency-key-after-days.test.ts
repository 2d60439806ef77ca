import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { createFingerprint } from '#http/idempotent.ts';
import { BuyingAgent } from '#test/support/agents/buying-agent.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import { TestShop } from '#test/support/shop.ts';

const add = '/api/shop/storefront/basket/add';
const pay = '/api/shop/checkout/pay';
const management = '/backoffice/api/v1';
const HOURS = 3600;

/** Answers under a key are kept for 48 hours; what was done under it is in the log for good. */
describe('F09: an idempotency key that is used again after 48 hours', () => {
  let shop: TestShop;
  let mug: string;
  let warehouseId: string;

  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 100 });
    const { body } = await shop.admin.get(`${management}/warehouses`);
    warehouseId = body.items[0].id;
  });
  after(() => shop.close());

  const later = async (): Promise<void> => {
    const { status } = await shop.tester.post('/testing/clock', { advanceSeconds: 49 * HOURS });
    expect(status).to.equal(200);
  };

  const keyed = (key: string) => ({ 'Idempotency-Key': key });

  const created: Readonly<Record<string, (name: string) => object>> = {
    warehouses: (name) => ({ name, address: { countryCode: 'GB' } }),
    'tax-groups': (name) => ({ name, taxPercentage: 5 }),
    products: (name) => ({ rootName: name, sku: `sku-${name}`, price: 3 }),
    discounts: (name) => ({
      name,
      code: name,
      value: 5,
      category: 'AmountOffOrder',
      method: 'Code',
      valueType: 'Percentage',
    }),
    webhooks: (name) => ({ name, topic: 'order.created', targetUrl: 'https://93.184.215.14/hook' }),
  };

  it('is 409 with another body in the backoffice, and the same entity with the same', async () => {
    const post = (path: string, name: string): Promise<ApiResponse> =>
      shop.admin.post(`${management}/${path}`, created[path]?.(name), keyed(`new ${path}`));
    const firsts = new Map<string, ApiResponse>();
    for (const path of Object.keys(created)) {
      const first = await post(path, 'first');
      expect(first.status, `${path} ${JSON.stringify(first.body)}`).to.equal(201);
      firsts.set(path, first);
    }
    await later();
    for (const [path, first] of firsts) {
      const other = await post(path, 'other');
      expect(other.status, path).to.equal(409);
      expect(other.body, path).to.deep.include({ success: false });
      const again = await post(path, 'first');
      expect(again.status, path).to.equal(201);
      expect(again.body.id, path).to.equal(first.body.id);
      expect((await post(path, 'other')).status, path).to.equal(409);
    }
    const names = (await eventsIn(shop)).map(({ data }) => JSON.stringify(data));
    expect(names.filter((data) => data.includes('"name":"other"'))).to.deep.equal([]);
  });

  it('is 409 with another body on a basket, whose answer to the same body is rebuilt', async () => {
    const shopper = shop.shopper();
    await shopper.add(mug);
    const addTo = (quantity: number): Promise<ApiResponse> =>
      shopper.post(add, { productId: mug, quantity }, keyed('add'));
    expect((await addTo(2)).body.itemCount).to.equal(3);
    await later();
    expect((await addTo(5)).status).to.equal(409);
    const again = await addTo(2);
    expect(again.status).to.equal(200);
    expect(again.body.itemCount).to.equal(3);
    await shop.settle();
    expect((await shopper.basket()).body.itemCount).to.equal(3);
  });

  it('is 409 with another body when paying, and places no second order', async () => {
    const shopper = shop.shopper();
    await shopper.prepare(mug);
    const { invoiceId } = (await shopper.pay(keyed('pay'))).body;
    await later();
    const body = { providerAlias: 'sandbox', methodAlias: 'card', returnUrl: '/other', cancelUrl: '/cancel' };
    expect((await shopper.post(pay, body, keyed('pay'))).status).to.equal(409);
    const placed = (await eventsIn(shop)).filter(
      ({ type, stream }) => type === 'OrderPlacementStarted' && stream.endsWith(shopper.basketId),
    );
    expect(placed).to.have.length(1);
    expect(invoiceId).to.be.a('string');
  });

  it('of an agent is answered with its order when paying, and charges nothing twice', async () => {
    const agent = new BuyingAgent(shop.base);
    const { path } = await agent.begin([mug, 1]);
    const key = { key: 'an-agents-payment' };
    const { body } = await agent.complete(path, 'tok_success', key);
    await later();
    const again = await agent.complete(path, 'tok_success', key);
    expect([again.status, again.body.order], again.text).to.deep.equal([200, body.order]);
    expect(await shop.charges(body.order.id)).to.have.length(1);
  });

  const stockPath = async (): Promise<string> => {
    const { body } = await shop.admin.get(`${management}/products?search=mug`);
    return `${management}/products/${body.items[0].id}/variants/${mug}/stock`;
  };

  it('corrects stock once, and not with another difference', async () => {
    const path = await stockPath();
    const correct = (adjustBy: number): Promise<ApiResponse> =>
      shop.admin.post(path, { warehouseId, adjustBy, reason: 'a delivery' }, keyed('delivery'));
    const first = await correct(7);
    expect(first.status, JSON.stringify(first.body)).to.equal(200);
    await later();
    expect((await correct(9)).status).to.equal(409);
    const again = await correct(7);
    expect(again.status).to.equal(200);
    expect(again.body.stock).to.equal(first.body.stock);
  });

  it('keeps a fingerprint in the log that says nothing to those without the key', async () => {
    const body = { productId: mug, quantity: 1, idempotencyKey: 'print' };
    const shopper = shop.shopper();
    await shopper.add(mug);
    await shopper.post(add, body);
    const last = (await eventsIn(shop)).at(-1);
    const text = JSON.stringify(body);
    const { applicationKey } = shop.shop.runtime;
    expect(last?.metadata.bodyFingerprint).to.equal(createFingerprint(applicationKey)(text));
    const bare = createHash('sha256').update(text);
    expect(JSON.stringify(last?.metadata)).not.to.include(bare.digest('base64url').slice(0, 20));
  });
});
