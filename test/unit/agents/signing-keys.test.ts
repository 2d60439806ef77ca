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
import { createSigningKeyReference } from '#reference/signing-keys.reference.ts';
import { streamOf } from '#values/stream-name.ts';
import { startTestEngine, testStreams } from '#test/support/engine.ts';
import { given, givenEvents } from '#test/support/given.ts';
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

  it('are published without their private halves, which the log keeps as a secret', () => {
    expect(eventDefinition('SigningKeyCreated')?.secretFields).to.deep.equal(['privateKey']);
    const before = givenEvents(created).foldInto(createSigningKeyReference, ({ published }) => published());
    const jwk = { kid: pair.kid, kty: 'EC', crv: 'P-256', x: 'xx', y: 'yy', use: 'sig', alg: 'ES256' };
    expect(before.published()).to.deep.equal([jwk]);
    expect(JSON.stringify(snapshotOf(before))).not.to.include('"dd"');
    expect(restarted(createSigningKeyReference(), before).published()).to.deep.equal([jwk]);
  });
});
