import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { createLeases, workWheneverHeld } from '#runtime/leases.ts';
import type { DocumentStore } from '#ports/document-store.ts';
import { silentLog } from '#test/support/plain-log.ts';

const minute = 60_000;
const day = 1440 * minute;

describe('a lease', () => {
  let stateStore: DocumentStore;
  let now: number;
  const replica = (instanceId: string, isOnlyWriter = false) =>
    createLeases({ stateStore, instanceId, isOnlyWriter, now: () => now });

  beforeEach(() => {
    stateStore = createMemoryDocumentStore();
    now = 1_000_000;
  });

  it('goes to one of many who ask at once', async () => {
    const asked = Array.from({ length: 20 }, (_, index) =>
      replica(`r${index}`).acquire('work', 'runner', minute),
    );
    expect((await Promise.all(asked)).filter((lease) => lease !== null)).to.have.length(1);
  });

  it('passes on when it was not renewed in time, with a greater number, and the late owner notices', async () => {
    const first = await replica('r1').acquire('work', 'runner', minute);
    now += minute;
    const second = await replica('r2').acquire('work', 'runner', minute);
    expect([first?.attempt, second?.attempt]).to.deep.equal([1, 2]);
    expect(await first?.renew()).to.equal(false);
    await first?.release();
    expect(await second?.renew()).to.equal(true);
  });

  it('stays while it is renewed, and is free at once when given back', async () => {
    const first = await replica('r1').acquire('work', 'runner', minute);
    now += minute / 2;
    expect(await first?.renew()).to.equal(true);
    now += minute - 1;
    expect(await replica('r2').acquire('work', 'runner', minute)).to.equal(null);
    await first?.release();
    expect(await replica('r2').acquire('work', 'runner', minute)).to.not.equal(null);
  });

  it('of a process that died is taken over at once by the only writer, never from a runner of its own', async () => {
    await replica('died').acquire('work', 'runner', minute);
    expect(await replica('other').acquire('work', 'runner', minute)).to.equal(null);
    const restarted = replica('restarted', true);
    expect((await restarted.acquire('work', 'runner', minute))?.attempt).to.equal(2);
    expect(await restarted.acquire('work', 'second runner', minute)).to.equal(null);
  });

  it('is free at once when it was given back while the clock was a day ahead', async () => {
    now += day;
    const lease = await replica('r1').acquire('work', 'runner', minute);
    await lease?.release();
    now -= day;
    expect(await replica('r2').acquire('work', 'runner', minute)).to.not.equal(null);
  });

  it('is not trusted beyond its lifetime, if its holder died while the clock was a day ahead', async () => {
    now += day;
    const lease = await replica('died').acquire('work', 'runner', minute);
    now -= day;
    expect((await replica('r2').acquire('work', 'runner', minute))?.attempt).to.equal(2);
    expect(await lease?.renew()).to.equal(false);
  });

  it('is left to a holder whose clock is half a minute ahead', async () => {
    now += minute / 2;
    await replica('ahead').acquire('work', 'runner', minute);
    now -= minute / 2;
    expect(await replica('r2').acquire('work', 'runner', minute)).to.equal(null);
  });

  it('lets standing work begin as soon as it is free, and ends it with the process', async () => {
    const stop = new AbortController();
    const leases = replica('r1', true);
    let hasWorked = false;
    await workWheneverHeld({
      leases,
      name: 'work',
      ownerId: 'runner',
      ttlMs: minute,
      log: silentLog,
      signal: stop.signal,
      work: async (signal) => {
        hasWorked = true;
        stop.abort();
        expect(signal.aborted).to.equal(true);
      },
    });
    expect(hasWorked).to.equal(true);
    expect(await leases.acquire('work', 'runner', minute)).to.not.equal(null);
  });
});
