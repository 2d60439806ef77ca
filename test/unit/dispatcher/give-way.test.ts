import { expect } from 'chai';
import { createGiveWay, ROWS_AT_A_TIME } from '#dispatcher/engine/give-way.ts';

/** How long somebody was made to wait, in real time. */
const milliseconds = async (work: Promise<void>): Promise<number> => {
  const begun = performance.now();
  await work;
  return performance.now() - begun;
};

describe('giving way to callers', () => {
  const { signal } = new AbortController();

  it('takes no time while nobody is in the way', async () => {
    const giveWay = createGiveWay(() => false);
    expect(await milliseconds(giveWay(10 * ROWS_AT_A_TIME, signal))).to.be.below(20);
  });

  it('rests after so many rows, however they come, and goes on all the same', async () => {
    const giveWay = createGiveWay(() => true);
    expect(await milliseconds(giveWay(ROWS_AT_A_TIME - 1, signal))).to.be.below(20);
    expect(await milliseconds(giveWay(1, signal))).to.be.within(180, 2000);
  });

  it('ends its rest as soon as the way is free', async () => {
    let looks = 0;
    const giveWay = createGiveWay(() => ++looks === 1);
    expect(await milliseconds(giveWay(ROWS_AT_A_TIME, signal))).to.be.below(200);
    expect(looks).to.equal(2);
  });

  it('does not hold up a stop', async () => {
    const stopping = new AbortController();
    stopping.abort();
    const giveWay = createGiveWay(() => true);
    expect(await milliseconds(giveWay(ROWS_AT_A_TIME, stopping.signal))).to.be.below(20);
  });
});
