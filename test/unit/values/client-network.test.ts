import { expect } from 'chai';
import { clientNetwork } from '#values/client-network.ts';

describe('the network of a client', () => {
  it('is an IPv4 address by itself, however it is written', () => {
    expect(clientNetwork('203.0.113.7')).to.equal('203.0.113.7');
    expect(clientNetwork('::ffff:203.0.113.7')).to.equal('203.0.113.7');
    expect(clientNetwork('203.0.113.8')).not.to.equal(clientNetwork('203.0.113.7'));
  });

  it('is the /64 of an IPv6 address, however it is written', () => {
    const line = clientNetwork('2001:db8:0:1::1');
    for (const same of [
      '2001:db8:0:1:ffff:ffff:ffff:ffff',
      '2001:0DB8:0000:0001:0:0:0:9',
      '2001:db8:0:1:2::',
      '2001:db8::1:2:3:4:5',
    ])
      expect(clientNetwork(same), same).to.equal(line);
    for (const other of ['2001:db8:0:2::1', '2001:db8::1', '::1', 'fe80::1%eth0'])
      expect(clientNetwork(other), other).not.to.equal(line);
    expect(clientNetwork('fe80::1%eth0')).to.equal(clientNetwork('fe80::2'));
  });
});
