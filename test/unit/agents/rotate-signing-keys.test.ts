import { expect } from 'chai';
import { ensureSigningKey } from '#command/contexts/agent-protocol/signing-keys/first-signing-key.ts';
import { rotateSigningKeys } from '#command/contexts/agent-protocol/signing-keys/rotate-signing-keys.job.ts';
import { createSigningKeyActions } from '#command/contexts/agent-protocol/signing-keys/signing-keys.actions.ts';
import { loadConfig } from '#runtime/config.ts';
import { startTestEngine, testStreams } from '#test/support/engine.ts';

const DAY = 24 * 3_600_000;
const meta = { correlationId: 'c1', causationId: 'c1', actor: { kind: 'system', id: null } } as const;

/** A shop whose keys become this old, with its first one. */
const shopWith = async (rotationDays: string) => {
  const { engine, clock } = await startTestEngine();
  const streams = testStreams(engine, clock);
  const reach = () => Promise.resolve();
  const env = { DATA_DIR: '/nowhere', Protocol__Ucp__SigningKeyRotationDays: rotationDays };
  await ensureSigningKey({ streams, clock, reach });
  const actions = createSigningKeyActions({ streams, clock, reach, config: loadConfig({ env }) });
  const { runOnce } = rotateSigningKeys(actions);
  const daysLater = (days: number) => {
    clock.time += days * DAY;
    return runOnce(clock.time);
  };
  return { actions, daysLater };
};

// docs/rules/agents.md#signing-keys
describe('the job that rotates signing keys', () => {
  it('lets a key be followed on the day on which it is old enough', async () => {
    const { daysLater } = await shopWith('30');
    expect(await daysLater(29)).to.deep.equal({ rotated: 0, removed: 0 });
    expect(await daysLater(1)).to.deep.equal({ rotated: 1, removed: 0 });
    expect(await daysLater(1)).to.deep.equal({ rotated: 0, removed: 0 });
  });

  it('with 0 leaves a key for ever, and still removes one that staff have let be followed', async () => {
    const { actions, daysLater } = await shopWith('0');
    expect(await daysLater(3650)).to.deep.equal({ rotated: 0, removed: 0 });
    await actions.rotate({ immediately: true }, meta);
    expect(await daysLater(6)).to.deep.equal({ rotated: 0, removed: 0 });
    expect(await daysLater(1)).to.deep.equal({ rotated: 0, removed: 1 });
  });
});
