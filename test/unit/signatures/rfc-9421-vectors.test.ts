import { expect } from 'chai';
import { parseDictionary, type InnerList } from 'structured-headers';
import type { PublicKey } from '#agents/agent-profile.ts';
import { digestProblem } from '#signatures/content-digest.ts';
import type { HttpMessage, RequestMessage, ResponseMessage } from '#signatures/http-message.ts';
import { baseBytes, signatureBase } from '#signatures/signature-base.ts';
import { es256Key, isSignedWith } from '#signatures/public-keys.ts';
import { verifyMessage } from '#signatures/verify-message.ts';

// Messages, keys and signatures of RFC 9421, appendix B.
const key: PublicKey = {
  kid: 'test-key-ecc-p256',
  kty: 'EC',
  crv: 'P-256',
  x: 'qIVYZVLCrPZHGHjP17CTW0_-D9Lfw0EkjqF7xB4FivA',
  y: 'Mc4nN9LTDOBhfoUeg8Ye9WedFRhnZXZJA12Qp0zZ6F0',
};
const digest =
  'sha-512=:WZDPaVn/7XgHaAy8pmojAkGWoRx2UFChF41A2svX+TaPm+AbwAgBWnrIiYllu7BNNyealdVLvRwEmTHWXvJwew==:';

const testRequest: RequestMessage = {
  method: 'POST',
  url: 'https://example.com/foo?param=Value&Pet=dog',
  headers: {
    host: 'example.com',
    date: 'Tue, 20 Apr 2021 02:07:55 GMT',
    'content-type': 'application/json',
    'content-digest': digest,
    'content-length': '18',
  },
  body: Buffer.from('{"hello": "world"}'),
};

const responseDigest =
  'sha-512=:mEWXIS7MaLRuGgxOBdODa3xqM1XdEvxoYhvlCFJ41QJgJc4GTsPp29l5oGX69wWdXymyU0rjJuahq4l5aGgfLQ==:';
const testResponse: ResponseMessage = {
  status: 200,
  headers: {
    date: 'Tue, 20 Apr 2021 02:07:56 GMT',
    'content-type': 'application/json',
    'content-digest': responseDigest,
    'content-length': '23',
  },
  body: Buffer.from('{"message": "good dog"}'),
};

const clientCert = [
  ':MIIBqDCCAU6gAwIBAgIBBzAKBggqhkjOPQQDAjA6MRswGQYDVQQKDBJMZXQncyBBdXRoZW50aWNhdGUxGzAZBgNVBAMMEkxBIEludGVy',
  'bWVkaWF0ZSBDQTAeFw0yMDAxMTQyMjU1MzNaFw0yMTAxMjMyMjU1MzNaMA0xCzAJBgNVBAMMAkJDMFkwEwYHKoZIzj0CAQYIKoZIzj0D',
  'AQcDQgAE8YnXXfaUgmnMtOXU/IncWalRhebrXmckC8vdgJ1p5Be5F/3YC8OthxM4+k1M6aEAEFcGzkJiNy6J84y7uzo9M6NyMHAwCQYD',
  'VR0TBAIwADAfBgNVHSMEGDAWgBRm3WjLa38lbEYCuiCPct0ZaSED2DAOBgNVHQ8BAf8EBAMCBsAwEwYDVR0lBAwwCgYIKwYBBQUHAwIw',
  'HQYDVR0RAQH/BBMwEYEPYmRjQGV4YW1wbGUuY29tMAoGCCqGSM49BAMCA0gAMEUCIBHda/r1vaL6G3VliL4/Di6YK0Q6bMjeSkC3dFCO',
  'OB8TAiEAx/kHSB4urmiZ0NX5r5XarmPk0wmuydBVoU4hBVZ1yhk=:',
].join('');
const behindProxy: RequestMessage = {
  ...testRequest,
  url: 'https://service.internal.example/foo?param=Value&Pet=dog',
  headers: { ...testRequest.headers, 'client-cert': clientCert },
};

const demo: RequestMessage = {
  method: 'GET',
  url: 'https://example.org/demo?name1=Value1&Name2=value2',
  headers: { host: 'example.org', accept: ['application/json', '*/*'] },
  body: Buffer.alloc(0),
};

const coveredIn = (input: string): InnerList => parseDictionary(`sig=${input}`).get('sig') as InnerList;

const bases: readonly (readonly [string, HttpMessage, input: string, lines: readonly string[]])[] = [
  [
    'B.2.1, nothing',
    testRequest,
    '();created=1618884473;keyid="test-key-rsa-pss";nonce="b3k2pp5k7z-50gnwp.yemd"',
    [],
  ],
  [
    'B.2.2, some',
    testRequest,
    '("@authority" "content-digest" "@query-param";name="Pet");created=1618884473;keyid="test-key-rsa-pss";tag="header-example"',
    ['"@authority": example.com', `"content-digest": ${digest}`, '"@query-param";name="Pet": dog'],
  ],
  [
    'B.2.3, all of it',
    testRequest,
    '("date" "@method" "@path" "@query" "@authority" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-rsa-pss"',
    [
      '"date": Tue, 20 Apr 2021 02:07:55 GMT',
      '"@method": POST',
      '"@path": /foo',
      '"@query": ?param=Value&Pet=dog',
      '"@authority": example.com',
      '"content-type": application/json',
      `"content-digest": ${digest}`,
      '"content-length": 18',
    ],
  ],
  [
    'B.2.4, a response',
    testResponse,
    '("@status" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-ecc-p256"',
    [
      '"@status": 200',
      '"content-type": application/json',
      `"content-digest": ${responseDigest}`,
      '"content-length": 23',
    ],
  ],
  [
    'B.2.5, a shared secret',
    testRequest,
    '("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"',
    [
      '"date": Tue, 20 Apr 2021 02:07:55 GMT',
      '"@authority": example.com',
      '"content-type": application/json',
    ],
  ],
  [
    'B.2.6, Ed25519',
    testRequest,
    '("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',
    [
      '"date": Tue, 20 Apr 2021 02:07:55 GMT',
      '"@method": POST',
      '"@path": /foo',
      '"@authority": example.com',
      '"content-type": application/json',
      '"content-length": 18',
    ],
  ],
  [
    'B.3, behind a proxy',
    behindProxy,
    '("@path" "@query" "@method" "@authority" "client-cert");created=1618884473;keyid="test-key-ecc-p256"',
    [
      '"@path": /foo',
      '"@query": ?param=Value&Pet=dog',
      '"@method": POST',
      '"@authority": service.internal.example',
      `"client-cert": ${clientCert}`,
    ],
  ],
  [
    'B.4, two lines of one field',
    demo,
    '("@method" "@path" "@authority" "accept");created=1618884473;keyid="test-key-ed25519"',
    ['"@method": GET', '"@path": /demo', '"@authority": example.org', '"accept": application/json, */*'],
  ],
];

// docs/rules/agent-signatures.md
describe('The vectors of RFC 9421', () => {
  for (const [name, message, input, lines] of bases)
    it(`have the base of ${name}`, () => {
      const expected = [...lines, `"@signature-params": ${input}`].join('\n');
      expect(signatureBase(message, coveredIn(input))).to.equal(expected);
    });

  it('have derived components of a request, one by one', () => {
    const derived = (url: string, component: string) =>
      signatureBase({ ...demo, url }, coveredIn(`(${component})`)).split('\n')[0];
    // Sections 2.2.2 to 2.2.8.
    expect(derived('https://www.example.com/path?param=value', '"@target-uri"')).to.equal(
      '"@target-uri": https://www.example.com/path?param=value',
    );
    expect(derived('HTTP://WWW.Example.com:80', '"@authority"')).to.equal('"@authority": www.example.com');
    expect(derived('https://example.com:8443/', '"@authority"')).to.equal('"@authority": example.com:8443');
    expect(derived('http://www.example.com/path', '"@scheme"')).to.equal('"@scheme": http');
    expect(derived('https://www.example.com/path?param=value', '"@request-target"')).to.equal(
      '"@request-target": /path?param=value',
    );
    expect(derived('https://www.example.com', '"@path"')).to.equal('"@path": /');
    expect(derived('https://www.example.com/a/../b%2f', '"@path"')).to.equal('"@path": /a/../b%2f');
    expect(derived('https://www.example.com/path?queryString', '"@query"')).to.equal(
      '"@query": ?queryString',
    );
    expect(derived('https://www.example.com/path', '"@query"')).to.equal('"@query": ?');
    const query = '?var=this%20is%20a%20big%0Avalue&bar=with+plus+whitespace&fa%C3%A7ade%22%3A%20=something';
    const parameter = (name: string) =>
      derived(`https://www.example.com/parameters${query}`, `"@query-param";name="${name}"`);
    expect(parameter('var')).to.equal('"@query-param";name="var": this%20is%20a%20big%0Avalue');
    expect(parameter('bar')).to.equal('"@query-param";name="bar": with%20plus%20whitespace');
    expect(parameter('fa%C3%A7ade%22%3A%20')).to.equal(
      '"@query-param";name="fa%C3%A7ade%22%3A%20": something',
    );
  });

  const signatures: readonly (readonly [string, HttpMessage, input: string, signature: string])[] = [
    [
      'B.2.4',
      testResponse,
      '("@status" "content-type" "content-digest" "content-length");created=1618884473;keyid="test-key-ecc-p256"',
      'wNmSUAhwb5LxtOtOpNa6W5xj067m5hFrj0XQ4fvpaCLx0NKocgPquLgyahnzDnDAUy5eCdlYUEkLIj+32oiasw==',
    ],
    [
      'B.3',
      behindProxy,
      '("@path" "@query" "@method" "@authority" "client-cert");created=1618884473;keyid="test-key-ecc-p256"',
      'xVMHVpawaAC/0SbHrKRs9i8I3eOs5RtTMGCWXm/9nvZzoHsIg6Mce9315T6xoklyy0yzhD9ah4JHRwMLOgmizw==',
    ],
  ];
  for (const [name, message, input, signature] of signatures)
    it(`have a P-256 signature that holds, in ${name}`, () => {
      const p256 = es256Key(key);
      if (!p256) throw new TypeError('the key of the RFC cannot be read');
      const base = baseBytes(signatureBase(message, coveredIn(input)));
      expect(isSignedWith(p256, base, Buffer.from(signature, 'base64'))).to.equal(true);
      base[base.length - 1] = 0;
      expect(isSignedWith(p256, base, Buffer.from(signature, 'base64'))).to.equal(false);
    });

  it('have a whole response that is verified at its time, and is too old five minutes later', () => {
    const [[, , input, signature]] = signatures as [(typeof signatures)[number]];
    const message = {
      ...testResponse,
      headers: {
        ...testResponse.headers,
        'signature-input': `sig-b24=${input}`,
        signature: `sig-b24=:${signature}:`,
      },
    };
    const verified = (now: number) =>
      verifyMessage(message, (kid) => (kid === key.kid ? key : undefined), { now });
    expect(verified(1_618_884_473_000)).to.deep.equal({ kind: 'verified', kid: key.kid });
    expect(verified(1_618_884_473_000 + 300_000)).to.have.property('kind', 'verified');
    expect(verified(1_618_884_473_000 + 301_000)).to.include({ kind: 'refused', code: 'signature_invalid' });
  });

  it('have digests of their bodies', () => {
    expect(digestProblem(digest, testRequest.body)).to.equal(null);
    expect(digestProblem(responseDigest, testResponse.body)).to.equal(null);
    // By OpenSSL, of the same body.
    expect(
      digestProblem('sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:', testRequest.body),
    ).to.equal(null);
    expect(
      digestProblem(`${digest}, sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:`, testResponse.body),
    ).not.to.equal(null);
  });
});
