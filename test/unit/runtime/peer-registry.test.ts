import { expect } from 'chai';
import { createMemoryDocumentStore } from '#adapters/memory/memory-document-store.ts';
import { joinPeerRegistry, type PeerRegistry } from '#runtime/peer-registry.ts';
import { createShopClock } from '#runtime/shop-clock.ts';
import { silentLog } from '#test/support/plain-log.ts';

const openProcesses = () => {
  const stateStore = createMemoryDocumentStore();
  const joined: PeerRegistry[] = [];
  const join = async (name: string, lagging: (position: number) => Promise<readonly string[]>) => {
    const clock = await createShopClock(stateStore);
    const registry = await joinPeerRegistry({
      stateStore,
      instanceId: name,
      name,
      clock,
      lagging,
      log: silentLog,
    });
    joined.push(registry);
    return { clock, registry };
  };
  return { stateStore, join, close: () => Promise.all(joined.map((one) => one.stop())) };
};

const nobody = () => Promise.resolve([]);

describe('A question to the peer registry', () => {
  it('reports peers that have not passed a position, and waits for those that are about to', async () => {
    const { join, close, stateStore } = openProcesses();
    const { registry } = await join('asks', () => Promise.resolve(['never asked itself']));
    await join('late', (position) => Promise.resolve(position > 5 ? ['orders'] : []));
    await join('slow', async () => {
      await new Promise(setImmediate);
      return [];
    });
    expect(await registry.lagging(5, 5000)).to.deep.equal([]);
    expect(await registry.lagging(6, 5000)).to.deep.equal(['orders (late)']);
    expect(await stateStore.count('rollCalls')).to.equal(0);
    await close();
  });

  it('returns in time if a peer does not respond', async () => {
    const { join, close } = openProcesses();
    const { registry } = await join('asks', nobody);
    const stuck = Promise.withResolvers<readonly string[]>();
    await join('stuck', () => stuck.promise);
    expect(await registry.lagging(1, 50)).to.deep.equal(['no answer (stuck)']);
    stuck.resolve([]);
    await close();
  });

  it('leaves out peers that have gone, cleanly or not', async () => {
    const { join, close, stateStore } = openProcesses();
    const { registry } = await join('asks', nobody);
    await (await join('left', nobody)).registry.stop();
    const killed = { _id: 'killed', name: 'killed', aliveUntil: Date.now() - 1, offsetMs: 0, answers: {} };
    await stateStore.write([{ collection: 'processes', put: killed }]);
    expect(await registry.lagging(1, 5000)).to.deep.equal([]);
    await close();
  });

  it('ends when all peers follow the clock', async () => {
    const { join, close } = openProcesses();
    const { clock, registry } = await join('moves', nobody);
    const { clock: other } = await join('follows', nobody);
    await clock.advance(60);
    await registry.isTimeFollowed();
    expect(other.offsetMs).to.equal(60_000);
    await other.advance(60);
    expect(other.offsetMs).to.equal(120_000);
    await clock.follow();
    expect(clock.offsetMs).to.equal(120_000);
    await close();
  });
});
