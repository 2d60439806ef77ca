import { expect } from 'chai';
import { giveWay } from '#runtime/give-way.ts';

const never = new AbortController().signal;

describe('Giving way', () => {
  it('ends at its bound, also where that is sooner than traffic is measured', async () => {
    const from = performance.now();
    await giveWay(() => true, 10, never);
    expect(performance.now() - from)
      .to.be.at.least(9)
      .and.below(90);
  });

  it('ends at once where all is quiet', async () => {
    const from = performance.now();
    await giveWay(() => false, 10_000, never);
    expect(performance.now() - from).to.be.below(90);
  });
});
