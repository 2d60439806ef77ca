import { expect } from 'chai';
import jsonwebtoken from 'jsonwebtoken';
import { CHECKOUT_SCOPE, type AccessToken } from '#agents/access-tokens.ts';
import { clientFinder } from '#agents/oauth-clients.ts';
import type { StoppedAt } from '#log/feed-follower.ts';
import type { ReadUpTo } from '#log/share-read.ts';
import { refuseUnusable } from '#log/usable-reference.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { createAccessTokens } from '#runtime/access-tokens.ts';
import { max, pia } from '#test/support/agents/linking.ts';
import { freshOwnKeys } from '#test/support/own-keys.ts';

const issuer = 'https://shop.example';
const start = Date.parse('2026-11-27T09:00:00.000Z');
const said = {
  memberId: 'ada',
  clientId: pia.clientId,
  timesDisabled: 0,
  scopes: [CHECKOUT_SCOPE],
  tokenId: 'token',
  grantId: 'grant',
};

/** A process of the shop: what it knows may be changed. */
const process = (clients = [pia, { ...max, clientSecretHash: null }]) => {
  let now = start;
  const ended = new Set<string>();
  const standing = { timesDisabled: 0, disabled: null as object | null };
  const ownKeys = freshOwnKeys({ now: () => start });
  const follower = { catchingUp: (): ReadUpTo | null => null, stopped: (): StoppedAt | null => null };
  const refuse = (): void => refuseUnusable(follower);
  const findClient = clientFinder(clients, { of: () => standing }, refuse);
  const hasEnded = (id: string): boolean => ended.has(id);
  const options = { findClient, hasEnded, refuseUnusable: refuse, now: () => now, ownKeys };
  return {
    ...createAccessTokens(options),
    findClient,
    follower,
    ownKeys,
    ended,
    standing,
    pass: (seconds: number) => (now += seconds * 1000),
  };
};
type Process = ReturnType<typeof process>;

const claims = (at: Process, changes: object = {}, header: object = {}): string => {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const { kid, sign } = at.ownKeys.signer();
  const own = jsonwebtoken.decode(at.issue(said, issuer), { json: true });
  const head = encode({ alg: 'ES256', typ: 'at+jwt', kid, ...header });
  const text = `${head}.${encode({ ...own, ...changes })}`;
  return `${text}.${sign(Buffer.from(text)).toString('base64url')}`;
};

// docs/rules/identity-linking.md#access-tokens
describe('An access token', () => {
  it('says who may buy for whom, to everyone who knows the key of the shop', () => {
    const at = process();
    const token = at.issue(said, issuer);
    const expected: AccessToken = { ...said, profileUri: pia.profileUri };
    expect(at.verify(token, issuer)).to.deep.equal({ kind: 'verified', token: expected });
    const decoded = jsonwebtoken.decode(token, { complete: true });
    expect(decoded?.header).to.deep.include({ alg: 'ES256', typ: 'at+jwt', kid: at.ownKeys.signer().kid });
    expect(decoded?.payload).to.deep.equal({
      iss: issuer,
      aud: issuer,
      sub: 'ada',
      client_id: 'pia',
      scope: CHECKOUT_SCOPE,
      iat: start / 1000,
      exp: start / 1000 + 3600,
      jti: 'token',
      grant_id: 'grant',
    });
  });

  it('is good for an hour', () => {
    const at = process();
    const token = at.issue(said, issuer);
    at.pass(3599);
    expect(at.verify(token, issuer).kind).to.equal('verified');
    at.pass(1);
    expect(at.verify(token, issuer).kind).to.equal('refused');
  });

  it('is dead with its grant, by itself, and with its client', () => {
    for (const id of ['grant', 'token']) {
      const at = process();
      const token = at.issue(said, issuer);
      at.ended.add(id);
      expect(at.verify(token, issuer).kind).to.equal('refused');
    }
    const without = process([]);
    expect(without.verify(without.issue(said, issuer), issuer).kind).to.equal('refused');
  });

  it('is dead once its client is disabled, and does not come back with it', () => {
    const at = process();
    const token = at.issue(said, issuer);
    Object.assign(at.standing, { timesDisabled: 1, disabled: {} });
    expect(at.verify(token, issuer).kind).to.equal('refused');
    at.standing.disabled = null;
    expect(at.verify(token, issuer).kind).to.equal('refused');
    expect(at.verify(at.issue({ ...said, timesDisabled: 1 }, issuer), issuer).kind).to.equal('verified');
  });

  it('is dead where its client was disabled before the process that issued it had heard of that', () => {
    const at = process();
    Object.assign(at.standing, { timesDisabled: 1 });
    expect(at.verify(at.issue(said, issuer), issuer).kind).to.equal('refused');
  });

  it('is neither good nor bad in a process that does not know yet, or no longer, who was shut out', () => {
    const at = process();
    const token = at.issue(said, issuer);
    const unsure = [
      { catchingUp: () => ({ position: 3, head: 12 }) },
      { stopped: () => ({ position: 7, message: 'thirteen' }) },
    ];
    const knowing = { ...at.follower };
    for (const how of unsure) {
      Object.assign(at.follower, knowing, how);
      for (const asked of [token, 'made up'])
        expect(() => at.verify(asked, issuer)).to.throw(EngineUnavailable);
      expect(() => at.findClient(pia.clientId)).to.throw(EngineUnavailable);
    }
    Object.assign(at.follower, knowing);
    expect(at.verify(token, issuer).kind).to.equal('verified');
  });

  const manipulated: readonly (readonly [string, (at: Process) => string])[] = [
    ['another issuer', (at) => claims(at, { iss: 'https://other.example' })],
    ['another audience', (at) => claims(at, { aud: 'https://other.example' })],
    ['another shop’s key', () => process().issue(said, issuer)],
    ['a key id that no key has', (at) => claims(at, {}, { kid: 'ucp-19700101-00000000' })],
    ['no key id', (at) => claims(at, {}, { kid: undefined })],
    ['another type', (at) => claims(at, {}, { typ: 'JWT' })],
    ['no signature', (at) => `${at.issue(said, issuer).split('.').slice(0, 2).join('.')}.`],
    [
      'other words',
      (at) =>
        at.issue(said, issuer).replace(/\.[^.]+\./, `.${claims(process(), { sub: 'bob' }).split('.')[1]}.`),
    ],
  ];
  for (const [what, forge] of manipulated)
    it(`is refused with ${what}`, () => {
      const at = process();
      expect(at.verify(forge(at), issuer)).to.deep.equal({ kind: 'refused' });
    });

  it('is refused without an algorithm, or with one that takes the public key for a secret', () => {
    const at = process();
    const payload = jsonwebtoken.decode(at.issue(said, issuer), { json: true }) ?? {};
    const { kid } = at.ownKeys.signer();
    const header = { alg: 'none', typ: 'at+jwt', kid };
    const none = jsonwebtoken.sign(payload, '', { algorithm: 'none', header });
    const published = JSON.stringify(at.ownKeys.find(kid));
    const secret = jsonwebtoken.sign(payload, published, { header: { ...header, alg: 'HS256' } });
    for (const text of [none, secret, 'nonsense', '', 'a.b.c'])
      expect(at.verify(text, issuer), text).to.deep.equal({ kind: 'refused' });
  });
});
