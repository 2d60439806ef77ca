import { expect } from 'chai';
import { loadConfig } from '#runtime/config.ts';
import { pay, readyToPay, withHeaders } from '#test/support/requests.ts';
import { body, noNewEvents, type Check } from '#test/support/scene.ts';
import { TestShop, testEnvironment } from '#test/support/shop.ts';

const openShop = async (settings: Record<string, string>) => {
  const { storefront, protocol, publicBaseUrl } = loadConfig({ env: { ...testEnvironment(), ...settings } });
  const shop = await TestShop.open({ config: { storefront, protocol, publicBaseUrl } });
  const mug = await shop.sell('mug', { price: 10, stock: 100 });
  const host = new URL(shop.base).host;
  const returningTo = (urls: object) =>
    shop.given(...readyToPay(mug)).when(pay({ methodAlias: undefined, ...urls }));
  return { shop, host, hosts: storefront.allowedReturnHosts as string[], returningTo };
};

const named = (...fields: readonly string[]): Check =>
  body(({ errors }) => expect(Object.keys(errors)).to.have.members(fields));

describe('the addresses that a payment returns to', () => {
  for (const [what, settings, allowed, refused] of [
    [
      'of a shop that does not know its address: paths, whatever host the request names',
      {},
      ['/thanks', '/?next=//evil.example'],
      [
        'http://{host}/thanks',
        '//{host}/thanks',
        'https://shop.example/',
        'http://other.example/',
        'http://shop.invalid/thanks',
        '//shop.invalid/thanks',
      ],
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
      const { shop, host, returningTo } = await openShop(settings);
      try {
        for (const text of refused)
          await returningTo({ returnUrl: text.replace('{host}', host) })
            .then(400)
            .and(named('returnUrl'))
            .and(body(({ message }) => expect(message).to.include('returnUrl: ')))
            .and(noNewEvents());
        for (const text of allowed) await returningTo({ cancelUrl: text.replace('{host}', host) }).then(200);
      } finally {
        await shop.close();
      }
    });
  }

  it('do not follow the host that a request names, neither at once nor at the provider', async () => {
    const { shop, returningTo } = await openShop({});
    try {
      const evil = withHeaders(
        { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https', Host: 'evil.example' },
        pay({ methodAlias: 'redirect', returnUrl: '/thanks', cancelUrl: '/basket' }),
      );
      const mug = await shop.sell('cup', { price: 10, stock: 100 });
      const { body: answer } = await shop
        .given(...readyToPay(mug))
        .when(evil)
        .then(200);
      expect(answer.redirectUrl).to.match(/^\/api\/shop\/checkout\/return\?/);
      await returningTo({ returnUrl: 'https://evil.example/' }).then(400);
    } finally {
      await shop.close();
    }
  });

  it('are looked at again before a browser is sent there: what an older release took is not followed', async () => {
    const { shop, hosts } = await openShop({ Storefront__AllowedReturnHosts: 'app.example' });
    try {
      const mug = await shop.sell('cup', { price: 10, stock: 100 });
      const shopper = shop.shopper();
      await shopper.prepare(mug);
      const page = 'https://app.example/thanks';
      const { body: begun } = await shopper.ask(
        pay({ methodAlias: 'redirect', returnUrl: page, cancelUrl: page }),
      );
      const back = async (): Promise<string | null> =>
        (await shopper.get(begun.redirectUrl, { Accept: 'text/html' })).headers.get('location');
      expect(await back()).to.match(/^https:\/\/app\.example\/thanks\?/);
      hosts.length = 0;
      expect(await back()).to.match(/^\/checkout\/confirmation\//);
    } finally {
      await shop.close();
    }
  });

  it('are refused both at once, for whatever a browser would take otherwise', async () => {
    const { shop, returningTo } = await openShop({});
    try {
      for (const text of [
        '/\\evil.example',
        '/\t/evil.example',
        'https:\\\\evil.example',
        'http://me@127.0.0.1/',
        'javascript:alert(1)',
        'thanks',
        `/${'x'.repeat(2000)}`,
      ])
        await returningTo({ returnUrl: text, cancelUrl: text })
          .then(400, { success: false })
          .and(named('returnUrl', 'cancelUrl'));
      await returningTo({ returnUrl: undefined }).then(400);
    } finally {
      await shop.close();
    }
  });
});
