import { expect } from 'chai';
import { checkTargetUrl, refusedAddress } from '#values/target-address.ts';

const strict = { allowLoopback: false, allowPrivate: false };
const loopback = { allowLoopback: true, allowPrivate: false };
const anything = { allowLoopback: false, allowPrivate: true };

const isAllowed = (url: string, policy = strict): boolean => checkTargetUrl(url, policy).isAllowed;

describe('a webhook target', () => {
  const allowed = [
    'https://example.com/hooks?x=1',
    'http://example.com:8080',
    'http://1.1.1.1/',
    'http://172.32.0.1/',
    'http://100.128.0.1/',
    'http://[2606:4700::1111]/',
    'http://[::ffff:1.1.1.1]/',
  ];
  for (const url of allowed) {
    it(`may be ${url}`, () => expect(isAllowed(url)).to.equal(true));
  }

  const refused = [
    '',
    '/hooks',
    'example.com',
    'ftp://example.com',
    'file:///etc/passwd',
    'http://user@example.com',
    'http://user:secret@example.com',
    'http://localhost',
    'http://LOCALHOST.:80',
    'http://shop.localhost',
    'http://printer.local',
    'http://metadata.google.internal',
    'http://127.0.0.1',
    'http://127.1',
    'http://0x7f000001',
    'http://2130706433',
    'http://0177.0.0.1',
    'http://0.0.0.0',
    'http://10.0.0.1',
    'http://100.64.0.1',
    'http://169.254.169.254/latest/meta-data',
    'http://172.16.0.1',
    'http://172.31.255.255',
    'http://192.0.0.1',
    'http://192.0.2.1',
    'http://192.168.1.1',
    'http://198.18.0.1',
    'http://198.51.100.1',
    'http://203.0.113.1',
    'http://224.0.0.1',
    'http://255.255.255.255',
    'http://[::]',
    'http://[::1]',
    'http://[::ffff:10.0.0.1]',
    'http://[::ffff:7f00:1]',
    'http://[::127.0.0.1]',
    'http://[64:ff9b::a00:1]',
    'http://[::ffff:0:10.0.0.1]',
    'http://[2002:a00:1::]',
    'http://[fc00::1]',
    'http://[fd12:3456::1]',
    'http://[fe80::1]',
    'http://[fec0::1]',
    'http://[ff02::1]',
  ];
  for (const url of refused) {
    it(`may not be ${url === '' ? '(empty)' : url}`, () => expect(isAllowed(url)).to.equal(false));
  }

  it('may be on loopback where that is allowed, and nowhere else inside', () => {
    for (const url of ['http://localhost:9', 'http://127.0.0.1:9', 'http://[::1]:9']) {
      expect(isAllowed(url, loopback), url).to.equal(true);
    }
    for (const url of [
      'http://10.0.0.1',
      'http://169.254.169.254',
      'http://printer.local',
      'http://u@localhost',
    ]) {
      expect(isAllowed(url, loopback), url).to.equal(false);
    }
  });

  it('may be anywhere where private targets are allowed, by http and without user information', () => {
    for (const url of ['http://10.0.0.1', 'http://127.0.0.1', 'http://printer.local', 'http://[fd00::1]']) {
      expect(isAllowed(url, anything), url).to.equal(true);
    }
    for (const url of ['ftp://10.0.0.1', 'http://u@10.0.0.1', '']) {
      expect(isAllowed(url, anything), url).to.equal(false);
    }
  });

  it('is judged by every way that a resolver writes an address', () => {
    expect(refusedAddress('fe80::1%eth0', strict)).to.be.a('string');
    expect(refusedAddress('::FFFF:192.168.0.1', strict)).to.be.a('string');
    expect(refusedAddress('0:0:0:0:0:0:0:1', strict)).to.be.a('string');
    expect(refusedAddress('not an address', anything)).to.be.a('string');
    expect(refusedAddress('1.2.3.4.5', anything)).to.be.a('string');
    expect(refusedAddress('1::2::3', anything)).to.be.a('string');
    expect(refusedAddress('2606:4700:0:0:0:0:0:1111', strict)).to.equal(null);
    expect(refusedAddress('8.8.8.8', strict)).to.equal(null);
  });
});
