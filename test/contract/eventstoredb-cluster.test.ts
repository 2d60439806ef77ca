import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { openEventStoreDb } from '#adapters/eventstoredb/eventstoredb-event-store.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { NO_STREAM, START, type EventStore } from '#ports/event-store.ts';
import { EventStoreDoubleCluster } from '#test/support/eventstoredb/double-cluster.ts';
import { EventStoreDouble } from '#test/support/eventstoredb/double-server.ts';
import type { Member } from '#test/support/eventstoredb/double-standing.ts';
import { FlakyWire } from '#test/support/flaky-wire.ts';
import { ownMilliseconds } from '#test/support/own-clock.ts';
import { anEvent, follow, insist, newStream, rejectionOf, someEvents } from './event-store.contract.ts';

/** A tenth of a shop's. */
const patience = { silenceMilliseconds: 200, againMilliseconds: 50, gossipMilliseconds: 250 };
/** As soon as a shop should go on. */
const SOON_MILLISECONDS = 3000;
const LEADER = 8;
const NEVER_HEARD_OF = 99;

describe('the EventStoreDB adapter on a cluster', () => {
  let cluster: EventStoreDoubleCluster;
  let opened: EventStore[];
  const open = async (address: string = cluster.address): Promise<EventStore> => {
    const store = await openEventStoreDb({ address, patience });
    opened.push(store);
    return store;
  };
  const start = async (...options: ConstructorParameters<typeof EventStoreDoubleCluster>): Promise<void> => {
    cluster = await new EventStoreDoubleCluster(...options).start();
  };
  beforeEach(async () => {
    opened = [];
    await start(3);
  });
  afterEach(async () => {
    for (const store of opened) await store.close();
    cluster.close();
  });

  /** Appends to a new stream until it is taken, which takes no longer than it should. */
  const appendSoon = async (store: EventStore): Promise<void> => {
    const [stream, events] = [newStream(), [anEvent()]];
    const took = await ownMilliseconds(() => insist(() => store.append(stream, NO_STREAM, events)));
    expect(took).to.be.below(SOON_MILLISECONDS);
    expect(await store.readStream(stream)).to.have.length(1);
  };

  describe('finds the leader', () => {
    for (const [what, address] of [
      ['esdb:// with several hosts', () => cluster.address],
      ['esdb+discover:// with several hosts', () => cluster.seeds(0, 1, 2)],
      ['esdb+discover:// with one host', () => cluster.seeds(1)],
    ] as const) {
      it(`by ${what}, though a node is dead`, async () => {
        cluster.nodes[0]?.stop();
        cluster.elect();
        await appendSoon(await open(address()));
      });
    }

    it('once the first nodes that it knew are gone: it remembers the others', async () => {
      const store = await open(cluster.seeds(0));
      await appendSoon(store);
      cluster.nodes[0]?.stop();
      cluster.elect();
      await appendSoon(store);
    });

    for (const withoutBatchAppend of [false, true]) {
      it(`by the word of a follower, ${withoutBatchAppend ? 'appending one by one' : 'in batches'}`, async () => {
        cluster.close();
        await start(3, { withoutBatchAppend });
        const store = await open(cluster.nodes[2]?.address);
        expect(await store.head()).to.equal(START);
        cluster.elect();
        await appendSoon(store);
      });
    }

    it('of two nodes', async () => {
      cluster.close();
      await start(2);
      const store = await open();
      await appendSoon(store);
      const old = cluster.hang();
      cluster.elect();
      await appendSoon(store);
      cluster.comeBack(old);
      await appendSoon(store);
    });
  });

  describe('leaves a leader', () => {
    it('that resigns', async () => {
      const store = await open();
      await appendSoon(store);
      cluster.resign();
      expect(await rejectionOf(store.append(newStream(), NO_STREAM, [anEvent()]))).to.be.instanceOf(
        EngineUnavailable,
      );
      cluster.elect();
      await appendSoon(store);
    });

    for (const refusal of ['not ready', 'too busy', 'no leader'] as const) {
      for (const withoutBatchAppend of [false, true]) {
        it(`that says "${refusal}" to appends ${withoutBatchAppend ? 'one by one' : 'in batches'}`, async () => {
          cluster.close();
          await start(3, { withoutBatchAppend });
          const store = await open();
          await appendSoon(store);
          const old = cluster.leader;
          old.faults.refusal = refusal;
          cluster.elect();
          await appendSoon(store);
          expect(await old.calls.during(() => appendSoon(store))).to.deep.equal({});
        });
      }

      it(`that says "${refusal}" to reads`, async () => {
        const store = await open();
        await store.head();
        cluster.leader.faults.refusal = refusal;
        cluster.elect();
        expect(await insist(() => store.head())).to.equal(START);
      });
    }

    it('that says nothing, and reads that waited on it are answered by the next', async () => {
      const store = await open();
      const stream = newStream();
      await store.append(stream, NO_STREAM, someEvents(3));
      cluster.hang();
      const waiting = [store.readStream(stream), store.readAll(START)];
      await pause(patience.silenceMilliseconds);
      cluster.elect();
      for (const events of await Promise.all(waiting)) expect(events).to.have.length(3);
    });

    it('that says nothing while nobody asks it anything: followers hear what the next one takes', async () => {
      const store = await open();
      const following = follow(store, START, 2);
      await appendSoon(store);
      cluster.hang();
      cluster.elect();
      await appendSoon(await open());
      expect(await following).to.have.length(2);
    });

    it('that was cut off from the others and still calls itself leader', async () => {
      const store = await open();
      await appendSoon(store);
      const old = cluster.hang();
      cluster.elect();
      await appendSoon(store);
      cluster.comeBack(old);
      cluster.believesToLead(old);
      await appendSoon(await open());
      expect(await old.calls.during(() => appendSoon(store))).to.deep.equal({});
    });
  });

  describe('stays', () => {
    it('with a leader that is slow with one append: its answer still counts', async () => {
      const store = await open();
      await appendSoon(store);
      const stream = newStream();
      const release = cluster.leader.faults.holdAppendsTo(stream);
      const appended = store.append(stream, NO_STREAM, someEvents(2));
      await pause(5 * patience.silenceMilliseconds);
      release();
      expect((await appended).revision).to.equal(1);
    });

    it('quiet while nothing happens and the leader is well', async () => {
      const store = await open();
      const stop = new AbortController();
      const following = store.subscribe(START, stop.signal)[Symbol.asyncIterator]().next();
      await appendSoon(store);
      await following;
      const others = cluster.nodes.filter((node) => node !== cluster.leader);
      const before = others.map((node) => node.calls.counts);
      await pause(4 * patience.silenceMilliseconds);
      expect(others.map((node) => node.calls.counts)).to.deep.equal(before);
      stop.abort();
    });
  });

  describe('waits for better gossip than', () => {
    const member = (more: Partial<Member>): Member => ({
      instanceId: '00000000-0000-4000-8000-000000000099',
      timeStamp: 0,
      state: LEADER,
      isAlive: true,
      endPoint: { address: '127.0.0.1', port: 1 },
      ...more,
    });
    const nobody = { isAlive: false };
    for (const [what, members] of [
      ['no members', []],
      ['nobody alive', [member(nobody), member(nobody)]],
      ['states that it does not know', [member({ state: NEVER_HEARD_OF as Member['state'] })]],
      ['a leader without an address', [member({ endPoint: null })]],
      ['a leader without a name and port', [member({ endPoint: { address: '', port: 0 } })]],
      [
        'a thousand members',
        Array.from({ length: 1000 }, (_, index) =>
          member({
            state: index,
            endPoint: { address: '127.0.0.1', port: 1 + index },
            isAlive: index % 2 === 0,
          }),
        ).filter(({ state }) => state !== LEADER),
      ],
    ] as const) {
      it(`${what}, without haste`, async () => {
        cluster.gossip = members;
        const store = await open(`${cluster.address}&discoveryInterval=0&maxDiscoverAttempts=3`);
        const calls = cluster.nodes.map((node) => node.calls);
        const before = calls.map(({ counts }) => counts.gossip);
        expect(await rejectionOf(store.head())).to.be.instanceOf(EngineUnavailable);
        for (const [index, { counts }] of calls.entries())
          expect(counts.gossip - (before[index] ?? 0)).to.equal(3);
        cluster.gossip = null;
        await appendSoon(store);
      });
    }
  });
});

describe('the EventStoreDB adapter on a network that loses a connection without a word', () => {
  it('opens another one to the same server', async () => {
    const double = await new EventStoreDouble().start();
    const wire = await FlakyWire.to(double.endPoint.port);
    const store = await openEventStoreDb({ address: `esdb://127.0.0.1:${wire.port}?tls=false`, patience });
    try {
      const [stream, events] = [newStream(), someEvents(2)];
      const following = follow(store, START, 2);
      await store.ping();
      wire.loseConnections();
      const took = await ownMilliseconds(() => insist(() => store.append(stream, NO_STREAM, events)));
      expect(took).to.be.below(SOON_MILLISECONDS);
      expect(await following).to.deep.equal(await store.readStream(stream));
    } finally {
      await store.close();
      wire.close();
      double.close();
    }
  });
});
