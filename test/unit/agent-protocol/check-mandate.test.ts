import { sign } from 'node:crypto';
import { expect } from 'chai';
import type { PublicKey } from '#agents/agent-profile.ts';
import type { Json } from '#agents/dialects.ts';
import { checkMandate } from '#command/contexts/agent-protocol/mandates/check-mandate.ts';
import { authorize } from '#command/contexts/agent-protocol/mandates/merchant-authorization.ts';
import { es256Key } from '#signatures/public-keys.ts';
import { Rejection } from '#kernel/rejection.ts';
import {
  base64url,
  bound,
  disclosure,
  jws,
  presented,
  walletKey,
  type WalletKey,
} from '#test/support/agents/mandates.ts';
import { freshOwnKeys } from '#test/support/own-keys.ts';

const NOW = 1_800_000_000_000;
const SECONDS = NOW / 1000;
const shopUrl = 'https://shop.example';
const ownKeys = freshOwnKeys({ now: () => NOW });
const ownKid = ownKeys.signer().kid;
const agentKey = walletKey('agent-1');
const otherKey = walletKey('agent-1');
const holder = walletKey('holder');

const signerOf = ({ kid, privateKey: key }: WalletKey) => ({
  kid,
  sign: (bytes: Uint8Array) => sign('sha256', bytes, { key, dsaEncoding: 'ieee-p1363' }),
});
const signed = (body: Json, signer = ownKeys.signer()): Json => ({
  ...body,
  ap2: { merchant_authorization: authorize(body, signer) },
});

const shown = {
  ucp: { version: '2026-04-08' },
  id: 'session-1',
  currency: 'GBP',
  status: 'ready_for_complete',
  line_items: [{ id: 'line-1', item: { id: 'MUG', title: 'Mug – 20 €', price: 1000 }, quantity: 2 }],
  totals: [
    { type: 'subtotal', amount: 2000 },
    { type: 'total', amount: 2000 },
  ],
};
const claims = { vct: 'mandate.checkout.1', iat: SECONDS - 10, exp: SECONDS + 60, checkout: signed(shown) };
const mandateWith = (more: object, key = agentKey, header: object = {}): string =>
  presented(jws({ ...claims, ...more }, key, header));

interface Held {
  readonly keys?: readonly PublicKey[];
  readonly state?: 'resolved' | 'unreachable';
  /** As the profile has them when it is read again; left out: it must not be. */
  readonly later?: readonly PublicKey[];
}

/** The code of the refusal; null: the mandate is good. */
const codeOf = async (mandate: string | undefined, { keys, state = 'resolved', later }: Held = {}) => {
  let asked = 0;
  try {
    await checkMandate(mandate, {
      identity: { profileState: state, signingKeys: keys ?? [agentKey.publicKey] },
      keysAgain: () => {
        asked += 1;
        return Promise.resolve(later ?? keys ?? [agentKey.publicKey]);
      },
      ownKeys,
      baseUrl: shopUrl,
      now: NOW,
      shownIn: (version) => (version === '2026-04-08' ? shown : null),
    });
    return asked > 0 ? 'read again' : null;
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    return later && asked !== 1 ? `asked ${asked} times` : error.code;
  }
};

const none = { alg: 'none', kid: agentKey.kid };
const unsigned = `${base64url(JSON.stringify(none))}.${base64url(JSON.stringify(claims))}.`;
const hidden = disclosure('checkout', claims.checkout);
const stray = disclosure('exp', SECONDS + 9999);
const { checkout: _, ...withoutCheckout } = claims;
const disclosing = presented(jws({ ...withoutCheckout, _sd: [hidden.digest] }, agentKey), hidden.encoded);
const withoutLines: Json = { ...claims.checkout, line_items: [] };
const [aLine, itsCurrency] = [disclosure(null, shown.line_items[0]), disclosure('currency', 'GBP')];
const { currency: __, ...withoutCurrency } = withoutLines;
const inParts = disclosure('checkout', {
  ...{ ...withoutCurrency, _sd: [itsCurrency.digest] },
  line_items: [{ '...': aLine.digest }],
});
/** Each names the one before it twice. */
const doubling = Array.from({ length: 60 }).reduce<ReturnType<typeof disclosure>[]>(
  ([last = disclosure('a', 1), ...before]) => [
    disclosure('a', { b: { _sd: [last.digest] }, c: { _sd: [last.digest] } }),
    ...[last, ...before],
  ],
  [],
);
const open = { vct: claims.vct, checkout: claims.checkout };
const lateExpiry = disclosure('exp', SECONDS + 60);
const otherKind = disclosure('vct', 'mandate.checkout.1');
const unencoded = (() => {
  const header = base64url(JSON.stringify({ alg: 'ES256', kid: agentKey.kid, b64: false, crit: ['b64'] }));
  const payload = JSON.stringify(claims).replaceAll('.', '\\u002e');
  const { sign: signBytes } = signerOf(agentKey);
  return `${header}.${payload}.${base64url(signBytes(Buffer.from(`${header}.${payload}`)))}`;
})();
const bindable = presented(jws({ ...claims, cnf: { jwk: holder.publicKey } }, agentKey));
const last = (text: string): string => text.slice(0, -4) + (text.endsWith('A~') ? 'BBB~' : 'AAA~');
const changed = (more: object): Json => signed({ ...shown, ...more });

// docs/rules/agent-mandates.md#checks
describe('A mandate', () => {
  const accepted: Readonly<Record<string, string>> = {
    'of what is shown': mandateWith({}),
    'that ends without a tilde': mandateWith({}).slice(0, -1),
    'that names no key': mandateWith({}, agentKey, { kid: undefined }),
    'that discloses the checkout': disclosing,
    'that discloses a part of a part, and an element of a list': presented(
      jws({ ...withoutCheckout, _sd: [inParts.digest] }, agentKey),
      ...[aLine.encoded, inParts.encoded, itsCurrency.encoded],
    ),
    'whose last disclosure ends it': disclosing.slice(0, -1),
    'that its holder has bound to this shop': bound(bindable, holder, shopUrl),
    'that could be bound, and is not': bindable,
    'of a body whose other members have changed since': mandateWith({
      checkout: changed({ status: 'incomplete', messages: [] }),
    }),
  };
  for (const [what, mandate] of Object.entries(accepted))
    it(`${what} is good`, async () => {
      expect(await codeOf(mandate)).to.equal(null);
    });

  const refused: Readonly<Record<string, readonly [code: string, mandate: string | undefined, held?: Held]>> =
    {
      'that is missing': ['mandate_required', undefined, { keys: [] }],
      'of an agent without keys': ['agent_missing_key', mandateWith({}), { keys: [] }],
      'of an agent with a key of another curve': [
        'agent_missing_key',
        mandateWith({}),
        { keys: [walletKey('agent-1', 'P-384').publicKey] },
      ],
      'of an agent whose profile is away': [
        'profile_unreachable',
        mandateWith({}),
        { keys: [], state: 'unreachable' },
      ],
      'that is no SD-JWT': ['mandate_invalid_signature', 'mandate'],
      'signed by another key of the same name': ['mandate_invalid_signature', mandateWith({}, otherKey)],
      'signed by a key that the profile does not name': [
        'mandate_invalid_signature',
        mandateWith({}, holder),
      ],
      'whose signature is changed': ['mandate_invalid_signature', last(mandateWith({}))],
      'that no one has signed': ['mandate_invalid_signature', unsigned],
      'with a disclosure that it has no digest of': [
        'mandate_invalid_signature',
        presented(jws(claims, agentKey), stray.encoded),
      ],
      'with a disclosure that comes twice': ['mandate_invalid_signature', `${disclosing}${hidden.encoded}~`],
      'whose disclosures unfold without end': [
        'mandate_invalid_signature',
        presented(
          jws({ ...claims, _sd: [doubling[0]?.digest] }, agentKey),
          ...doubling.map(({ encoded }) => encoded),
        ),
      ],
      'that discloses a claim which is there already': [
        'mandate_invalid_signature',
        presented(jws({ ...claims, vct: 'other', _sd: [otherKind.digest] }, agentKey), otherKind.encoded),
      ],
      'that can hide until when it is good': [
        'mandate_invalid_signature',
        presented(jws({ ...open, _sd: [lateExpiry.digest] }, agentKey), lateExpiry.encoded),
      ],
      'with an element in the place of a claim': [
        'mandate_invalid_signature',
        presented(jws({ ...claims, _sd: [aLine.digest] }, agentKey), aLine.encoded),
      ],
      'whose payload is not encoded': ['mandate_invalid_signature', unencoded],
      'whose disclosures are hashed otherwise': [
        'mandate_invalid_signature',
        presented(jws({ ...claims, _sd_alg: 'md5', _sd: [hidden.digest] }, agentKey), hidden.encoded),
      ],
      'bound by another holder': ['mandate_invalid_signature', bound(bindable, otherKey, shopUrl)],
      'bound to another shop': [
        'mandate_invalid_signature',
        bound(bindable, holder, 'https://other.example'),
      ],
      'bound to other disclosures': [
        'mandate_invalid_signature',
        bound(bindable, holder, shopUrl, { sd_hash: 'x' }),
      ],
      'bound though it names no holder': [
        'mandate_invalid_signature',
        bound(mandateWith({}), holder, shopUrl),
      ],
      'whose time has passed': ['mandate_expired', mandateWith({ exp: SECONDS })],
      'whose time is no time': ['mandate_expired', mandateWith({ exp: '2099-01-01' })],
      'whose time has not begun': ['mandate_expired', mandateWith({ nbf: SECONDS + 1 })],
      'that leaves the checkout open': [
        'mandate_scope_mismatch',
        mandateWith({ vct: 'mandate.checkout.open.1' }),
      ],
      'of no kind': ['mandate_scope_mismatch', mandateWith({ vct: undefined })],
      'of no checkout': ['merchant_authorization_missing', mandateWith({ checkout: undefined })],
      'of a checkout that the shop has not signed': [
        'merchant_authorization_missing',
        mandateWith({ checkout: shown }),
      ],
      'of a checkout that the shop has signed otherwise': [
        'merchant_authorization_invalid',
        mandateWith({ checkout: { ...claims.checkout, totals: [{ type: 'total', amount: 1 }] } }),
      ],
      'of a checkout with text that has no canonical form': [
        'merchant_authorization_invalid',
        mandateWith({ checkout: { ...claims.checkout, note: '\ud800' } }),
      ],
      'of a checkout that another shop has signed': [
        'merchant_authorization_invalid',
        mandateWith({ checkout: signed(shown, signerOf(walletKey(ownKid))) }),
      ],
      'of a checkout signed by a key that is gone': [
        'merchant_authorization_invalid',
        mandateWith({ checkout: signed(shown, signerOf(walletKey('ucp-0'))) }),
      ],
      'of a checkout whose signature has a payload': [
        'merchant_authorization_invalid',
        mandateWith({
          checkout: { ...shown, ap2: { merchant_authorization: jws(shown, walletKey(ownKid)) } },
        }),
      ],
      'of another checkout': ['mandate_scope_mismatch', mandateWith({ checkout: changed({ id: 'x' }) })],
      'of other lines': ['mandate_scope_mismatch', mandateWith({ checkout: changed({ line_items: [] }) })],
      'of other totals': [
        'mandate_scope_mismatch',
        mandateWith({ checkout: changed({ totals: [{ type: 'total', amount: 1999 }] }) }),
      ],
      'of the same figures in another currency': [
        'mandate_scope_mismatch',
        mandateWith({ checkout: changed({ currency: 'USD' }) }),
      ],
      'of a version that the shop does not speak': [
        'mandate_scope_mismatch',
        mandateWith({ checkout: changed({ ucp: { version: '2024-01-01' } }) }),
      ],
    };
  for (const [what, [code, mandate, held]] of Object.entries(refused))
    it(`${what} is refused: ${code}`, async () => {
      expect(await codeOf(mandate, held)).to.equal(code);
    });
});

describe('A key that the profile did not have when it was read', () => {
  const [newer, before] = [walletKey('agent-2'), { keys: [agentKey.publicKey] }];
  const after = { later: [agentKey.publicKey, newer.publicKey] };

  it('has signed, or is bound to, a mandate that is good', async () => {
    expect(await codeOf(mandateWith({}, newer), { ...before, ...after })).to.equal('read again');
    expect(await codeOf(mandateWith({}, newer), { keys: [], ...after })).to.equal('read again');
    const atNewer = mandateWith({ cnf: { kid: newer.kid } });
    expect(await codeOf(bound(atNewer, newer, shopUrl), { ...before, ...after })).to.equal('read again');
  });

  it('is asked for once, and not for what no other key could make good', async () => {
    const still = { ...before, later: [agentKey.publicKey] };
    expect(await codeOf(mandateWith({}, newer), still)).to.equal('mandate_invalid_signature');
    for (const wrong of [mandateWith({}, otherKey), unsigned, 'nonsense'])
      expect(await codeOf(wrong, { ...before, later: [] })).to.equal('asked 0 times');
    expect(await codeOf(mandateWith({}), before)).to.equal(null);
  });
});

describe('A key in a mandate', () => {
  it('spoils no key of another agent, however it is written', async () => {
    const { publicKey: other } = walletKey('of another agent');
    const cnf = { jwk: { ...other, x: [other.x] } };
    const mandate = bound(mandateWith({ cnf }), holder, shopUrl);
    expect(await codeOf(mandate)).to.equal('mandate_invalid_signature');
    expect(es256Key(other)).not.to.equal(null);
  });
});

describe("The shop's signature on a checkout", () => {
  it('covers its canonical form without ap2, in any order of members', () => {
    const [header, payload, signature] = authorize(
      { b: 1, a: '€', ap2: 1 },
      {
        kid: 'k',
        sign: (bytes) => Buffer.from(bytes),
      },
    ).split('.');
    expect(Buffer.from(header ?? '', 'base64url').toString()).to.equal('{"alg":"ES256","kid":"k"}');
    expect(payload).to.equal('');
    expect(Buffer.from(signature ?? '', 'base64url').toString()).to.equal(
      `${header}.${base64url('{"a":"€","b":1}')}`,
    );
  });
});
