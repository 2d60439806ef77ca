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

  const inner = {
    '168.63.129.16': 'the host of every machine at Azure',
    '169.254.169.254': 'the metadata of nearly every cloud',
    '169.254.169.253': 'the name server at AWS',
    '169.254.170.2': 'the credentials of a container at AWS',
    '169.254.170.23': 'the credentials of a pod at AWS',
    '100.100.100.200': 'the metadata of Alibaba',
    '192.0.0.192': 'the older metadata of Oracle',
    '169.254.42.42': 'the metadata of Scaleway',
    '169.254.0.23': 'the metadata of Tencent',
    '161.26.0.10': 'the name server at IBM',
    '166.9.1.2': 'a private endpoint at IBM',
    '10.1.2.3': 'a private address',
    '192.88.99.1': 'a relay of 6to4',
    '192.31.196.1': 'a sink for questions about private addresses',
    '192.52.193.1': 'a relay of multicast tunnels',
    '192.175.48.1': 'a sink, delegated directly',
    '239.1.1.1': 'a multicast group',
    '250.1.1.1': 'a reserved address',
  };

  /** Every IPv6 address in which an IPv4 address can be hidden. */
  const spellings = (ipv4: string): readonly string[] => {
    const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number);
    const hex = (one: number, two: number): string => (one * 256 + two).toString(16);
    const [high, low] = [hex(a, b), hex(c, d)];
    const [notHigh, notLow] = [hex(255 - a, 255 - b), hex(255 - c, 255 - d)];
    return [
      ipv4,
      `::ffff:${ipv4}`,
      `::FFFF:${high}:${low}`,
      `0:0:0:0:0:ffff:${high}:${low}`,
      `::${ipv4}`,
      `::ffff:0:${ipv4}`,
      `64:ff9b::${ipv4}`,
      `64:ff9b::${high}:${low}`,
      `64:ff9b:1::${high}:${low}`,
      `2002:${high}:${low}::1`,
      // Teredo holds the server as it is and the client with every bit turned over.
      `2001:0:${high}:${low}:0:0:${notHigh}:${notLow}`,
      `2001::8000:0:${notHigh}:${notLow}`,
    ];
  };

  for (const [address, what] of Object.entries(inner)) {
    it(`is never ${what} (${address}), however it is written`, () => {
      for (const spelling of spellings(address)) {
        expect(refusedAddress(spelling, strict), spelling).to.be.a('string');
        const host = spelling.includes(':') ? `[${spelling}]` : spelling;
        expect(isAllowed(`http://${host}/`), host).to.equal(false);
      }
      const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
      const number = ((a * 256 + b) * 256 + c) * 256 + d;
      for (const host of [String(number), `0x${number.toString(16)}`, `0${number.toString(8)}`]) {
        expect(isAllowed(`http://${host}/`), host).to.equal(false);
      }
    });
  }

  const innerIpv6 = {
    'fd00:ec2::254': 'the metadata of AWS',
    'fd00:ec2::253': 'the name server at AWS',
    'fd00:ec2::23': 'the credentials of a pod at AWS',
    'fd20:ce::254': 'the metadata of Google',
    'fd00:c1::a9fe:a9fe': 'the metadata of Oracle',
    'fd00:42::42': 'the metadata of Scaleway',
    'fe80::a9fe:a9fe': 'the metadata of OpenStack',
    '100::1': 'a discarded address',
    '100:0:0:1::1': 'the dummy prefix',
    '2001:2::1': 'a benchmark',
    '2001:4:112::1': 'a sink',
    '2001:10::1': 'an ORCHID',
    '2001:20::1': 'an ORCHID, version 2',
    '2001:30::1': 'a drone',
    '2001:db8::1': 'documentation',
    '2620:4f:8000::1': 'a sink, delegated directly',
    '3fff::1': 'newer documentation',
    '5f00::1': 'a segment of a route',
    '4000::1': 'not given out',
    'fec0::1': 'site-local',
    'ff02::1': 'multicast',
  };
  for (const [address, what] of Object.entries(innerIpv6)) {
    it(`is never ${what} (${address})`, () => {
      expect(refusedAddress(address, strict)).to.be.a('string');
      expect(isAllowed(`http://[${address}]/`)).to.equal(false);
    });
  }

  it('may be right beside what is reserved', () => {
    const open = ['168.63.129.15', '168.63.129.17', '161.25.255.255', '161.27.0.1', '166.7.255.255'];
    const more = ['166.12.0.1', '192.0.1.1', '192.88.98.1', '223.255.255.1', '2001:200::1', '2003::1'];
    for (const address of [...open, ...more, '::ffff:168.63.129.17', '2a00:1450::1', '2620:4f:8001::1']) {
      expect(refusedAddress(address, strict), address).to.equal(null);
    }
  });

  it('is never a name that clouds keep for themselves', () => {
    for (const host of [
      'metadata.google.internal',
      'metadata.goog',
      'instance-data.ec2.internal',
      'x.home.arpa',
    ]) {
      expect(isAllowed(`http://${host}/`), host).to.equal(false);
    }
  });

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
