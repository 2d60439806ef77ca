import { expect } from 'chai';
import { pathsOf } from '#http/route-tree.ts';
import { managing } from '#test/support/managing.ts';
import { manage, showBasket } from '#test/support/requests.ts';
import { header, noNewEvents } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const ignored = (names: string | null) => header('Tillroll-Ignored', names);

const ada = {
  ...{ firstName: 'Ada', lastName: 'Lovelace', email: 'ada@example.com', addressOne: '12 St James Square' },
  ...{ townCity: 'London', postalCode: 'SW1Y 4JH', countryCode: 'GB' },
};

describe('What is ignored of a request (docs/rules/management.md#what-is-ignored)', () => {
  let shop: TestShop;
  // The shipped demo store, which has some of everything.
  before(async () => {
    const asShipped = {
      STORE_FILE: '',
      Store__storeCurrencyCode: 'USD',
      Store__defaultShippingCountry: 'US',
    };
    shop = await TestShop.open({ environment: asShipped });
  });
  after(() => shop.close());

  const { when, make } = managing(() => shop);
  const group = (more: object) => manage.post('/tax-groups', { name: 'Parts', taxPercentage: 20, ...more });

  it('is named in the answer, and the rest is done', async () => {
    await when(group({ colour: 'red', rates: [{ countryCode: 'DE', taxPercentage: 19, vat: true }] }))
      .then(201, { name: 'Parts', taxPercentage: 20 })
      .and(ignored('colour, rates.0.vat'));
  });

  it('is nothing where everything is known', async () => {
    await when(group({})).then(201).and(ignored(null));
    await when(manage.get('/tax-groups?page=1&pageSize=5&search=a&sortBy=name&sortDir=desc'))
      .then(200)
      .and(ignored(null));
  });

  it('is named of the query of a list', async () => {
    await when(manage.get('/orders?colour=red&page=1&pagesize=2')).then(200).and(ignored('colour, pagesize'));
    await when(manage.get('/webhooks/topics?x=')).then(200).and(ignored('x'));
  });

  it('is not what a field is also called, nor a key in the body', async () => {
    const item = { name: 'Lamp', price: 4, addons: [{ key: 'Size', value: 'large', hue: 1 }] };
    const order = { billingAddress: ada, customItems: [item], idempotencyKey: 'ignored-1' };
    await when(manage.post('/orders/manual', order)).then(200).and(ignored('customItems.0.addons.0.hue'));
    await when(manage.post('/orders/manual', order)).then(200).and(ignored('customItems.0.addons.0.hue'));
  });

  it('is not what callers fill as they like', async () => {
    const [{ id }] = (await shop.shown('/products')).items;
    const extendedData = { colour: { of: ['any', { kind: 1 }] } };
    await when(manage.put(`/products/${id}`, { extendedData }))
      .then(200)
      .and(ignored(null));
  });

  it('is named in characters that a header may have', async () => {
    const strange = { 'a,b': 1, 'c.d': 1, 'e\r\nSet-Cookie: f': 1, 'größe ': 1, '\ud800': 1, constructor: 1 };
    const names = 'a%2Cb, c%2Ed, e%0D%0ASet-Cookie%3A%20f, gr%C3%B6%C3%9Fe%20, %EF%BF%BD, constructor';
    await when(group(strange)).then(201).and(ignored(names));
    const whole = JSON.stringify({ name: 'Parts', taxPercentage: 20 });
    const body = whole.replace('}', ', "__proto__": { "name": "x" } }');
    await when({ ...group({}), body })
      .then(201, { name: 'Parts' })
      .and(ignored('__proto__'));
  });

  it('is cut where it is long or much', async () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`field${index}`, 1]));
    const answer = await when(group({ ...many, ['x'.repeat(5000)]: 1 })).then(201);
    const names = (answer.headers.get('Tillroll-Ignored') ?? '').split(', ');
    expect(names).to.have.length(21);
    expect([names[0], names[19], names[20]]).to.deep.equal(['field0', 'field19', '...']);
    await when(group({ ['y'.repeat(5000)]: 1 }))
      .then(201)
      .and(ignored(`${'y'.repeat(97)}...`));
  });

  it('is not told with a refusal', async () => {
    await when(manage.post('/tax-groups', { colour: 'red' }))
      .then(400)
      .and(ignored(null))
      .and(noNewEvents());
  });

  it('is not looked for where shoppers are', async () => {
    const { path } = showBasket();
    await shop
      .given()
      .when({ method: 'GET', path: `${path}?colour=red` })
      .then(200)
      .and(ignored(null));
  });

  it('is described with every answer of the management API, and no other', async () => {
    const { body } = await shop.admin.ask({ method: 'GET', path: '/openapi.json' });
    const { paths } = body as {
      paths: Record<string, Record<string, { responses: Record<string, { headers?: object }> }>>;
    };
    for (const route of shop.shop.routes) {
      const { responses } = paths[pathsOf(route)[0]]?.[route.method.toLowerCase()] ?? { responses: {} };
      const described = Object.values(responses).some(({ headers }) => 'Tillroll-Ignored' in (headers ?? {}));
      expect(described, `${route.method} ${route.path}`).to.equal(route.surface.name === 'management');
    }
  });

  it('is nothing of an entity that was fetched and is put back', async () => {
    await make('/webhooks', { name: 'Hook', targetUrl: 'https://example.com/hook', topic: 'order.created' });
    const all = shop.shop.routes.filter(({ surface }) => surface.name === 'management');
    const has = (method: string, path: string) =>
      all.some((one) => one.method === method && one.path.replace(/\{\w+\}/, '{id}') === path);
    const lists = all.filter(({ method, path }) => method === 'GET' && has('PUT', `${path}/{id}`));
    const putBack: string[] = [];
    for (const { path: list } of lists.filter(({ path }) => has('GET', `${path}/{id}`))) {
      const first = (await shop.shown(list)).items[0];
      if (first?.id === undefined) continue;
      // Of a discount, whether it is active follows from its dates.
      const { status, ...entity } = await shop.shown(`${list}/${first.id}`);
      const whole = list === '/discounts' ? entity : { ...entity, status };
      await when(manage.put(`${list}/${first.id}`, { ...whole, hue: 1 }))
        .then(200)
        .and(ignored('hue'));
      putBack.push(list.slice(1));
    }
    expect(putBack.sort().join(' ')).to.equal(
      'collections customer-segments customers discounts emails filter-groups filters product-types products' +
        ' shipping-options shipping-tax-overrides suppliers tax-groups upsells warehouses webhooks',
    );
  });

  it('is nothing of the part of an order that was fetched and is put back', async () => {
    const order = { billingAddress: ada, customItems: [{ name: 'Lamp', amount: 4 }] };
    const { invoiceId } = (await when(manage.post('/orders/manual', order)).then(200)).body;
    const edit = await shop.shown(`/orders/${invoiceId}/edit`);
    await when(manage.put(`/orders/${invoiceId}/edit`, { ...edit, colour: 1 }))
      .then(200)
      .and(ignored('colour'));
    const { billingAddress } = await shop.shown(`/orders/${invoiceId}`);
    await when(manage.put(`/orders/${invoiceId}/billing-address`, billingAddress))
      .then(200)
      .and(ignored(null));
  });
});
