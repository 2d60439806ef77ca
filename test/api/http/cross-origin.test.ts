import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { refusedFor } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const storefront = '/api/shop/storefront';
const listed = 'https://window.example';
const cartForm = 'application/x-www-form-urlencoded';

type Headers = Record<string, string>;

describe('A storefront on another origin', () => {
  let shop: TestShop;
  let mug: string;
  before(async () => {
    shop = await TestShop.open({
      environment: { Storefront__AllowedOrigins: `${listed}, http://localhost:3000` },
    });
    mug = await shop.sell('mug', { price: 10 });
  });
  after(() => shop.close());

  const preflight = async (path: string, origin: string, method = 'POST') => {
    const headers = { Origin: origin, 'Access-Control-Request-Method': method };
    return fetch(shop.base + path, { method: 'OPTIONS', headers });
  };
  const allowing = (headers: globalThis.Headers): readonly string[] =>
    [...headers.keys()].filter((name) => name.startsWith('access-control-'));
  const read = (headers: Headers) => shop.shopper().get(`${storefront}/basket`, headers);

  it('is let in by a preflight, with credentials and what shoppers send', async () => {
    for (const path of [
      `${storefront}/basket/add`,
      '/api/shop/checkout/pay',
      '/api/shop/checkout/post-purchase/x/add',
      '/api/shop/downloads/customer',
      `${storefront}/payment-methods/setup`,
    ]) {
      const { status, headers } = await preflight(path, listed);
      expect(status, path).to.equal(204);
      expect(headers.get('access-control-allow-origin')).to.equal(listed);
      expect(headers.get('access-control-allow-credentials')).to.equal('true');
      expect(headers.get('access-control-allow-methods')).to.equal('GET, HEAD, POST, PUT, DELETE');
      expect(headers.get('access-control-allow-headers')?.split(', ')).to.include.members([
        'Authorization',
        'Content-Type',
        'Idempotency-Key',
        'Tillroll-Basket',
        'Tillroll-Position',
      ]);
      expect(headers.get('access-control-max-age')).to.equal('7200');
      expect(headers.get('vary')).to.equal('Origin');
    }
  });

  it('reads what it asks for, refusals included, with the header fields it needs', async () => {
    for (const [path, status] of [
      [`${storefront}/basket`, 200],
      [`${storefront}/nowhere`, 404],
      ['/api/shop/downloads/customer', 401],
    ] as const) {
      const answer = await shop.shopper().get(path, { Origin: listed });
      expect(answer.status).to.equal(status);
      expect(answer.headers.get('access-control-allow-origin')).to.equal(listed);
      expect(answer.headers.get('access-control-allow-credentials')).to.equal('true');
      expect(answer.headers.get('access-control-expose-headers')?.split(', ')).to.include.members([
        'Retry-After',
        'Tillroll-Basket',
        'Tillroll-Position',
        'X-Correlation-Id',
      ]);
      expect(answer.headers.get('vary')?.split(', ')).to.include('Origin');
    }
  });

  it('is never mixed up with others in a cache: responses without an origin say that they depend on it', async () => {
    const { headers } = await read({});
    expect(headers.get('vary')).to.equal('Origin');
    expect(allowing(headers)).to.deep.equal([]);
  });

  it('is known by its exact origin only', async () => {
    const near = [
      'null',
      '*',
      'http://window.example',
      'https://window.example:8443',
      'https://window.example/',
      'https://WINDOW.example',
      'https://window.example.evil.example',
      'https://evil.example',
      'https://localhost:3000',
      'http://localhost:3001',
      `https://${'a'.repeat(4096)}.example`,
    ];
    for (const origin of near) {
      const asked = await preflight(`${storefront}/basket/add`, origin);
      expect(asked.status, origin.slice(0, 40)).to.equal(403);
      expect(allowing(asked.headers), origin.slice(0, 40)).to.deep.equal([]);
      const answer = await read({ Origin: origin });
      expect(answer.status).to.equal(200);
      expect(allowing(answer.headers), origin.slice(0, 40)).to.deep.equal([]);
      expect(JSON.stringify([...asked.headers, ...answer.headers])).not.to.include('evil');
    }
  });

  it('has no way into the backoffice, the callbacks, the tests, the home page or the description', async () => {
    for (const path of [
      '/backoffice/api/v1/orders',
      '/api/v1/products',
      '/shop/webhooks/sandbox',
      '/testing/clock',
      '/',
      '/openapi.json',
    ]) {
      const asked = await preflight(path, listed, 'GET');
      expect(asked.status, path).to.be.oneOf([404, 405]);
      expect(allowing(asked.headers), path).to.deep.equal([]);
      const answer = await shop.admin.get(path, { Origin: listed });
      expect(allowing(answer.headers), path).to.deep.equal([]);
    }
  });

  it('is answered by a shop that is called by a name that is none', async () => {
    const headers = { Origin: listed, Host: 'a[b' };
    const [answer] = await once(request(`${shop.base}${storefront}/basket`, { headers }).end(), 'response');
    (answer as IncomingMessage).resume();
    expect((answer as IncomingMessage).statusCode).to.equal(200);
  });

  it('gets cookies that come back to it from another site, and only there', async () => {
    const cookiesFor = async (headers: Headers): Promise<readonly string[]> => {
      const body = { productId: mug };
      return (await shop.shopper().post(`${storefront}/basket/add`, body, headers)).headers.getSetCookie();
    };
    const local = 'http://localhost:3000';
    const cases: readonly (readonly [headers: Headers, isOtherSite: boolean])[] = [
      [{ Origin: listed, 'Sec-Fetch-Site': 'cross-site' }, true],
      [{ Origin: listed }, true],
      [{ Origin: listed, 'Sec-Fetch-Site': 'same-site' }, false],
      [{ Origin: local, Host: `localhost:${new URL(shop.base).port}` }, true],
      [{ Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }, false],
      [{}, false],
    ];
    for (const [headers, isExpected] of cases) {
      const cookies = await cookiesFor(headers);
      expect(cookies.length, JSON.stringify(headers)).to.be.greaterThan(1);
      for (const cookie of cookies)
        expect(cookie.endsWith('; Secure; SameSite=None'), `${cookie} ${JSON.stringify(headers)}`).to.equal(
          isExpected,
        );
    }
  });
});

describe('A page that acts for a shopper who only looks at it', () => {
  let shop: TestShop;
  let mug: string;
  before(async () => {
    shop = await TestShop.open({ environment: { Storefront__AllowedOrigins: listed } });
    mug = await shop.sell('mug', { price: 10 });
  });
  after(() => shop.close());

  const foreign = { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' };

  /** POST as a form or `fetch` sends it; `type` '' leaves the content type out. */
  const clear = async (headers: Headers, type: string) => {
    const shopper = shop.shopper();
    await shopper.add(mug);
    const cookie = [...shopper.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(`${shop.base}${storefront}/basket/clear`, {
      method: 'POST',
      headers: { Cookie: cookie, ...(type === '' ? {} : { 'Content-Type': type }), ...headers },
      ...(type === '' ? {} : { body: 'a=b' }),
    });
    return { status: response.status, body: (await response.json()) as object, left: await shopper.basket() };
  };

  it('is refused whatever it can send without a preflight, and the basket stays', async () => {
    for (const type of ['', cartForm, 'multipart/form-data; boundary=x', 'TEXT/plain;charset=UTF-8']) {
      for (const origin of ['https://evil.example', 'null', 'https://window.example:8443']) {
        const { status, body, left } = await clear({ ...foreign, Origin: origin }, type);
        expect(status, `${type} ${origin}`).to.equal(403);
        expect(body).to.include({ success: false });
        expect(left.body.itemCount).to.equal(1);
      }
    }
  });

  it('is refused with the credentials of a browser’s own dialog, and without its Origin too', async () => {
    const remembered = { ...foreign, Authorization: `Basic ${btoa('staging:secret')}` };
    for (const headers of [
      remembered,
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
    ]) {
      const { status, left } = await clear(headers, 'text/plain');
      expect(status, JSON.stringify(headers)).to.equal(403);
      expect(left.body.itemCount).to.equal(1);
    }
  });

  it('is no storefront of the shop: those are let in, and so are callers that are no browsers', async () => {
    const own = new URL(shop.base).origin;
    for (const headers of [
      { Origin: listed },
      { Origin: own },
      { Origin: own.replace('http:', 'https:'), 'X-Forwarded-Proto': 'https' },
      { Origin: 'https://behind-a-proxy.example', 'Sec-Fetch-Site': 'same-origin' },
      { ...foreign, Authorization: 'Bearer of-an-app' },
      { 'Sec-Fetch-Site': 'none' },
      {},
    ])
      expect((await clear(headers, '')).status, JSON.stringify(headers)).to.equal(200);
  });

  it('can do nothing with JSON: that needs a preflight, which it does not get', async () => {
    const answer = await fetch(`${shop.base}${storefront}/basket/clear`, {
      method: 'OPTIONS',
      headers: { ...foreign, 'Access-Control-Request-Method': 'POST' },
    });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).to.deep.equal([403, null]);
  });

  it('has nothing to gain without cookies', async () => {
    const response = await fetch(`${shop.base}${storefront}/basket/clear`, {
      method: 'POST',
      headers: foreign,
    });
    expect(response.status).to.equal(200);
  });
});

describe('A shop without another origin', () => {
  let shop: TestShop;
  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop.close());

  it('tells pages of other origins nothing, and forges no cookies for them', async () => {
    const answer = await shop.shopper().get(`${storefront}/basket`, { Origin: listed });
    expect(answer.headers.get('vary')).to.equal(null);
    expect(answer.headers.get('access-control-allow-origin')).to.equal(null);
    const shopper = shop.shopper();
    shopper.cookies.set('shop_country', 'GB');
    const refused = await shopper.call('POST', `${storefront}/basket/clear`, undefined, { Origin: listed });
    expect(refused.status).to.equal(403);
    await refusedFor('origin-not-allowed')({ answer: refused } as never);
  });
});
