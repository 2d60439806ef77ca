import { expect } from 'chai';
import { flattenedVerify, FlattenedSign } from 'jose';
import { createPublicKey } from 'node:crypto';
import { signDetached, verifyDetached } from '#signatures/detached-jws.ts';
import type { RequestMessage } from '#signatures/http-message.ts';
import { signMessage } from '#signatures/sign-message.ts';
import { verifyMessage } from '#signatures/verify-message.ts';
import { agentKey } from '#test/support/agents/agent-key.ts';

const signer = agentKey('k1');
const findKey = (kid: string) => (kid === 'k1' ? signer.published : undefined);
const now = Date.UTC(2026, 2, 1);

const notice: RequestMessage = {
  method: 'POST',
  url: 'https://agent.example/orders?of=shop',
  headers: {
    'content-type': 'application/json',
    'ucp-agent': 'profile="https://shop.example/.well-known/ucp"',
  },
  body: Buffer.from('{"id":"1"}'),
};
const components = [
  '@method',
  '@authority',
  '@path',
  '@query',
  'ucp-agent',
  'content-digest',
  'content-type',
];

const lowerCased = (fields: object): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), String(value)]));

// docs/rules/agent-signatures.md
describe('A signed message', () => {
  it('is verified with the fields that its signer adds', () => {
    const added = signMessage(notice, components, signer, { at: now });
    expect(added['Signature-Input']).to.equal(
      'sig1=("@method" "@authority" "@path" "@query" "ucp-agent" "content-digest" "content-type");created=1772323200;keyid="k1"',
    );
    const received = { ...notice, headers: { ...notice.headers, ...lowerCased(added) } };
    expect(verifyMessage(received, findKey, { now })).to.deep.equal({ kind: 'verified', kid: 'k1' });
    expect(verifyMessage(received, findKey, { now, needed: ['webhook-id'] })).to.include({
      code: 'signature_invalid',
      text: 'The signature does not hold: it does not cover webhook-id.',
    });
  });

  it('covers 50 components at most', () => {
    const names = Array.from({ length: 46 }, (_, index) => `x-${index}`);
    const verified = (count: number) => {
      const further = names.slice(0, count);
      const headers = { ...notice.headers, ...Object.fromEntries(further.map((name) => [name, 'x'])) };
      const message = { ...notice, headers };
      const added = signMessage(message, [...components, ...further], signer, { at: now });
      const received = { ...message, headers: { ...headers, ...lowerCased(added) } };
      return verifyMessage(received, findKey, { now });
    };
    expect(verified(43)).to.include({ kind: 'verified' });
    expect(verified(44)).to.include({ code: 'signature_invalid' });
  });

  it('keeps the digest that it has, and cannot cover what it has not', () => {
    const headers = { ...notice.headers, 'content-digest': 'sha-512=:AA==:' };
    expect(signMessage({ ...notice, headers }, components, signer, { at: now })).not.to.have.property(
      'Content-Digest',
    );
    expect(() => signMessage(notice, ['webhook-id'], signer, { at: now })).to.throw(
      'webhook-id is not there',
    );
  });
});

describe('A body with a detached JWS', () => {
  const body = Buffer.from('{"name":"Größe","total":1}');

  it('is verified by another library, and one of another library is verified here', async () => {
    const [header, , signature] = signDetached(body, signer).split('.');
    const jws = { protected: String(header), payload: new Uint8Array(body), signature: String(signature) };
    const { protectedHeader } = await flattenedVerify(jws, createPublicKey(signer.privateKey));
    expect(protectedHeader).to.deep.equal({ alg: 'ES256', kid: 'k1', b64: false, crit: ['b64'] });
    const theirs = await new FlattenedSign(new Uint8Array(body))
      .setProtectedHeader({ alg: 'ES256', kid: 'k1', b64: false, crit: ['b64'] })
      .sign(signer.privateKey);
    expect(verifyDetached(`${theirs.protected}..${theirs.signature}`, body, findKey)).to.deep.equal({
      kind: 'verified',
      kid: 'k1',
    });
  });

  it('is as if it had none where that has no three parts, or a middle', () => {
    const [header, , signature] = signDetached(body, signer).split('.');
    const others = [
      '',
      'x',
      `${header}.${signature}`,
      `${header}.e30.${signature}`,
      `${header}..${signature}, a..b`,
    ];
    for (const jws of others)
      expect(verifyDetached(jws, body, findKey), jws).to.deep.equal({ kind: 'absent' });
  });

  const headers: readonly (readonly [string, code: string, header: unknown])[] = [
    ['no key', 'key_not_found', { alg: 'ES256', b64: false, crit: ['b64'] }],
    ['an unknown key', 'key_not_found', { alg: 'ES256', kid: 'k2', b64: false, crit: ['b64'] }],
    ['no algorithm', 'algorithm_unsupported', { alg: 'none', kid: 'k1', b64: false, crit: ['b64'] }],
    ['a shared secret', 'algorithm_unsupported', { alg: 'HS256', kid: 'k1', b64: false, crit: ['b64'] }],
    ['an encoded body', 'signature_invalid', { alg: 'ES256', kid: 'k1' }],
    [
      'an unknown extension',
      'signature_invalid',
      { alg: 'ES256', kid: 'k1', b64: false, crit: ['b64', 'exp'] },
    ],
    ['nothing', 'signature_invalid', null],
  ];
  for (const [name, code, header] of headers)
    it(`is refused where the header names ${name}`, () => {
      const encoded = Buffer.from(JSON.stringify(header)).toString('base64url');
      const signature = signer.sign(Buffer.concat([Buffer.from(`${encoded}.`), body])).toString('base64url');
      expect(verifyDetached(`${encoded}..${signature}`, body, findKey)).to.include({ kind: 'refused', code });
    });
});
