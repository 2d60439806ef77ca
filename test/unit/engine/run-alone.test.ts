import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { runUnderLease, type IsHeld } from '#command/engine/run-alone.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { createLeases, type Leases } from '#runtime/leases.ts';

const stateStore = createMemoryDocumentStore();
const leasesOf = (instanceId: string): Leases =>
  createLeases({ stateStore, instanceId, isOnlyWriter: false });
const elsewhere = runUnderLease(leasesOf('other'));
const leases = (): Promise<number> => stateStore.count('leases');

/** Leases that say when they have been asked for. */
const watched = (acquire: Leases['acquire'] = leasesOf('one').acquire) => {
  const { promise: asked, resolve } = Promise.withResolvers<void>();
  const ask: Leases['acquire'] = async (...args) => {
    try {
      return await acquire(...args);
    } finally {
      setImmediate(resolve);
    }
  };
  return { asked, runAlone: runUnderLease({ acquire: ask }) };
};

describe('work that has begun here', () => {
  it('takes no lease if it is over soon', async () => {
    const { runAlone } = watched(() => expect.fail('no lease was to be asked for'));
    const done = await runAlone('a', (isHeld) => Promise.resolve(isHeld()), { leaseAfterMilliseconds: 1000 });
    expect(done).to.equal(true);
  });

  it('takes a lease once it takes longer, and releases it', async () => {
    const { asked, runAlone } = watched();
    const done = await runAlone(
      'b',
      async (isHeld) => {
        await asked;
        return [isHeld(), await elsewhere('b', () => Promise.resolve('done twice'))];
      },
      { leaseAfterMilliseconds: 1 },
    );
    expect(done).to.deep.equal([true, null]);
    expect(await leases()).to.equal(0);
  });

  it('knows when another process has come first', async () => {
    const { asked, runAlone } = watched();
    await elsewhere('c', async () => {
      const looks: boolean[] = [];
      const look = async (isHeld: IsHeld): Promise<void> => {
        looks.push(isHeld());
        await asked;
        looks.push(isHeld());
      };
      await runAlone('c', look, { leaseAfterMilliseconds: 1 });
      expect(looks).to.deep.equal([true, false]);
    });
  });

  it('continues while the leases are unavailable', async () => {
    const { asked, runAlone } = watched(() => Promise.reject(new EngineUnavailable('away')));
    const work = async (isHeld: IsHeld): Promise<boolean> => {
      await asked;
      return isHeld();
    };
    expect(await runAlone('d', work, { leaseAfterMilliseconds: 1 })).to.equal(true);
  });
});
