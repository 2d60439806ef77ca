import { expect } from 'chai';
import { plainSignature, sendCallback, timedSignature } from '#test/support/provider-callbacks.ts';
import { TestShop } from '#test/support/shop.ts';

/** As no serialiser writes it: escapes, spaces, an exponent, keys that come twice. */
const body =
  '{ "type" : "Greeting",\n\t"id": "evt_\\u2028 ☕ 😀", "data": { "n": 1e21, "z": 0.10, "a": null, "a": 1 } }\r\n';

describe('F27: the bytes of a callback', () => {
  let shop: TestShop;
  before(async () => {
    shop = await TestShop.open();
  });
  after(() => shop.close());

  const send = async (bytes: string, headers: Record<string, string>): Promise<number> =>
    (await sendCallback(shop, shop.tester, bytes, headers)).status;

  it('are what is signed, whatever they hold', async () => {
    const seconds = Math.floor(shop.shop.runtime.clock.now() / 1000);
    for (const signature of [plainSignature(body), timedSignature(body, seconds)])
      expect(await send(body, signature)).to.equal(200);
  });

  it('are refused when they say the same in other bytes, or differ in one', async () => {
    const seconds = Math.floor(shop.shop.runtime.clock.now() / 1000);
    const altered = [
      JSON.stringify(JSON.parse(body)),
      body.trim(),
      body.replace('☕', '\\u2615'),
      body.replace('1e21', '1e22'),
      `\ufeff${body}`,
    ];
    for (const bytes of altered)
      for (const signature of [plainSignature(body), timedSignature(body, seconds)])
        expect(await send(bytes, signature), bytes).to.equal(400);
  });

  it('count however they are declared: no content type, another one, no JSON at all', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/octet-stream'])
      expect(await send(body, { ...plainSignature(body), 'Content-Type': type })).to.equal(200);
    expect(await send('hello', plainSignature('hello'))).to.equal(400);
  });

  it('are not unpacked before they are checked', async () => {
    expect(await send(body, { ...plainSignature(body), 'Content-Encoding': 'gzip' })).to.equal(400);
  });
});
