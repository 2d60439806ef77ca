import { createPublicKey, verify } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { newKeyPair } from '#command/contexts/agent-protocol/signing-keys/first-signing-key.ts';
import type { SigningKeyCommand } from '#command/contexts/agent-protocol/signing-keys/signing-key.commands.ts';
import { signingKeysDecider } from '#command/contexts/agent-protocol/signing-keys/signing-key.decider.ts';
import { agentKeyList } from '#contracts/agent-keys.contract.ts';
import { isoInstant } from '#kernel/clock.ts';
import { evolve } from '#kernel/evolution.ts';
import { createSigningKeyReference } from '#reference/signing-keys.reference.ts';
import { applyEvent } from '#reference/reference-part.ts';
import { createOwnKeys } from '#runtime/own-keys.ts';
import { nothingKept } from '#values/text-cipher.ts';
import { recordedEvents } from '#test/support/given.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;

/** What happens next, and how long after the last. */
const steps = fc.array(
  fc.record({
    after: fc.integer({ min: 0, max: 3 * DAY }),
    wish: fc.constantFrom('planned', 'planned', 'immediate', 'leak', 'tend', 'tend'),
  }),
  { minLength: 100, maxLength: 100 },
);
type Wish = 'planned' | 'immediate' | 'leak' | 'tend';

/** A shop's keys under a clock of its own, without a shop. */
const openKeys = () => {
  const time = { now: Date.UTC(2026, 10, 27) };
  const keys = createSigningKeyReference(nothingKept);
  const own = createOwnKeys(keys, { now: () => time.now });
  let state = signingKeysDecider.initial();
  const send = (command: SigningKeyCommand): void => {
    const events = signingKeysDecider.decide(state, command);
    for (const event of events) state = evolve(signingKeysDecider.on, state, event);
    for (const event of recordedEvents(events)) applyEvent(keys, event);
  };
  const at = (): string => isoInstant(time.now);
  send({ type: 'CreateFirstSigningKey', pair: newKeyPair(at()), at: at() });
  const rotate = (wish: Exclude<Wish, 'tend'>): void => {
    const signsAt = wish === 'planned' ? time.now + HOUR : time.now;
    send({
      type: 'RotateSigningKey',
      pair: newKeyPair(at()),
      replacing: state.keys.at(-1)?.kid ?? '',
      signsFrom: isoInstant(signsAt),
      formerAcceptedUntil: wish === 'leak' ? null : isoInstant(signsAt + WEEK),
      at: at(),
    });
  };
  const act = (wish: Wish): void =>
    wish === 'tend' ? send({ type: 'RemoveRetiredSigningKeys', at: at() }) : rotate(wish);
  return { time, keys, own, act };
};

const text = Buffer.from('what the shop says');

// docs/rules/agents.md#signing-keys
describe('signing keys, rotated at any time', () => {
  it('verify what they signed for a week, and nothing once they are removed', () => {
    fc.assert(
      fc.property(steps, (happening) => {
        const { time, keys, own, act } = openKeys();
        const said: { kid: string; signature: Buffer; at: number }[] = [];
        const distrusted = new Set<string>();
        const isGood = (kid: string, signature: Buffer): boolean => {
          const jwk = own.find(kid);
          if (!jwk) return false;
          const key = createPublicKey({ key: { ...jwk }, format: 'jwk' });
          return verify('sha256', text, { key, dsaEncoding: 'ieee-p1363' }, signature);
        };
        for (const { after, wish } of happening) {
          time.now += after;
          const before = own.published();
          act(wish);
          if (wish === 'leak') for (const { kid } of before) distrusted.add(kid);
          const { kid, sign } = own.signer();
          const states = agentKeyList(keys, time.now).items.filter(({ state }) => state === 'active');
          expect(states.map((one) => one.kid)).to.deep.equal([kid]);
          said.push({ kid, signature: sign(text), at: time.now });
          const accepted = new Set(own.published().map((key) => key.kid));
          const missing = said.filter(
            (one) => time.now < one.at + WEEK && !distrusted.has(one.kid) && !accepted.has(one.kid),
          );
          expect(missing, 'signed in the last week').to.deep.equal([]);
          expect([...distrusted].filter((one) => accepted.has(one))).to.deep.equal([]);
          const some = said[Math.floor(said.length / 2)];
          if (some) expect(isGood(some.kid, some.signature)).to.equal(own.find(some.kid) !== undefined);
          expect(isGood(kid, said.at(-1)?.signature ?? text)).to.equal(true);
        }
      }),
      { numRuns: 5 },
    );
  });
});
