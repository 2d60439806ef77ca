import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { createWriteThrottle } from '#dispatcher/engine/write-throttle.ts';

/** Whether no one had to wait for a timer, however busy the machine is. */
const isAtOnce = (work: Promise<void>): Promise<boolean> =>
  Promise.race([work.then(() => true), nextTurn(false)]);

describe('the write throttle', () => {
  const { signal } = new AbortController();

  it('takes no time without traffic', async () => {
    const throttle = createWriteThrottle(() => false);
    expect(await isAtOnce(throttle(signal))).to.be.true;
  });

  it('rests after every batch, so that what comes meanwhile shares the next one', async () => {
    const throttle = createWriteThrottle(() => true);
    for (let batch = 0; batch < 2; batch++) {
      const begun = performance.now();
      await throttle(signal);
      expect(performance.now() - begun).to.be.at.least(180);
    }
  });

  it('ends its rest as soon as there is no traffic', async () => {
    let looks = 0;
    const throttle = createWriteThrottle(() => ++looks === 1);
    await throttle(signal);
    expect(looks).to.equal(2);
  });

  it('does not delay a stop', async () => {
    const stopping = new AbortController();
    stopping.abort();
    const throttle = createWriteThrottle(() => true);
    expect(await isAtOnce(throttle(stopping.signal))).to.be.true;
  });
});
