import { expect } from 'chai';
import { Customer } from '#test/support/member-shop.ts';
import { useMortalShop } from '#test/support/mortal-shop.ts';
import { API_KEY } from '#test/support/shop.ts';
import { ShopProcess } from '#test/support/shop-process.ts';
import { smallStore } from '#test/support/small-store.ts';

describe('a shop that is killed half way', () => {
  const at = useMortalShop();
  let tea: string;
  beforeEach(async () => {
    tea = await at.shop.sell('tea', { price: 10 });
  });

  it('through making a customer known, knows the customer when the address is given again', async () => {
    await at.shop.live({ when: 'before', eventType: 'CustomerRegistered' });
    const shopper = at.shop.shopper();
    expect((await shopper.add(tea)).status).to.equal(200);
    await at.shop.killedBy(shopper.giveAddress('ada@example.com'));
    expect((await shopper.giveAddress('ada@example.com')).status).to.equal(200);
    expect((await shopper.initialize()).status).to.equal(200);
    const { body } = await shopper.pay();
    expect((await shopper.payWith(body.invoiceId)).body.status).to.equal('Completed');
    // Whose e-mail address it is was settled before the kill: the next order is the same customer's.
    const next = at.shop.shopper();
    await next.prepare(tea, 1, 'ada@example.com');
    await next.payWith((await next.pay()).body.invoiceId);
    await at.shop.settle();
    const { body: orders } = await at.shop.admin.get('/backoffice/api/v1/orders');
    const details = await Promise.all(
      (orders.items as { id: string }[]).map(({ id }) =>
        at.shop.admin.get(`/backoffice/api/v1/orders/${id}`),
      ),
    );
    expect(new Set(details.map((detail) => detail.body.customerId)).size).to.equal(1);
    expect(await at.shop.soundSales()).to.equal(2);
  });

  it('through a sign-in that brings a basket along, has what was in it once when the sign-in is sent again', async () => {
    const cup = await at.shop.sell('cup', { price: 4 });
    await at.shop.live({ when: 'after', eventType: 'BasketMerged' });
    const email = 'ada@example.com';
    const ada = new Customer(at.shop.base);
    await ada.register(email, tea);
    const phone = new Customer(at.shop.base);
    await phone.add(tea, 2);
    await phone.add(cup);
    const brought = phone.cookies.get('shop_basket') ?? '';
    await at.shop.killedBy(phone.signIn(email));
    const quantities = async (basket: Customer) =>
      ((await basket.basket()).body.lineItems as { sku: string; quantity: number }[])
        .map(({ sku, quantity }) => `${sku} ${quantity}`)
        .toSorted();
    const both = ['cup 1', 'tea 3'];
    expect(await quantities(ada)).to.deep.equal(both);
    expect((await phone.signIn(email)).body.success).to.equal(true);
    await at.shop.settle();
    expect(phone.basketId).to.equal(ada.basketId);
    expect(await quantities(phone)).to.deep.equal(both);
    phone.cookies.set('shop_basket', brought);
    expect((await phone.basket()).body.isEmpty, 'the other basket has ended').to.equal(true);
    await at.shop.soundSales();
  });

  it('through deleting a customer, takes their account along after its next start', async () => {
    await at.shop.live({ when: 'after', eventType: 'CustomerDeleted' });
    const email = 'ada@example.com';
    const ada = new Customer(at.shop.base);
    await ada.register(email, tea);
    await at.shop.settle();
    const { body: found } = await at.shop.admin.get(`/backoffice/api/v1/customers?search=${email}`);
    const [{ id, memberKey }] = found.items as [{ id: string; memberKey: string | null }];
    expect(memberKey).to.be.a('string');
    // Nobody deletes the customer again.
    await at.shop.killedBy(at.shop.admin.delete(`/backoffice/api/v1/customers/${id}`));
    await at.shop.settle();
    const stranger = new Customer(at.shop.base);
    const theirs = await stranger.signIn(email);
    const nobodys = await stranger.signIn('nobody@example.com');
    expect(theirs.body.success).to.equal(false);
    expect(theirs.body).to.deep.equal(nobodys.body);
    await at.shop.soundSales();
  });

  it('through selling out a default variant, counts that once and passes the default on', async () => {
    await at.shop.live({ when: 'after', eventType: 'DefaultVariantSoldOut' });
    const base = '/backoffice/api/v1';
    const { body: east } = await at.shop.admin.post(`${base}/warehouses`, {
      name: 'East',
      address: { countryCode: 'GB' },
    });
    const variants = ['ONE', 'TWO'].map((sku) => ({
      sku,
      name: sku,
      price: 5,
      stock: [{ warehouseId: east.id, stock: 3 }],
    }));
    const { body: product } = await at.shop.admin.post(`${base}/products`, { rootName: 'Twins', variants });
    await at.shop.settle();
    const [one, two] = (product.variants as { id: string }[]).map(({ id }) => id);
    const sellOut = () =>
      at.shop.admin.post(
        `${base}/inventory/adjust`,
        { productId: one, warehouseId: east.id, quantity: -3, reason: 'counted' },
        { 'Idempotency-Key': 'sell out' },
      );
    await at.shop.killedBy(sellOut());
    await at.shop.settle();
    const { body: shown } = await at.shop.admin.get(`${base}/products/${product.id}`);
    const isDefault = (shown.variants as { id: string; default: boolean }[]).find((one) => one.default);
    expect(isDefault?.id).to.equal(two);
    const repeated = await sellOut();
    expect({ status: repeated.status, stock: repeated.body.stock }).to.deep.equal({ status: 200, stock: 0 });
    await at.shop.soundSales();
  });
});

describe('a shop whose process is killed half way', () => {
  let shop: ShopProcess;
  afterEach(() => shop.close());

  it('through its first import, finishes that before it says that it is ready', async () => {
    shop = await ShopProcess.open({ diesAt: { when: 'after', eventType: 'ProductCreated', nth: 10 } });
    await shop.died();
    shop.launch({ when: 'before', eventType: 'StoreImported' });
    await shop.died();

    await shop.start();
    const skus: string[] = [];
    for (let page = 1, pages = 1; page <= pages; page++) {
      const { body } = await shop.admin.get(`/backoffice/api/v1/products?pageSize=200&page=${page}`);
      pages = body.totalPages as number;
      for (const { variants } of body.items as { variants: { sku: string }[] }[])
        skus.push(...variants.map(({ sku }) => sku));
    }
    expect(skus).to.include.members(['TEA-SENCHA-50', 'BOK-POSTCARD']);
    expect(new Set(skus).size).to.equal(skus.length);
    const first = await shop.audit();
    expect(first.problems).to.deep.equal([]);

    // What is there is not imported again.
    await shop.start();
    const second = await shop.audit();
    expect(second).to.deep.equal(first);
  });

  it('through importing a product file, finishes that after its next start, each product once', async () => {
    const storeFile = smallStore({ stock: { tea: null } });
    shop = await ShopProcess.open({
      storeFile,
      diesAt: { when: 'after', eventType: 'ProductCreated', nth: 40 },
    });
    await shop.ready();
    const rows = Array.from({ length: 150 }, (_, n) => `plate-${n},Plate ${n},PLATE-${n},5,3`);
    const header = 'Handle,Title,Variant SKU,Variant Price,Variant Inventory Qty';
    const base = `${shop.base}/backoffice/api/v1`;
    const started = await fetch(`${base}/product-sync/imports/start`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${API_KEY}`, 'Content-Type': 'text/csv' },
      body: [header, ...rows].join('\n'),
    });
    const { id } = (await started.json()) as { id: string };
    await shop.died();

    await shop.start();
    await shop.tester.post('/testing/jobs/product-sync');
    await shop.settle();
    const { body: run } = await shop.admin.get(`/backoffice/api/v1/product-sync/runs/${id}`);
    expect(run).to.include({ status: 'Completed', done: 150, total: 150, errorCount: 0 });
    const { body: found } = await shop.admin.get('/backoffice/api/v1/products?search=plate&pageSize=200');
    const items = found.items as { variants: { sku: string; availableStock: number }[] }[];
    expect(new Set(items.map(({ variants }) => variants[0]?.sku)).size).to.equal(150);
    expect(items).to.have.lengthOf(150);
    expect(items.every(({ variants }) => variants[0]?.availableStock === 3)).to.equal(true);
    expect((await shop.audit()).problems).to.deep.equal([]);
  });
});
