import { expect } from 'chai';
import { whenReady } from '#command/engine/reach-position.ts';
import type { House } from '../../../shared-kernel/house.ts';

/** Reference state that is behind for so many looks. */
const behind = (looks: number, stoppedAfter = Infinity) => {
  let looked = 0;
  const house = {
    store: { head: () => Promise.resolve(61_035) },
    follower: {
      waitFor: () => Promise.resolve(++looked > looks),
      stopped: () => (looked >= stoppedAfter ? { position: 7, message: 'thirteen' } : null),
    },
  } as unknown as House;
  return { house, looked: () => looked };
};

describe('what begins once reference state knows the log', () => {
  it('waits for it without a limit in time', async () => {
    const { house, looked } = behind(100);
    await whenReady(house);
    expect(looked()).to.equal(101);
  });

  it('waits no longer for one that stands still at an event, which readiness tells', async () => {
    const { house, looked } = behind(Infinity, 3);
    await whenReady(house);
    expect(looked()).to.equal(3);
  });

  it('waits no longer when the process ends', async () => {
    const { house } = behind(Infinity);
    await whenReady(house, AbortSignal.abort());
  });
});
