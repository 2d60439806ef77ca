import { expect } from 'chai';
import { reachHead } from '#projection/engine/reach-head.ts';
import { when } from '#test/support/refusal.ts';

/** A follower that is at the position after some waits. */
const slow = (waits: number) => {
  const follower = {
    name: 'slow',
    waited: 0,
    waitFor: () => Promise.resolve(++follower.waited > waits),
    stopped: () => null,
  };
  return follower;
};

describe('Waiting for the head of the log', () => {
  it('lasts until the slowest is there', async () => {
    const followers = [slow(0), slow(3)];
    await reachHead(followers, 7);
    expect(followers.map(({ waited }) => waited)).to.deep.equal([1, 4]);
  });

  it('ends at the first that has stopped, and says where', async () => {
    const stopped = {
      name: 'reference state',
      waitFor: () => Promise.resolve(false),
      stopped: () => ({ position: 5, message: 'no such currency' }),
    };
    await when(reachHead([slow(2), stopped], 7)).thenFails(
      Error,
      'reference state stopped at position 5: no such currency',
    );
  });
});
