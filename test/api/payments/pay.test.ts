import { expect } from 'chai';
import { TestShop, type Shopper } from '#test/support/shop.ts';

const checkout = '/api/shop/checkout';
const management = '/backoffice/api/v1';
const body = { providerAlias: 'sandbox', methodAlias: 'card', returnUrl: '/return', cancelUrl: '/cancel' };

describe('POST /checkout/pay', () => {
  let shop: TestShop;
  let mug: string;
  let shopper: Shopper;

  before(async () => {
    shop = await TestShop.open();
    mug = await shop.sell('mug', { price: 10, stock: 100 });
  });
  after(() => shop.close());
  beforeEach(() => {
    shopper = shop.shopper();
  });

  const changeProduct = async (productId: string, change: (variant: Record<string, unknown>) => void) => {
    const { items } = (await shop.admin.get(`${management}/products`)).body;
    for (const { id } of items as { id: string }[]) {
      const { body: product } = await shop.admin.get(`${management}/products/${id}`);
      const variant = product.variants.find((one: { id: string }) => one.id === productId);
      if (!variant) continue;
      change(variant);
      const changed = await shop.admin.put(`${management}/products/${id}`, product);
      expect(changed.status, JSON.stringify(changed.body)).to.equal(200);
    }
    await shop.settle();
  };

  it('refuses digital products to guests, with 400', async () => {
    const digital = { rootName: 'E-book', sku: 'EBOOK', price: 9, isDigitalProduct: true };
    const { body } = await shop.admin.post('/backoffice/api/v1/products', digital);
    await shop.settle();
    const shopper = shop.shopper();
    await shopper.add((body as { variants: { id: string }[] }).variants[0]?.id ?? '');
    await shopper.giveAddress();
    const answer = await shopper.pay();
    expect(answer.status).to.equal(400);
    expect(answer.body.message).to.match(/account/);
  });

  it('makes an invoice and says how it is paid', async () => {
    await shopper.prepare(mug, 2);
    const answer = await shopper.pay();
    expect(answer.status).to.equal(200);
    expect(answer.body).to.deep.include({
      success: true,
      message: '',
      errorMessage: null,
      redirectUrl: null,
      clientSecret: null,
      sdkConfig: {},
      integrationType: 'HostedFields',
      providerAlias: 'sandbox',
      methodAlias: 'card',
      formFields: [],
    });
    expect(answer.body.invoiceId).to.match(/^[0-9a-f-]{36}$/);
  });

  it('numbers invoices without a gap, whatever was refused in between', async () => {
    const rare = await shop.sell('rare', { price: 1, stock: 1 });
    const [lucky, late] = [shop.shopper(), shop.shopper()];
    await lucky.prepare(rare);
    await late.prepare(rare);
    const first = await lucky.pay();
    expect((await late.pay()).status).to.equal(400);
    await shopper.prepare(mug);
    const second = await shopper.pay();
    const numberOf = async (invoiceId: string): Promise<number> => {
      const [created] = await shop.shop.house.store.readStream(`invoice-${invoiceId}`, { limit: 1 });
      const { invoiceNumber } = JSON.parse(created?.data ?? '{}') as { invoiceNumber: string };
      return Number(invoiceNumber.replace('INV-', ''));
    };
    expect(await numberOf(second.body.invoiceId)).to.equal((await numberOf(first.body.invoiceId)) + 1);
  });

  it('refuses what is missing, in the order of checkout', async () => {
    expect((await shopper.pay()).status).to.equal(400);
    await shopper.add(mug);
    for (const wrong of [
      {},
      { ...body, providerAlias: 'nobody' },
      { ...body, methodAlias: 'cheque' },
      { ...body, cancelUrl: undefined },
    ]) {
      const answer = await shopper.post(`${checkout}/pay`, wrong);
      expect([answer.status, answer.body.success], JSON.stringify(wrong)).to.deep.equal([400, false]);
    }
    const early = await shopper.pay();
    expect([early.status, early.body.success]).to.deep.equal([400, false]);
    expect(early.body.message).to.include('address');
  });

  it('chooses the shipping when nobody has', async () => {
    await shopper.add(mug);
    await shopper.giveAddress();
    const placed = await shopper.pay();
    expect(placed.status).to.equal(200);
    await shopper.payWith(placed.body.invoiceId);
    expect(
      (await shop.charges()).find(({ invoiceId }) => invoiceId === placed.body.invoiceId)?.amount,
    ).to.equal(17);
  });

  it('asks first when a price has moved, and takes the new one when it is paid again', async () => {
    const tea = await shop.sell('tea', { price: 4 });
    await shopper.prepare(tea);
    await changeProduct(tea, (variant) => {
      variant.price = 6;
    });
    const asked = await shopper.pay();
    expect([asked.status, asked.body.success]).to.deep.equal([400, false]);
    expect(asked.body.basket).to.include({ subTotal: 6, total: 12.2 });
    expect(asked.body.warnings).to.deep.equal([]);
    expect((await shopper.basket()).body).to.include({ total: 12.2 });
    expect((await shopper.pay()).status).to.equal(200);
  });

  it('takes the second press for a yes under the same idempotency key too, and a third for a repeat', async () => {
    const ink = await shop.sell('ink', { price: 4 });
    await shopper.prepare(ink);
    const key = { 'Idempotency-Key': 'one-order' };
    for (const price of [6, 7]) {
      await changeProduct(ink, (variant) => {
        variant.price = price;
      });
      const asked = await shopper.pay(key);
      expect([asked.status, asked.body.basket?.subTotal]).to.deep.equal([400, price]);
    }
    const bought = await shopper.pay(key);
    expect(bought.status, JSON.stringify(bought.body)).to.equal(200);
    expect((await shopper.pay(key)).body).to.deep.equal(bought.body);
    await shopper.payWith(bought.body.invoiceId);
    const charges = (await shop.charges()).filter(({ invoiceId }) => invoiceId === bought.body.invoiceId);
    expect(charges.map(({ amount }) => amount)).to.deep.equal([13.4]);
  });

  it('asks first when a code has fallen away', async () => {
    const id = await shop.discount('GONE', 10);
    await shopper.prepare(mug);
    await shopper.applyCode('GONE');
    expect((await shop.admin.post(`${management}/discounts/${id}/deactivate`)).status).to.be.lessThan(300);
    await shop.settle();
    const asked = await shopper.pay();
    expect(asked.status).to.equal(400);
    expect(asked.body.warnings).to.have.length(1);
    expect(asked.body.basket).to.deep.include({ discount: 0, appliedDiscounts: [] });
    expect((await shopper.pay()).status).to.equal(200);
  });

  it('names everything that cannot be bought', async () => {
    const few = await shop.sell('few', { price: 1, stock: 2 });
    const gone = await shop.sell('gone', { price: 1 });
    await shopper.prepare(few, 2);
    await shopper.add(gone);
    await shopper.initialize();
    const other = shop.shopper();
    await other.prepare(few, 1);
    expect((await other.pay()).status).to.equal(200);
    await shop.settle();
    await changeProduct(gone, (variant) => {
      variant.availableForPurchase = false;
    });
    const { status, body: refused } = await shopper.pay();
    expect([status, refused.success]).to.deep.equal([400, false]);
    const items = refused.unavailableItems as {
      sku: string;
      requestedQuantity?: number;
      availableQuantity?: number;
    }[];
    expect(items.map(({ sku }) => sku)).to.have.members(['few', 'gone']);
    expect(items.find(({ sku }) => sku === 'few')).to.include({ requestedQuantity: 2, availableQuantity: 1 });
  });

  it('pays an order that costs nothing at once', async () => {
    const warehouses = (await shop.admin.get(`${management}/warehouses`)).body.items as { id: string }[];
    const option = { name: 'Gift', warehouseId: warehouses[0]?.id, fixedCost: 0 };
    const created = await shop.admin.post(`${management}/shipping-options`, option);
    const gift = await shop.sell('gift', { price: 0 });
    await shopper.prepare(gift);
    const placed = await shopper.pay();
    expect(placed.status).to.equal(200);
    expect(placed.body.redirectUrl).to.equal(`/checkout/confirmation/${placed.body.invoiceId}`);
    expect((await shopper.basket()).body.lineItems).to.deep.equal([]);
    expect(await shop.charges()).to.not.deep.include({ invoiceId: placed.body.invoiceId });
    await shop.admin.delete(`${management}/shipping-options/${created.body.id}`);
    await shop.settle();
  });
});

describe('terms and payment methods', () => {
  let shop: TestShop;

  before(async () => {
    shop = await TestShop.open({ settings: { requireTermsAcceptance: true } });
  });
  after(() => shop.close());

  it('have to be accepted where the shop asks for it', async () => {
    const mug = await shop.sell('mug', { price: 10 });
    const shopper = shop.shopper();
    await shopper.prepare(mug);
    expect((await shopper.pay()).status).to.equal(400);
    expect((await shopper.post(`${checkout}/pay`, { ...body, acceptTerms: true })).status).to.equal(200);
  });

  it('are listed as an array, with the specified fields', async () => {
    const { status, body: methods } = await shop.shopper().get(`${checkout}/payment-methods`);
    expect(status).to.equal(200);
    expect(
      methods.map((method: { alias: string; methodAlias: string }) => [method.alias, method.methodAlias]),
    ).to.deep.equal([
      ['manual', 'manual'],
      ['sandbox', 'card'],
    ]);
    expect(methods[1]).to.deep.include({
      displayName: 'Card',
      iconHtml: null,
      integrationType: 'HostedFields',
    });
  });
});

describe('unpaid orders from one address', () => {
  const LIMIT = 2;
  let shop: TestShop;
  let mug: string;
  before(async () => {
    const environment = { Checkout__OpenInvoicesPerAddress: String(LIMIT), Storefront__TrustedProxies: '1' };
    shop = await TestShop.open({ environment });
    mug = await shop.sell('mug', { price: 10, stock: 100 });
  });
  after(() => shop.close());

  const ready = async (): Promise<Shopper> => {
    const shopper = shop.shopper();
    await shopper.prepare(mug);
    return shopper;
  };
  const from = (ip: string) => ({ 'X-Forwarded-For': ip });
  /** As many unpaid orders as the address may have. */
  const fill = async (ip: string): Promise<{ shopper: Shopper; invoiceId: string }[]> => {
    const placed: { shopper: Shopper; invoiceId: string }[] = [];
    for (let place = 0; place < LIMIT; place++) {
      const shopper = await ready();
      const { status, body } = await shopper.pay(from(ip));
      expect(status).to.equal(200);
      placed.push({ shopper, invoiceId: body.invoiceId as string });
    }
    return placed;
  };

  it('are bounded: the next one is 429, says when to come back, and holds nothing', async () => {
    await fill('198.51.100.1');
    const shopper = await ready();
    const prepared = await shop.shop.house.store.head();
    const refused = await shopper.pay(from('198.51.100.1'));
    expect(refused.status).to.equal(429);
    expect(refused.headers.get('retry-after')).to.equal('60');
    expect(refused.body.message).to.include('2 orders from your network are unpaid');
    expect(await shop.shop.house.store.head()).to.equal(prepared);
    expect((await shopper.pay(from('198.51.100.2'))).status).to.equal(200);
  });

  it('are counted for a whole /64 of IPv6', async () => {
    await fill('2001:db8:1:2::1');
    expect((await (await ready()).pay(from('2001:db8:1:2:ffff::9'))).status).to.equal(429);
    expect((await (await ready()).pay(from('2001:db8:1:3::1'))).status).to.equal(200);
  });

  it('leave room again once one is paid', async () => {
    const [first] = await fill('198.51.100.3');
    const other = await ready();
    expect((await other.pay(from('198.51.100.3'))).status).to.equal(429);
    await first?.shopper.payWith(first.invoiceId);
    expect((await other.pay(from('198.51.100.3'))).status).to.equal(200);
  });

  it('do not keep a shopper from paying her own, or from changing it first', async () => {
    const [first] = await fill('198.51.100.4');
    const again = await first?.shopper.pay(from('198.51.100.4'));
    expect(again?.body.invoiceId).to.equal(first?.invoiceId);
    await first?.shopper.add(mug);
    const changed = await first?.shopper.pay(from('198.51.100.4'));
    expect(changed?.status).to.equal(200);
    expect(changed?.body.invoiceId).not.to.equal(first?.invoiceId);
    expect((await (await ready()).pay(from('198.51.100.4'))).status).to.equal(429);
  });

  it('do not count orders that could not be placed', async () => {
    const rare = await shop.sell('rare', { price: 10, stock: 1 });
    const shoppers = [shop.shopper(), shop.shopper(), shop.shopper()];
    for (const shopper of shoppers) await shopper.prepare(rare);
    const statuses: number[] = [];
    for (const shopper of shoppers) statuses.push((await shopper.pay(from('198.51.100.5'))).status);
    expect(statuses).to.deep.equal([200, 400, 400]);
    expect((await (await ready()).pay(from('198.51.100.5'))).status).to.equal(200);
  });

  it('name no address in the log', async () => {
    await fill('198.51.100.6');
    const log = await shop.shop.house.store.readAll(0);
    expect(log.map(({ data, metadata }) => data + metadata).join()).to.not.include('198.51.100.');
  });

  it('stand in the API description', async () => {
    const { paths } = (await shop.tester.get('/openapi.json')).body;
    for (const path of ['pay', 'process-direct-payment'])
      expect(paths[`${checkout}/${path}`].post.responses, path).to.include.keys('429');
  });
});
