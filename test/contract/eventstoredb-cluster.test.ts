import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { openEventStoreDb } from '#adapters/eventstoredb/eventstoredb-event-store.ts';
import { newId } from '#kernel/ids.ts';
import { EngineUnavailable, WrongExpectedRevision } from '#ports/engine-errors.ts';
import { NO_STREAM, START, type EventStore, type StoredEvent } from '#ports/event-store.ts';
import { EventStoreDoubleCluster } from '#test/support/eventstoredb/double-cluster.ts';
import { EventStoreDouble } from '#test/support/eventstoredb/double-server.ts';
import type { ProposedEvent } from '#test/support/eventstoredb/double-log.ts';
import type { Member } from '#test/support/eventstoredb/double-standing.ts';
import { FlakyWire } from '#test/support/flaky-wire.ts';
import { ownMilliseconds } from '#test/support/own-clock.ts';
import { anEvent, follow, insist, newStream, rejectionOf, someEvents } from './event-store.contract.ts';

/** A tenth of a shop's. */
const patience = { silenceMilliseconds: 200, againMilliseconds: 50, gossipMilliseconds: 250 };
/** As soon as a shop should go on. */
const SOON_MILLISECONDS = 3000;
const proposed = (): ProposedEvent => ({
  id: newId(),
  type: 'Took',
  contentType: 'application/json',
  data: Buffer.from('{}'),
  metadata: Buffer.from('{}'),
});

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

  describe('with two leaders in the gossip of all, as one of before has just woken', () => {
    const tails = { 'a shorter log': 0, 'a tail that no other has': 40 } as const;

    /** Hangs, is replaced, and wakes with the log that it had, while `store` has seen what the next one took. */
    const wake = async (store: EventStore, stream: string, tail: number): Promise<EventStoreDouble> => {
      const old = cluster.hang();
      const log = cluster.log.fork();
      cluster.elect();
      await insist(() => store.append(stream, 0, someEvents(2)));
      for (let count = 0; count < tail; count++) log.append(newStream(), NO_STREAM, [proposed()]);
      cluster.wakesAsLeader(old, log);
      return old;
    };
    /** Asks all that the store can be asked, for a while: whatever it answers is of today. */
    const expectNoPast = async (store: EventStore, stream: string, milliseconds: number): Promise<number> => {
      const head = cluster.log.all.findLast(({ type }) => !type.startsWith('$'))?.position;
      let answers = 0;
      for (const until = performance.now() + milliseconds; performance.now() < until;) {
        await pause(5);
        const asked = await Promise.allSettled([
          store.readStream(stream),
          store.head(),
          store.readAll(START),
        ]);
        const [events, end, all] = asked;
        if (events.status === 'fulfilled') expect(events.value).to.have.length(3);
        if (end.status === 'fulfilled') expect(end.value).to.equal(head);
        if (all.status === 'fulfilled') expect(all.value.at(-1)?.position).to.equal(head);
        answers += asked.filter(({ status }) => status === 'fulfilled').length;
        const wrong = await rejectionOf(store.append(stream, 1, [anEvent()]));
        expect(wrong).to.satisfy(
          (error: unknown) => error instanceof EngineUnavailable || error instanceof WrongExpectedRevision,
        );
      }
      return answers;
    };

    for (const [what, tail] of Object.entries(tails)) {
      it(`never answers out of ${what} once its connection was reset`, async () => {
        const store = await open();
        const stream = newStream();
        await store.append(stream, NO_STREAM, [anEvent()]);
        const old = await wake(store, stream, tail);
        const stop = new AbortController();
        const following = store.subscribe(START, stop.signal)[Symbol.asyncIterator]();
        await following.next();
        cluster.leader.stop();
        await cluster.leader.start();
        await expectNoPast(store, stream, 300);
        stop.abort();
        cluster.hearsOfElection(old);
        await appendSoon(store);
        expect(await expectNoPast(store, stream, 20)).to.be.above(0);
      });

      it(`never answers out of ${what} while the leader of today is silent, nor leaves it`, async () => {
        const store = await open();
        const stream = newStream();
        await store.append(stream, NO_STREAM, [anEvent()]);
        const old = await wake(store, stream, tail);
        cluster.leader.faults.freeze();
        const past = expectNoPast(store, stream, 5 * patience.silenceMilliseconds);
        await pause(2 * patience.silenceMilliseconds);
        cluster.leader.faults.thaw();
        await pause(patience.silenceMilliseconds);
        cluster.hearsOfElection(old);
        expect(await past).to.be.above(0);
        expect(await old.calls.during(() => appendSoon(store))).to.deep.equal({});
      });
    }

    it('never answers out of its log to one who was on it and noticed nothing but silence', async () => {
      const store = await open();
      const other = await open();
      const stream = newStream();
      const { position: first } = await store.append(stream, NO_STREAM, [anEvent()]);
      const stop = new AbortController();
      const heard: StoredEvent[] = [];
      const following = (async () => {
        for await (const events of store.subscribe(first, stop.signal)) heard.push(...events);
      })();
      await store.ping();
      await other.ping();
      const old = cluster.hang();
      const log = cluster.log.fork();
      // It finds the leader silent, and no other yet.
      await pause(2 * patience.silenceMilliseconds);
      cluster.elect();
      await insist(() => other.append(stream, 0, someEvents(2)));
      log.append(newStream(), NO_STREAM, [proposed()]);
      cluster.wakesAsLeader(old, log);
      await expectNoPast(store, stream, 300);
      cluster.hearsOfElection(old);
      await appendSoon(store);
      await other.append(newStream(), NO_STREAM, [anEvent()]);
      const ours = cluster.log.all.filter(({ type, position }) => !type.startsWith('$') && position > first);
      while (heard.length < ours.length) await pause(5);
      expect(heard.map(({ id }) => id)).to.deep.equal(ours.map(({ id }) => id));
      stop.abort();
      await following;
    });

    it('believes none of them at first, and sells once the others agree', async () => {
      const before = await open();
      const stream = newStream();
      await before.append(stream, NO_STREAM, [anEvent()]);
      const old = await wake(before, stream, 1);
      for (const address of [cluster.address, cluster.seeds(0), cluster.seeds(1)]) {
        const store = await open(`${address}&maxDiscoverAttempts=2&discoveryInterval=1`);
        expect(await rejectionOf(store.readStream(stream))).to.be.instanceOf(EngineUnavailable);
      }
      cluster.hearsOfElection(old);
      await appendSoon(await open());
    });

    it('leaves a node that all name, but that does not hold what was seen', async () => {
      const store = await open();
      const stream = newStream();
      await store.append(stream, NO_STREAM, [anEvent()]);
      const log = cluster.log.fork();
      await store.append(stream, 0, someEvents(2));
      const next = cluster.nodes[1];
      if (!next) throw new Error('the cluster has no second node');
      next.log = log;
      cluster.elect();
      expect(await rejectionOf(store.readStream(stream))).to.be.instanceOf(EngineUnavailable);
      expect(String(await rejectionOf(store.readStream(stream)))).to.include('does not hold the event');
      next.log = cluster.log;
      expect(await insist(() => store.readStream(stream))).to.have.length(3);
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
