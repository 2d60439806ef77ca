import { expect } from 'chai';
import type { OwnKeys } from '#agents/own-keys.ts';
import type { Reply } from '#http/reply.ts';
import { createSignAnswer } from '#http/sign-answer.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { verifyDetached } from '#signatures/detached-jws.ts';
import { verifyMessage } from '#signatures/verify-message.ts';
import { agentKey, type AgentKey } from '#test/support/agents/agent-key.ts';

const noon = Date.UTC(2026, 2, 1, 12);
const [first, second] = [agentKey('k1'), agentKey('k2')];

const session = (text = '{"id":"1"}', signedAs: 'message' | 'detached' = 'message'): Reply => ({
  ...{ status: 200, text, signedAs },
  headers: { 'Content-Type': 'application/json' },
});

/** A shop whose key and clock a test can change. */
const signingShop = () => {
  const circumstances: { key: AgentKey | null; now: number } = { key: first, now: noon };
  const signer: OwnKeys['signer'] = () => {
    if (circumstances.key === null) throw new EngineUnavailable('the shop has no key');
    return circumstances.key;
  };
  const signed = createSignAnswer({ ownKeys: { signer }, now: () => circumstances.now });
  return {
    circumstances,
    /** The fields by which it is signed, once they are proven. */
    sign: (reply: Reply, key = circumstances.key): Readonly<Record<string, string>> => {
      const { status, text = '', headers = {} } = signed(reply);
      const fields = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
      );
      const findKey = (kid: string) => (kid === key?.kid ? key.published : undefined);
      const body = Buffer.from(text);
      const verification =
        reply.signedAs === 'detached'
          ? verifyDetached(String(fields['request-signature']), body, findKey)
          : verifyMessage({ status, headers: fields, body }, findKey, { now: circumstances.now });
      expect(verification).to.deep.equal({ kind: 'verified', kid: key?.kid });
      return fields;
    },
    unsigned: (reply: Reply) => expect(signed(reply)).to.equal(reply),
  };
};

// docs/rules/agent-signatures.md#answers
describe('An answer that is given again', () => {
  for (const signedAs of ['message', 'detached'] as const)
    it(`bears the signature that it had, for 10 seconds, as ${signedAs}`, () => {
      const { circumstances, sign } = signingShop();
      const reply = session('{"id":"1"}', signedAs);
      const before = sign(reply);
      circumstances.now = noon + 9_999;
      expect(sign(reply)).to.deep.equal(before);
      circumstances.now = noon + 10_000;
      expect(sign(reply)).not.to.deep.equal(before);
    });

  it('says when it was signed', () => {
    const { circumstances, sign } = signingShop();
    const reply = session();
    for (const [after, signedAfter] of [
      [0, 0],
      [9, 0],
      [10, 10],
      [19, 10],
    ] as const) {
      circumstances.now = noon + after * 1000;
      const created = noon / 1000 + signedAfter;
      expect(sign(reply)['signature-input'], `after ${after} s`).to.contain(`;created=${created};`);
    }
  });

  it('is signed by another key as soon as that signs, and again by the first if that does', () => {
    const { circumstances, sign } = signingShop();
    const reply = session();
    const before = sign(reply);
    circumstances.key = second;
    sign(reply, second);
    circumstances.key = first;
    expect(sign(reply, first)).not.to.deep.equal(before);
  });

  it('is signed once more where the clock was put back', () => {
    const { circumstances, sign } = signingShop();
    const reply = session();
    sign(reply);
    circumstances.now = noon - 1000;
    expect(sign(reply)['signature-input']).to.contain(`;created=${noon / 1000 - 1};`);
  });

  it('goes out unsigned while no key is known, whatever it bore, and signed again after that', () => {
    const { circumstances, sign, unsigned } = signingShop();
    const reply = session();
    sign(reply);
    circumstances.key = null;
    unsigned(reply);
    circumstances.key = second;
    sign(reply);
  });

  it('shares no signature with another of the same bytes: a repeat under a key has its own', () => {
    const { sign } = signingShop();
    expect(sign(session())).not.to.deep.equal(sign(session()));
  });
});
