import { inspect } from 'node:util';
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { expect } from 'chai';
import {
  ensureSigningKey,
  newKeyPair,
} from '#command/contexts/agent-protocol/signing-keys/first-signing-key.ts';
import { signingKeysDecider } from '#command/contexts/agent-protocol/signing-keys/signing-key.decider.ts';
import { SIGNING_KEYS } from '#command/contexts/agent-protocol/signing-keys/signing-key.stream.ts';
import { signingKeyEvents } from '#events/signing-key.events.ts';
import { eventDefinition } from '#events/registry.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { createTextCipher } from '#runtime/encryption.ts';
import { createOwnKeys } from '#runtime/own-keys.ts';
import type { SigningKey } from '#values/signing-key.ts';
import { createSigningKeyReference } from '#reference/signing-keys.reference.ts';
import { streamOf } from '#values/stream-name.ts';
import { applicationKey, startTestEngine, testStreams } from '#test/support/engine.ts';
import { given, givenEvents } from '#test/support/given.ts';
import { freshKey } from '#test/support/own-keys.ts';
import { restarted, snapshotOf } from '#test/support/restart-part.ts';

const { SigningKeyCreated } = signingKeyEvents.create;

const at = '2026-11-27T09:00:00.000Z';
const pair = { kid: 'ucp-20261127-00000001', x: 'xx', y: 'yy', privateKey: 'dd' };
const create = (kid = pair.kid) => ({ type: 'CreateFirstSigningKey', pair: { ...pair, kid }, at }) as const;
const created = SigningKeyCreated({ ...pair, signsFrom: at, at });

describe('the signing keys of a shop (docs/rules/agents.md#signing-keys)', () => {
  it('begin with one that signs at once; whoever comes second makes none', () => {
    given(signingKeysDecider).when(create()).then([created]);
    given(signingKeysDecider, [created]).when(create('ucp-20261127-00000002')).thenNothing();
  });

  it('have one beginning, whatever starts at the same time', async () => {
    const { engine, another, store, clock } = await startTestEngine();
    const reached: number[] = [];
    const starts = [engine, another()].map((commands) => ({
      streams: testStreams(commands, clock),
      clock,
      reach: async (position?: number) => void reached.push(position ?? -1),
    }));
    await Promise.all(starts.map(ensureSigningKey));
    await Promise.all(starts.map(ensureSigningKey));
    const stored = await store.readStream(streamOf.signingKeys(SIGNING_KEYS));
    expect(stored.map(({ type }) => type)).to.deep.equal(['SigningKeyCreated']);
  });

  it('are pairs on P-256, named after their day', () => {
    const { kid, x, y, privateKey: d } = newKeyPair(at);
    expect(kid).to.match(/^ucp-20261127-[0-9a-f]{8}$/);
    const jwk = { kty: 'EC', crv: 'P-256', x, y };
    const own = createPrivateKey({ key: { ...jwk, d }, format: 'jwk' });
    const text = Buffer.from('what the shop says');
    const signature = sign('sha256', text, { key: own, dsaEncoding: 'ieee-p1363' });
    const known = createPublicKey({ key: jwk, format: 'jwk' });
    expect(verify('sha256', text, { key: known, dsaEncoding: 'ieee-p1363' }, signature)).to.equal(true);
    expect(signature).to.have.lengthOf(64);
  });

  it('are published without their private halves, which the log and snapshots keep as secrets', () => {
    expect(eventDefinition('SigningKeyCreated')?.secretFields).to.deep.equal(['privateKey']);
    const empty = () => createSigningKeyReference(createTextCipher(applicationKey));
    const before = givenEvents(created).foldInto(empty, ({ published }) => published());
    const jwk = { kid: pair.kid, kty: 'EC', crv: 'P-256', x: 'xx', y: 'yy', use: 'sig', alg: 'ES256' };
    expect(before.published()).to.deep.equal([jwk]);
    const after = restarted(empty(), before);
    expect(after.published()).to.deep.equal([jwk]);
    expect(after.accepted().map(({ privateHalf }) => privateHalf())).to.deep.equal(['dd']);
    const shown = [snapshotOf(before), before.accepted()].flatMap((one) => [
      JSON.stringify(one),
      inspect(one, { depth: null }),
    ]);
    for (const text of shown)
      expect(text)
        .to.include(pair.kid)
        .and.not.match(/['"]dd['"]/);
  });
});

describe('what the shop signs', () => {
  const text = Buffer.from('what the shop says');
  const [first, second] = ['2026-11-27T09:00:00.000Z', '2026-11-27T10:00:00.000Z'].map(freshKey);
  const keysAt = (now: string, keys = [first, second]) => {
    const accepted = keys.flatMap((key) => key ?? []);
    const published = accepted.map((key) => key.published);
    return createOwnKeys(
      { accepted: () => accepted, published: () => published },
      { now: () => Date.parse(now) },
    );
  };
  const kidOf = (key?: SigningKey) => key?.published.kid;

  it('verifies with the public half, as 64 bytes', () => {
    const own = keysAt('2026-11-27T09:30:00.000Z');
    const { kid, sign } = own.signer();
    const signature = sign(text);
    expect(signature).to.have.lengthOf(64);
    const jwk = own.find(kid);
    const key = createPublicKey({ key: { ...jwk }, format: 'jwk' });
    expect(verify('sha256', text, { key, dsaEncoding: 'ieee-p1363' }, signature)).to.equal(true);
  });

  it('is signed by a new key from its instant on, and by the former one until then', () => {
    expect(keysAt('2026-11-27T09:59:59.999Z').signer().kid).to.equal(kidOf(first));
    expect(keysAt('2026-11-27T10:00:00.000Z').signer().kid).to.equal(kidOf(second));
    expect(keysAt('2026-11-27T10:00:00.000Z').find(kidOf(first) ?? '')).to.equal(first?.published);
  });

  it('is signed by the first key even where a clock is behind', () => {
    expect(keysAt('2026-11-27T08:59:59.000Z', [first]).signer().kid).to.equal(kidOf(first));
  });

  it('waits for the first key, and for one that can be opened', () => {
    expect(() => keysAt(at, []).signer()).to.throw(EngineUnavailable, 'no signing key yet');
    const shut = first && { ...first, privateHalf: () => null };
    expect(() => keysAt(at, [shut]).signer()).to.throw(EngineUnavailable, 'cannot be opened');
    expect(keysAt(at, [first]).find('ucp-20261127-ffffffff')).to.equal(undefined);
  });
});
