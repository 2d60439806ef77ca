import { expect } from 'chai';
import { whenReady } from '#command/engine/reach-position.ts';
import type { Runtime } from '../../../shared-kernel/open-runtime.ts';

/** Reference state that is behind for so many looks. */
const behind = (looks: number, stoppedAfter = Infinity) => {
  let looked = 0;
  const runtime = {
    store: { head: () => Promise.resolve(61_035) },
    follower: {
      waitFor: () => Promise.resolve(++looked > looks),
      stopped: () => (looked >= stoppedAfter ? { position: 7, message: 'thirteen' } : null),
    },
  } as unknown as Runtime;
  return { runtime, looked: () => looked };
};

describe('what begins once reference state knows the log', () => {
  it('waits for it without a limit in time', async () => {
    const { runtime, looked } = behind(100);
    await whenReady(runtime);
    expect(looked()).to.equal(101);
  });

  it('does not wait for one that has stopped at an event, which readiness reports', async () => {
    const { runtime, looked } = behind(Infinity, 3);
    await whenReady(runtime);
    expect(looked()).to.equal(3);
  });

  it('waits no longer when the process ends', async () => {
    const { runtime } = behind(Infinity);
    await whenReady(runtime, AbortSignal.abort());
  });
});
