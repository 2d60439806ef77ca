import { expect } from 'chai';
import type { Request } from 'express';
import { requestFacts } from '#http/request-facts.ts';

/** As Express reads it; behind a trusted proxy `host` is what that says. */
const asked = (host: string | undefined, { secure = false, hosts = host === undefined ? [] : [host] } = {}) =>
  ({
    ...{ host, secure, protocol: secure ? 'https' : 'http', headersDistinct: { host: hosts } },
    socket: { localAddress: '10.0.0.7', localPort: 3000 },
  }) as unknown as Request;

// docs/security.md#the-shops-own-address
describe('The address of the shop, as a request has it', () => {
  const baseOf = (...request: Parameters<typeof asked>) => requestFacts(asked(...request), null).baseUrl;

  it('is the host that was asked, where none is set', () => {
    for (const host of ['shop.example', 'shop.example:8443', 'SHOP_1', '192.0.2.1', '[2001:db8::1]:443'])
      expect(baseOf(host)).to.equal(`http://${host}`);
    expect(baseOf('shop.example', { secure: true })).to.equal('https://shop.example');
    expect(requestFacts(asked('evil.example'), 'https://shop.example').baseUrl).to.equal(
      'https://shop.example',
    );
  });

  it('is that of the machine itself, where what was asked is no host, or is two', () => {
    const noHosts = ['', 'user@evil.example', 'evil.example/path', 'a b', '"><script>', 'a[b', 'shop:port'];
    for (const host of [undefined, ...noHosts, 'shop.example:123456', 'x\\@shop.example', 'a,b'])
      expect(baseOf(host), String(host)).to.equal('http://localhost:3000');
    expect(baseOf('shop.example', { hosts: ['shop.example', 'evil.example'] })).to.equal(
      'http://localhost:3000',
    );
  });
});
