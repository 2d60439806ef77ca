import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';

/** A certificate that nobody has to trust but the test, in PEM. It is its own issuer. */
export interface TestCertificate {
  readonly key: string;
  readonly certificate: string;
}

// X.509 in DER (RFC 5280): every value is a tag, a length and its bytes.
const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const length =
    body.length < 128
      ? [body.length]
      : body.length < 256
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const sequence = (...parts: readonly Uint8Array[]): Buffer => der(0x30, ...parts);
const bits = (bytes: Uint8Array): Buffer => der(0x03, Buffer.from([0]), bytes);
const octets = (bytes: Uint8Array): Buffer => der(0x04, bytes);
const time = (date: Date): Buffer =>
  der(0x18, Buffer.from(`${date.toISOString().replaceAll(/[-:T]/g, '').slice(0, 14)}Z`));

const ecdsaWithSha256 = sequence(der(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
const commonName = Buffer.from('550403', 'hex');
const subjectAltName = Buffer.from('551d11', 'hex');
const basicConstraints = Buffer.from('551d13', 'hex');

const nameOf = (name: string): Buffer =>
  sequence(der(0x31, sequence(der(0x06, commonName), der(0x0c, Buffer.from(name)))));

/** A version 4 address, or a host name. */
const altName = (host: string): Buffer =>
  isIP(host) === 4 ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host));

/** A certificate for these names and addresses, valid for an hour. */
export const createCertificate = (hosts: readonly string[]): TestCertificate => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = nameOf('eventstoredb-node');
  const hour = 60 * 60 * 1000;
  const extensions = sequence(
    sequence(der(0x06, basicConstraints), octets(sequence(der(0x01, Buffer.from([0xff]))))),
    sequence(der(0x06, subjectAltName), octets(sequence(...hosts.map(altName)))),
  );
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    name,
    sequence(time(new Date(Date.now() - hour)), time(new Date(Date.now() + hour))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const whole = sequence(body, ecdsaWithSha256, bits(sign('sha256', body, privateKey)));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  };
};
