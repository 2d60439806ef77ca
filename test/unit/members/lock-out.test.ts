import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createLockOut, type LockOut, type PasswordTry } from '#command/contexts/members/lock-out.ts';
import { createRateLimits } from '#http/rate-limit.ts';
import { createKeyedHash } from '#runtime/keys.ts';

const ada = { email: 'ada@example.com', tokenVersion: 0 };
const home = { ip: '203.0.113.7' };
const elsewhere = (site: number) => ({ ip: `198.51.100.${site}` });
const triesOf = async (count: number, attempt: () => Promise<PasswordTry>): Promise<PasswordTry[]> => {
  const tries: PasswordTry[] = [];
  for (let index = 0; index < count; index++) tries.push(await attempt());
  return tries;
};
const locked = (tries: readonly PasswordTry[]): readonly boolean[] => tries.map(({ isLocked }) => isLocked);

describe('The lock-out of accounts', () => {
  let time: number;
  let lockOut: LockOut;
  let other: LockOut;

  beforeEach(async () => {
    time = Date.UTC(2026, 0, 1);
    const stateStore = createMemoryDocumentStore();
    const keyedHash = createKeyedHash(Buffer.alloc(32, 1));
    const clock = { now: () => time };
    const open = async (): Promise<LockOut> => {
      const limits = await createRateLimits({ stateStore, now: clock.now, keyedHash });
      return createLockOut({ stateStore, clock, limits, keyedHash });
    };
    // Another process on the same store.
    [lockOut, other] = await Promise.all([open(), open()]);
  });

  it('comes after five failures from a network, for five minutes', async () => {
    expect(locked(await triesOf(6, () => lockOut.admit(ada, home)))).to.deep.equal([
      false,
      false,
      false,
      false,
      false,
      true,
    ]);
    time += 299_000;
    expect((await lockOut.admit(ada, home)).isLocked).to.equal(true);
    time += 1000;
    expect(await lockOut.admit(ada, home)).to.deep.include({ isLocked: false, failedAttempts: 1 });
  });

  it('counts failures, and those of two processes together', async () => {
    const attempts = [lockOut, other, lockOut, other, lockOut, other].map((one) => one.admit(ada, home));
    const tries = await Promise.all(attempts);
    expect(locked(tries).filter((isLocked) => isLocked)).to.have.length(1);
    expect(tries.map(({ failedAttempts }) => failedAttempts).sort()).to.deep.equal([1, 2, 3, 4, 5, 5]);
  });

  it('is for one account and one network', async () => {
    await triesOf(5, () => lockOut.admit(ada, home));
    expect((await lockOut.admit(ada, elsewhere(1))).isLocked).to.equal(false);
    expect((await lockOut.admit({ ...ada, email: 'bea@example.com' }, home)).isLocked).to.equal(false);
  });

  it('takes an IPv6 site for one network', async () => {
    const hosts = [1, 2, 3, 4, 5, 6].map((subnet) => ({ ip: `2001:db8:7:${subnet}::1` }));
    const tries: PasswordTry[] = [];
    for (const host of hosts) tries.push(await lockOut.admit(ada, host));
    expect(locked(tries).at(-1)).to.equal(true);
    expect((await lockOut.admit(ada, { ip: '2001:db8:8::1' })).isLocked).to.equal(false);
  });

  it('comes after fifty failures over all networks', async () => {
    for (let site = 0; site < 10; site++) await triesOf(5, () => lockOut.admit(ada, elsewhere(site)));
    expect((await lockOut.admit(ada, elsewhere(99))).isLocked).to.equal(true);
  });

  it('keeps the owner’s access when strangers fail, after a sign-in within 90 days', async () => {
    const first = await lockOut.admit(ada, home);
    if (!first.isLocked) await first.succeeded();
    for (let site = 0; site < 10; site++) await triesOf(5, () => lockOut.admit(ada, elsewhere(site)));
    time += 1000;
    expect((await other.admit(ada, home)).isLocked, 'from home').to.equal(false);
    expect((await other.admit(ada, elsewhere(99))).isLocked, 'from elsewhere').to.equal(true);
    time += 90 * 24 * 3_600_000;
    expect(await lockOut.sweep()).to.equal(1);
    for (let site = 0; site < 10; site++) await triesOf(5, () => lockOut.admit(ada, elsewhere(site)));
    expect((await lockOut.admit(ada, home)).isLocked, 'after 90 days').to.equal(true);
  });

  it('starts over with a right password, and forgives nothing to other networks', async () => {
    await triesOf(4, () => lockOut.admit(ada, home));
    const right = await lockOut.admit(ada, home);
    if (!right.isLocked) await right.succeeded();
    expect((await lockOut.admit(ada, home)).failedAttempts).to.equal(1);
    await triesOf(5, () => lockOut.admit(ada, elsewhere(1)));
    const again = await lockOut.admit(ada, home);
    if (!again.isLocked) await again.succeeded();
    expect((await lockOut.admit(ada, elsewhere(1))).isLocked).to.equal(true);
  });

  it('is lifted by a reset of the password', async () => {
    await triesOf(5, () => lockOut.admit(ada, home));
    expect((await lockOut.admit({ ...ada, tokenVersion: 1 }, home)).isLocked).to.equal(false);
  });

  it('does not count a withdrawn try', async () => {
    const attempt = await lockOut.admit(ada, home);
    if (!attempt.isLocked) await attempt.takenBack();
    expect((await lockOut.admit(ada, home)).failedAttempts).to.equal(1);
  });
});
