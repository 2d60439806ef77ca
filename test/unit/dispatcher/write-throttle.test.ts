import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { createWriteThrottle, ROWS_AT_A_TIME } from '#dispatcher/engine/write-throttle.ts';

/** Whether nobody had to wait for a timer, however busy the machine is. */
const isAtOnce = (work: Promise<void>): Promise<boolean> =>
  Promise.race([work.then(() => true), nextTurn(false)]);

describe('the write throttle', () => {
  const { signal } = new AbortController();

  it('takes no time without traffic', async () => {
    const throttle = createWriteThrottle(() => false);
    expect(await isAtOnce(throttle(10 * ROWS_AT_A_TIME, signal))).to.be.true;
  });

  it('rests after a fixed number of rows, in whatever batches, then continues', async () => {
    const throttle = createWriteThrottle(() => true);
    expect(await isAtOnce(throttle(ROWS_AT_A_TIME - 1, signal))).to.be.true;
    const begun = performance.now();
    await throttle(1, signal);
    expect(performance.now() - begun).to.be.at.least(180);
  });

  it('ends its rest as soon as there is no traffic', async () => {
    let looks = 0;
    const throttle = createWriteThrottle(() => ++looks === 1);
    await throttle(ROWS_AT_A_TIME, signal);
    expect(looks).to.equal(2);
  });

  it('does not delay a stop', async () => {
    const stopping = new AbortController();
    stopping.abort();
    const throttle = createWriteThrottle(() => true);
    expect(await isAtOnce(throttle(ROWS_AT_A_TIME, stopping.signal))).to.be.true;
  });
});
