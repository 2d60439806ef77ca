import { expect } from 'chai';
import fc from 'fast-check';
import { checkReturnAddress, isReturnHost } from '#values/return-address.ts';

const own = 'https://shop.example';
const hosts = {
  own,
  allowed: ['pay.example', 'localhost:3000', '[::1]:8080', 'münchen.example', 'odd.example:80'],
};

const destination = (text: string, to = hosts): string => {
  const checked = checkReturnAddress(text, to);
  return checked.isAllowed ? checked.url : checked.expected;
};

describe('where a payment may return to', () => {
  it("is anywhere on the shop's own host", () => {
    for (const [text, url] of [
      ['/', `${own}/`],
      ['/thanks?order=1#top', `${own}/thanks?order=1#top`],
      ['/a@b/https://evil.example', `${own}/a@b/https://evil.example`],
      ['/?next=//evil.example', `${own}/?next=//evil.example`],
      ['//shop.example/thanks', `${own}/thanks`],
      ['https://shop.example/thanks', `${own}/thanks`],
      ['HTTPS://SHOP.Example:443/thanks', `${own}/thanks`],
      ['http://shop.example/thanks', 'http://shop.example/thanks'],
    ] as const)
      expect(destination(text)).to.equal(url);
  });

  it('is a path where the shop does not know its address, or on a host that is allowed', () => {
    const unknown = { ...hosts, own: null };
    for (const text of ['/', '/thanks?next=//evil.example', '/a@b', 'https://pay.example/done'])
      expect(checkReturnAddress(text, unknown).isAllowed, text).to.be.true;
    for (const text of [
      'https://shop.example/',
      '//shop.invalid/',
      '///shop.invalid/',
      'http://shop.invalid/',
      '//evil.example',
      '/\\evil.example',
    ])
      expect(checkReturnAddress(text, unknown).isAllowed, text).to.be.false;
  });

  it('is on a host that is allowed by name and port', () => {
    for (const text of [
      'https://pay.example/done',
      'http://pay.example/done',
      'http://localhost:3000/done',
      'https://localhost:3000/done',
      'http://[::1]:8080/',
      'https://münchen.example/',
      'https://xn--mnchen-3ya.example/',
      'http://odd.example/',
      'https://odd.example:80/',
    ])
      expect(checkReturnAddress(text, hosts).isAllowed, text).to.be.true;
  });

  it('is nowhere else', () => {
    for (const text of [
      'https://evil.example/',
      '//evil.example',
      '///evil.example',
      'https:///evil.example',
      'https://shop.example.evil.example/',
      'https://evil-shop.example/',
      'https://www.shop.example/',
      'https://shop.example./',
      'https://shop.example:8443/',
      'http://shop.example:443/',
      'https://pay.example:3000/',
      'https://localhost/',
      'http://localhost:3001/',
      'https://odd.example/',
      'http://127.0.0.1/',
      'https://evil.example#shop.example',
      'https://evil.example?shop.example/',
    ])
      expect(destination(text), text).to.match(
        /^must be a path from \/, or an address on the shop's own host/,
      );
  });

  it('has no user information before the host', () => {
    for (const text of [
      'https://shop.example@evil.example/',
      'https://me:secret@shop.example/',
      'https://@shop.example/',
      '//me@shop.example/',
      '///me@shop.example/',
    ])
      expect(destination(text), text).to.include('user information');
  });

  it('has nothing that a browser reads differently from people', () => {
    for (const text of [
      '/\\evil.example',
      '\\\\evil.example',
      'https:\\\\evil.example',
      '/thanks\\',
      'https://shop.example\\@evil.example',
    ])
      expect(destination(text), text).to.include('backslashes');
    for (const text of [
      '/\t/evil.example',
      '/\n/evil.example',
      '/thanks\r\nSet-Cookie: a=b',
      '\u0000/',
      '/\u007F',
      '/\u0085',
      'java\tscript:alert(1)',
    ])
      expect(destination(text), JSON.stringify(text)).to.include('control characters');
  });

  it('is a path from / or an absolute http(s) address', () => {
    for (const text of [
      '',
      ' ',
      ' /thanks',
      'thanks',
      '?a',
      '#a',
      'javascript:alert(1)',
      'data:text/html,x',
      'ftp://shop.example/',
      'https:thanks',
      'https:/thanks',
      'https://',
      'https://shop.example:99999/',
      'https://exa mple/',
    ])
      expect(destination(text), text).to.include('an http(s) address or a path');
  });

  it('is no longer than 2,000 characters', () => {
    expect(checkReturnAddress(`/${'x'.repeat(1999)}`, hosts).isAllowed).to.be.true;
    expect(destination(`/${'x'.repeat(2000)}`)).to.equal('must be at most 2,000 characters');
  });

  it('always leads a browser to one of those hosts', () => {
    const piece = fc.constantFrom(
      ...[
        '/',
        '//',
        '\\',
        ':',
        '@',
        '#',
        '?',
        '.',
        '..',
        '%2f',
        '%5c',
        '%00',
        '\t',
        ' ',
        '\u3002',
        '／',
        '＼',
        '｡',
      ],
      ...[
        'http',
        'https',
        'HTTPS:',
        'javascript:',
        'shop.example',
        'pay.example',
        'evil.example',
        'localhost:3000',
        '443',
        '[::1]:8080',
      ],
    );
    const text = fc.array(fc.oneof({ weight: 5, arbitrary: piece }, fc.string({ maxLength: 3 })), {
      maxLength: 9,
    });
    const allowed = new Set([
      'shop.example',
      'pay.example',
      'localhost:3000',
      '[::1]:8080',
      'xn--mnchen-3ya.example',
      'odd.example',
      'odd.example:80',
    ]);
    fc.assert(
      fc.property(text, (pieces) => {
        const given = pieces.join('');
        const checked = checkReturnAddress(given, hosts);
        if (!checked.isAllowed) return;
        for (const page of [`${own}/`, `${own}/checkout/pay?a=b`]) {
          const { host, protocol, username, password, href } = new URL(given, page);
          expect(allowed).to.include(host);
          expect(['http:', 'https:']).to.include(protocol);
          expect([username, password]).to.deep.equal(['', '']);
          expect(href).to.equal(checked.url);
        }
      }),
      { numRuns: 3000 },
    );
  });
});

describe('a host that a payment may return to', () => {
  it('is a name or an address, with a port or without', () => {
    for (const text of [
      'shop.example',
      'SHOP.example:8443',
      'localhost',
      '127.0.0.1:80',
      '[::1]',
      '[::1]:8080',
      'münchen.example',
    ])
      expect(isReturnHost(text), text).to.be.true;
  });

  it('is no address, no wildcard, and has no user information', () => {
    for (const text of [
      '',
      ' ',
      'https://shop.example',
      'shop.example/',
      '*.example',
      '*',
      'me@shop.example',
      'shop.example:',
      'shop.example:0',
      'shop.example:99999',
      'shop.example:http',
      '::1',
      'a b',
      'shop\\.example',
      '//shop.example',
      'shop.example?',
    ])
      expect(isReturnHost(text), JSON.stringify(text)).to.be.false;
  });
});
