import { expect } from 'chai';
import { loadConfig } from '#runtime/config.ts';
import { eventsIn } from '#test/support/shop-log.ts';
import { TestShop, testEnvironment, type Shopper } from '#test/support/shop.ts';

const openShop = async (settings: Record<string, string>) => {
  const { storefront, protocol, publicBaseUrl } = loadConfig({ env: { ...testEnvironment(), ...settings } });
  const shop = await TestShop.open({ config: { storefront, protocol, publicBaseUrl } });
  const mug = await shop.sell('mug', { price: 10, stock: 100 });
  const shopper = shop.shopper();
  await shopper.prepare(mug);
  return { shop, shopper };
};

const pay = (shopper: Shopper, urls: object, headers?: Record<string, string>) =>
  shopper.post(
    '/api/shop/checkout/pay',
    { providerAlias: 'sandbox', returnUrl: '/return', cancelUrl: '/cancel', ...urls },
    headers,
  );

describe('the addresses that a payment returns to', () => {
  for (const [what, settings, allowed, refused] of [
    [
      'of a shop that names no host: its own, as the request has it',
      {},
      ['/thanks', 'http://{host}/thanks', '//{host}/thanks'],
      ['http://127.0.0.1/thanks', 'https://shop.example/', 'http://other.example/'],
    ],
    [
      'of a shop with a public address: that one and no other',
      { PUBLIC_BASE_URL: 'https://shop.example/' },
      ['/thanks', 'https://shop.example/thanks'],
      ['http://{host}/thanks', 'https://shop.example:8443/', 'https://www.shop.example/'],
    ],
    [
      'of a shop whose agents know it by another one: that one before it',
      { PUBLIC_BASE_URL: 'https://inside.example', Protocol__PublicBaseUrl: 'https://shop.example' },
      ['https://shop.example/thanks'],
      ['https://inside.example/thanks'],
    ],
    [
      'of a shop that names hosts: its own and those',
      {
        PUBLIC_BASE_URL: 'https://shop.example',
        Storefront__AllowedReturnHosts: 'app.example, localhost:3000',
      },
      ['https://shop.example/', 'https://app.example/thanks', 'http://localhost:3000/thanks'],
      ['https://app.example:3000/', 'http://localhost/', 'https://evil.example/'],
    ],
  ] as const) {
    it(what, async () => {
      const { shop, shopper } = await openShop(settings);
      try {
        const host = new URL(shop.base).host;
        for (const text of refused) {
          const answer = await pay(shopper, { returnUrl: text.replace('{host}', host) });
          expect([answer.status, Object.keys(answer.body.errors)], text).to.deep.equal([400, ['returnUrl']]);
          expect(answer.body.message).to.include('returnUrl: ');
        }
        const events = (await eventsIn(shop)).map(({ type }) => type);
        expect(events).to.not.include('OrderPlacementStarted');
        for (const text of allowed) {
          const answer = await pay(shopper, { cancelUrl: text.replace('{host}', host) });
          expect(answer.status, `${text}: ${answer.body.message}`).to.equal(200);
        }
      } finally {
        await shop.close();
      }
    });
  }

  it('are refused both at once, for whatever a browser would take otherwise', async () => {
    const { shop, shopper } = await openShop({});
    try {
      for (const text of [
        '/\\evil.example',
        '/\t/evil.example',
        'https:\\\\evil.example',
        'http://me@127.0.0.1/',
        'javascript:alert(1)',
        'thanks',
        `/${'x'.repeat(2000)}`,
      ]) {
        const answer = await pay(shopper, { returnUrl: text, cancelUrl: text });
        expect([answer.status, answer.body.success], text).to.deep.equal([400, false]);
        expect(answer.body.errors).to.have.all.keys('returnUrl', 'cancelUrl');
      }
      expect((await pay(shopper, { returnUrl: undefined })).status).to.equal(400);
    } finally {
      await shop.close();
    }
  });
});
