import { expect } from 'chai';
import { Browser } from '#test/support/browser.ts';
import { DistributedShop, sharedMemory } from '#test/support/distributed-shop.ts';

const path = '/api/shop/checkout/sign-in';
const guess = { email: 'ada@example.com', password: 'not the password' };

describe('Guessing a password at two replicas of the command service', () => {
  it('is counted by both together, and locked by both', async () => {
    const shop = await DistributedShop.open({
      engines: sharedMemory().open,
      replicas: { command: 2 },
    });
    try {
      const doors = shop.replicas('command').map(({ at }) => new Browser(at.base));
      expect(doors).to.have.length(2);
      const counts: unknown[] = [];
      for (let attempt = 0; attempt < 5; attempt++) {
        const answer = await doors[attempt % 2]?.post(path, guess);
        counts.push(answer?.body.failedAttempts);
      }
      expect(counts).to.deep.equal([1, 2, 3, 4, 5]);
      for (const door of doors) {
        const { status, body } = await door.post(path, guess);
        expect(status).to.equal(200);
        expect(body.message).to.include('Too many failed attempts');
      }
    } finally {
      await shop.close();
    }
  });
});
