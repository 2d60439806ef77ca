import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { termsResponse } from '#contracts/checkout.contract.ts';
import { managing } from '#test/support/managing.ts';
import { get, manage } from '#test/support/requests.ts';
import { exactly } from '#test/support/scene.ts';
import { TestShop } from '#test/support/shop.ts';

const show = (key: string) => get(`/api/shop/checkout/terms/${key}`);
const missing = { success: false, code: 'entity-not-found', message: 'The shop has no such page.' };

describe('the pages of the checkout (docs/rules/checkout.md#pages)', () => {
  let shop: TestShop;
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pages-'));
    await mkdir(join(folder, 'checkout-views'));
    await writeFile(join(folder, 'Secret.html'), '<p>Not for shoppers.</p>');
    shop = await TestShop.open({ environment: { DATA_DIR: folder } });
  });
  after(async () => {
    await shop.close();
    await rm(folder, { recursive: true });
  });

  const { when } = managing(() => shop);
  const page = (name: string, html: string) => writeFile(join(folder, 'checkout-views', name), html);

  it('are not there until the shop has written them', async () => {
    for (const key of ['terms', 'privacy', 'refunds'])
      await shop.given().when(show(key)).then(200).and(exactly(missing));
  });

  it('show the terms and the privacy notice of the settings, as soon as they are changed', async () => {
    await when(
      manage.put('/settings', { termsHtml: '<h1>Terms</h1>', privacyHtml: '<p>None of it.</p>' }),
    ).then(200);
    const { body: told } = await shop
      .given()
      .when(show('TERMS'))
      .then(200, { success: true, key: 'terms', title: 'Terms', html: '<h1>Terms</h1>' });
    expect(termsResponse.parse(told)).to.deep.equal(told);
    await shop.given().when(show('privacy')).then(200, { html: '<p>None of it.</p>' });
    await when(manage.put('/settings', { termsHtml: '<h1>New terms</h1>' })).then(200);
    await shop.given().when(show('terms')).then(200, { html: '<h1>New terms</h1>' });
  });

  it("show any other page from the shop's folder, as soon as it is written anew", async () => {
    await page('Returnpolicy.html', '<p>30 days</p>');
    await shop
      .given()
      .when(show('return-policy'))
      .then(200, { success: true, key: 'returnpolicy', title: 'Returnpolicy', html: '<p>30 days</p>' });
    await page('Returnpolicy.html', '<p>14 days</p>');
    await shop.given().when(show('ReturnPolicy')).then(200, { html: '<p>14 days</p>' });
  });

  it('have nothing in them that could act in the name of the shop', async () => {
    await page(
      'Hostile.html',
      '<p onclick="steal()">A<script>steal()</script><iframe src="https://evil.example"></iframe>' +
        '<a href="javascript:steal()">b</a><a href="//evil.example">c</a><form action="/x"><input></form>' +
        '<style>p{}</style><img src="http://evil.example/a.png" onerror="steal()"></p>',
    );
    await shop.given().when(show('hostile')).then(200, { html: '<p>A<a>b</a><a>c</a></p><img /><p></p>' });
  });

  it('of more than half a million bytes are none', async () => {
    await page('Long.html', 'a'.repeat(500_001));
    await shop.given().when(show('long')).then(200, missing);
  });

  for (const key of ['..%2fSecret', '%2e%2e%2fsecret.html', 'secret%00', 'a'.repeat(101)])
    it(`lie nowhere else: ${key.slice(0, 20)}`, () =>
      shop.given().when(show(key)).then(200, { success: false }));

  for (const key of ['%D1%83%D1%81%D0%BB', '123', '%20'])
    it(`have names of letters a to z: ${key}`, () =>
      shop
        .given()
        .when(show(key))
        .then(200, { success: false, code: 'invalid-request', message: 'The key must consist of letters.' }));
});
