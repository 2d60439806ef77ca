import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDBClient, FORWARDS, jsonEvent } from '@eventstore/db-client';
import { expect } from 'chai';
import { openEventStoreDb } from '#adapters/eventstoredb/eventstoredb-event-store.ts';
import { watchedSubscription } from '#log/watched-subscription.ts';
import { EngineUnavailable, WrongExpectedRevision } from '#ports/engine-errors.ts';
import { MAX_PAGE, NO_STREAM, START, type EventStore, type StoredEvent } from '#ports/event-store.ts';
import { EventStoreDoubleProcess } from '#test/support/eventstoredb/double-process.ts';
import { EventStoreDouble, type EventStoreDoubleOptions } from '#test/support/eventstoredb/double-server.ts';
import { ownMilliseconds } from '#test/support/own-clock.ts';
import {
  anEvent,
  follow,
  insist,
  newStream,
  rejectionOf,
  someEvents,
  writeConcurrently,
} from './event-store.contract.ts';

/** Short enough for a test, long enough for a busy machine. */
const IMPATIENT = '&defaultDeadline=700';

describe('the EventStoreDB adapter', () => {
  let double: EventStoreDouble;
  let opened: EventStore[];
  const startDouble = async (options: EventStoreDoubleOptions = {}): Promise<void> => {
    double = await new EventStoreDouble(options).start();
  };
  const open = async (address: string = double.address): Promise<EventStore> => {
    const store = await openEventStoreDb({ address });
    opened.push(store);
    return store;
  };
  beforeEach(async () => {
    opened = [];
    await startDouble();
  });
  afterEach(async () => {
    for (const store of opened) await store.close();
    double.close();
  });

  describe('a follower', () => {
    /** Loses its server after the third batch and after the sixth, while writers go on. */
    const followThrough = async (loseServer: () => Promise<void>): Promise<void> => {
      const store = await open();
      let batches = 0;
      const following = follow(store, START, 400, async () => {
        if (++batches % 3 === 0 && batches < 7) await loseServer();
      });
      const writing = Promise.all(
        Array.from({ length: 8 }, async () => {
          const stream = newStream();
          for (let revision = NO_STREAM; revision < 49; revision++) {
            const events = [anEvent()];
            await insist(() => store.append(stream, revision, events));
          }
        }),
      );
      const received = await following;
      await writing;
      expect(received).to.deep.equal(await store.readAll(START));
      expect(batches).to.be.at.least(6);
    };

    for (const how of ['with an error', 'as if at its end'] as const) {
      it(`loses nothing and gets nothing twice when its subscription ends ${how}`, () =>
        followThrough(async () => void double.faults.dropSubscriptions(how)));
    }

    it('loses nothing and gets nothing twice when connections are cut', () =>
      followThrough(async () => {
        double.stop();
        await double.start();
      }));

    it('hears all the same of what comes after its subscription has gone silent', async () => {
      const store = await open();
      const stop = new AbortController();
      const pages = watchedSubscription(store, START, stop.signal, { lookMilliseconds: 50 });
      const stream = newStream();
      for (let revision = 0; revision < 3; revision++) {
        await store.append(stream, revision - 1, [anEvent()]);
        expect((await pages.next()).value?.map((event) => event.revision)).to.deep.equal([revision]);
        expect(double.faults.dropSubscriptions('without a word')).to.equal(1);
      }
      expect(double.calls.counts.subscribe).to.equal(3);
      stop.abort();
      expect((await pages.next()).done).to.equal(true);
    });

    it('begins again after the last event it has seen, not at a checkpoint beyond the next one', async () => {
      const store = await open();
      const following = follow(store, START, 3);
      const stream = newStream();
      await store.append(stream, NO_STREAM, [anEvent()]);
      double.faults.dropsAtCheckpoint = true;
      await store.append(stream, 0, someEvents(2));
      expect((await following).map(({ revision }) => revision)).to.deep.equal([0, 1, 2]);
      expect(double.faults.dropsAtCheckpoint).to.be.false;
    });

    it('goes on at once, counted and without a warning, when the server ends it as too slow', async () => {
      const told: string[] = [];
      const tell = (_: object, message: string): void => void told.push(message);
      const store = await openEventStoreDb({ address: double.address, log: { warn: tell, info: tell } });
      opened.push(store);
      let appended = 1;
      await store.append(newStream(), NO_STREAM, someEvents(1));
      const received = await follow(store, START, 501, async () => {
        if (appended === 501) return;
        await store.append(newStream(), NO_STREAM, someEvents(100));
        appended += 100;
      });
      expect(received).to.deep.equal(await store.readAll(START));
      expect(double.faults.droppedAsTooSlow).to.be.above(0);
      expect(store.slowSubscriptions?.()).to.equal(double.faults.droppedAsTooSlow);
      expect(told).to.deep.equal([]);
    });

    it('waits for a server that is not there yet', async () => {
      double.stop();
      const store = await open(double.address + IMPATIENT);
      const following = follow(store, START, 1);
      expect(await rejectionOf(store.ping())).to.be.instanceOf(EngineUnavailable);
      await double.start();
      const [stream, events] = [newStream(), [anEvent()]];
      await insist(() => store.append(stream, NO_STREAM, events));
      expect(await following).to.have.length(1);
    });

    it('ends at once on a server that does not answer', async () => {
      const store = await open();
      double.faults.freeze();
      const stop = new AbortController();
      const waiting = store.subscribe(START, stop.signal)[Symbol.asyncIterator]().next();
      stop.abort();
      expect((await waiting).done).to.be.true;
    });

    it('that is slow holds the server back instead of piling up events', async () => {
      const store = await open();
      const page = Array.from({ length: 500 }, () => anEvent(JSON.stringify('x'.repeat(1000))));
      for (let count = 0; count < 8; count++) {
        await store.append(
          newStream(),
          NO_STREAM,
          page.map((event) => ({ ...event, id: anEvent().id })),
        );
      }
      const sizes: number[] = [];
      const received = await follow(store, START, 8 * 500, async (batch) => {
        sizes.push(batch.length);
        if (sizes.length === 1) await double.faults.standstill();
        if (sizes.length === 1) expect(double.faults.sentToSubscriptions).to.be.below(2 * MAX_PAGE);
      });
      expect(received).to.have.length(8 * 500);
      expect(Math.max(...sizes)).to.be.at.most(MAX_PAGE);
    });
  });

  for (const withoutBatchAppend of [false, true]) {
    describe(`appends ${withoutBatchAppend ? 'one by one' : 'in batches'}`, () => {
      beforeEach(async () => {
        double.close();
        await startDouble({ withoutBatchAppend });
      });

      it('fail as unavailable in time on a server that does not answer, and work when it does again', async () => {
        const store = await open(double.address + IMPATIENT);
        double.faults.freeze();
        const [stream, events] = [newStream(), someEvents(2)];
        const took = await ownMilliseconds(async () => {
          for (const refusal of await Promise.all([
            rejectionOf(store.append(stream, NO_STREAM, events)),
            rejectionOf(store.append(newStream(), NO_STREAM, someEvents(1))),
          ])) {
            expect(refusal).to.be.instanceOf(EngineUnavailable);
          }
        });
        expect(took).to.be.below(3000);
        double.faults.thaw();
        expect((await insist(() => store.append(stream, NO_STREAM, events))).revision).to.equal(1);
        expect(await insist(() => store.readStream(stream))).to.have.length(2);
      });

      it('fail as unavailable while the server is away, and work when it is back', async () => {
        const store = await open(double.address + IMPATIENT);
        const stream = newStream();
        const first = someEvents(1);
        await insist(() => store.append(stream, NO_STREAM, first));
        double.stop();
        const events = someEvents(1);
        expect(await rejectionOf(store.append(stream, 0, events))).to.be.instanceOf(EngineUnavailable);
        await double.start();
        await insist(() => store.append(stream, 0, events));
        expect(await insist(() => store.readStream(stream))).to.have.length(2);
      });

      it('give the answer of the first when one whose outcome is unknown is repeated', async () => {
        const store = await open(double.address + IMPATIENT);
        const [stream, events] = [newStream(), someEvents(2)];
        double.faults.isSilentAboutAppends = true;
        expect(await rejectionOf(store.append(stream, NO_STREAM, events))).to.be.instanceOf(
          EngineUnavailable,
        );
        double.faults.isSilentAboutAppends = false;
        const stored = await insist(() => store.readStream(stream));
        expect(stored).to.have.length(2);
        const again = await insist(() => store.append(stream, NO_STREAM, events));
        expect(again).to.deep.equal({ revision: 1, position: stored.at(-1)?.position });
      });

      it('to one stream that hang do not hold up those to others', async () => {
        const store = await open();
        const [slow, quick] = [newStream(), newStream()];
        const release = double.faults.holdAppendsTo(slow);
        let isDone = false;
        const hanging = store.append(slow, NO_STREAM, [anEvent()]).then(() => (isDone = true));
        for (let revision = NO_STREAM; revision < 20; revision++) {
          await store.append(quick, revision, [anEvent()]);
        }
        expect(isDone).to.be.false;
        release();
        await hanging;
      });

      it('beyond the size that the server takes are refused whole, with their size', async () => {
        const store = await open();
        const stream = newStream();
        const events = Array.from({ length: 2 }, () => anEvent(JSON.stringify('x'.repeat(600_000))));
        const refusal = await rejectionOf(store.append(stream, NO_STREAM, events));
        expect(refusal).not.to.be.instanceOf(EngineUnavailable);
        expect(refusal).not.to.be.instanceOf(WrongExpectedRevision);
        expect(String(refusal)).to.include('1200098 bytes').and.include('MaxAppendSize');
        expect(await store.readStream(stream)).to.deep.equal([]);
        await store.append(stream, NO_STREAM, events.slice(1));
      });
    });
  }

  describe('reads', () => {
    it('fail as unavailable in time on a server that does not answer', async () => {
      const store = await open(double.address + IMPATIENT);
      double.faults.freeze();
      const took = await ownMilliseconds(async () => {
        for (const refusal of await Promise.all([
          rejectionOf(store.readStream(newStream())),
          rejectionOf(store.readAll(START)),
          rejectionOf(store.head()),
          rejectionOf(store.ping()),
        ])) {
          expect(refusal).to.be.instanceOf(EngineUnavailable);
        }
      });
      expect(took).to.be.below(3000);
    });

    it("never show the server's own events, nor count them as the head", async () => {
      const store = await open();
      expect(await store.head()).to.equal(START);
      expect(await store.readAll(START)).to.deep.equal([]);
      await writeConcurrently(store, 4, 60);
      const all: StoredEvent[] = [];
      for (let page = await store.readAll(START, 7); page.length > 0;) {
        all.push(...page);
        page = await store.readAll(all.at(-1)?.position ?? START, 7);
      }
      expect(all).to.have.length(240);
      expect(all.filter(({ type, stream }) => type.startsWith('$') || stream.startsWith('$'))).to.deep.equal(
        [],
      );
      expect(await store.head()).to.equal(all.at(-1)?.position);
      expect(await follow(store, START, 240)).to.deep.equal(all);
    });
  });

  describe('the log', () => {
    const client = (): EventStoreDBClient => EventStoreDBClient.connectionString(double.address);

    it("shows an auditor with the server's own client the events as JSON, under their ids and types", async () => {
      const store = await open();
      const stream = newStream();
      const event = anEvent('{"b":1, "a":"Zoë"}', '{"hash":"00ff"}');
      await store.append(stream, NO_STREAM, [event]);
      const auditor = client();
      const seen = await Array.fromAsync(auditor.readStream(stream, { direction: FORWARDS }));
      await auditor.dispose();
      expect(seen).to.have.length(1);
      expect(seen[0]?.event).to.deep.include({ id: event.id, type: event.type, isJson: true });
      expect(seen[0]?.event?.data).to.deep.equal({ b: 1, a: 'Zoë' });
      expect(seen[0]?.event?.metadata).to.deep.equal({ hash: '00ff' });
    });

    it("holds what the server's own client appends, in order", async () => {
      const store = await open();
      const stream = newStream();
      const writer = client();
      await writer.appendToStream(stream, jsonEvent({ type: 'SomethingHappened', data: { by: 'client' } }));
      await writer.dispose();
      await store.append(stream, 0, [anEvent()]);
      expect((await store.readAll(START)).map(({ data }) => data)).to.deep.equal([
        '{"by":"client"}',
        '{"quantity":1}',
      ]);
    });
  });

  describe('a cluster', () => {
    it('is found by asking its nodes, and asked again when it was away', async () => {
      const options = `${IMPATIENT}&discoveryInterval=20&maxDiscoverAttempts=3`;
      const store = await open(double.address.replace('esdb:', 'esdb+discover:') + options);
      const stream = newStream();
      const first = [anEvent()];
      await insist(() => store.append(stream, NO_STREAM, first));
      double.stop();
      const events = [anEvent()];
      for (let tries = 0; tries < 3; tries++) {
        expect(await rejectionOf(store.append(stream, 0, events))).to.be.instanceOf(EngineUnavailable);
        expect(await rejectionOf(store.head())).to.be.instanceOf(EngineUnavailable);
      }
      await double.start();
      await insist(() => store.append(stream, 0, events));
      expect(await insist(() => store.readStream(stream))).to.have.length(2);
    });
  });

  describe('an address', () => {
    for (const [what, address, sentence] of [
      ['of another scheme', 'mongodb://localhost:27017', 'esdb:// and esdb+discover:// only'],
      ["of KurrentDB's own scheme", 'kurrentdb://localhost:2113', 'for KurrentDB too'],
      ['with credentials that would not be sent', 'esdb://ada:secret@localhost:2113?tls=false', 'tls=false'],
      ['with a colon in the password', 'esdb://ada:secret:er@localhost:2113', '%3A'],
      ['with a user and no password', 'esdb://ada@localhost:2113', 'user:password@'],
      [
        'with half of a user certificate',
        'esdb://localhost:2113?userKeyFile=key.pem',
        'userKeyFile together',
      ],
      ['without time for a call', 'esdb://localhost:2113?defaultDeadline=0', 'above 0'],
      ['that cannot be read', 'esdb://ada:secret@localhost:port', 'cannot be read'],
    ] as const) {
      it(`${what} is refused with a sentence that holds no password`, async () => {
        const refusal = await rejectionOf(openEventStoreDb({ address }));
        expect(String(refusal)).to.include(sentence).and.not.include('secret');
      });
    }

    it('with credentials and TLS is taken', async () => {
      const store = await openEventStoreDb({ address: 'esdb://ada:sec%3Aret@localhost:2113' });
      expect(store.isOnlyWriter).to.equal(false);
      await store.close();
    });
  });
});

describe('the EventStoreDB adapter beside a server that dies', () => {
  let folder: string;
  let server: EventStoreDoubleProcess;
  let store: EventStore;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'eventstoredb-'));
    server = await new EventStoreDoubleProcess(join(folder, 'events.log')).start();
    store = await openEventStoreDb({ address: server.address + IMPATIENT });
  });
  afterEach(async () => {
    await store.close();
    await server.kill();
    rmSync(folder, { recursive: true });
  });

  it('keeps every acknowledged event, knows a repeat after the restart, and followers miss nothing', async () => {
    const [stream, events] = [newStream(), someEvents(3)];
    const following = follow(store, START, 43);
    const first = await insist(() => store.append(stream, NO_STREAM, events));
    await writeConcurrently(store, 4, 5);
    await server.kill();
    expect(await rejectionOf(store.append(stream, NO_STREAM, events))).to.be.instanceOf(EngineUnavailable);
    await server.start();
    await insist(() => store.ping());
    expect(await insist(() => store.append(stream, NO_STREAM, events))).to.deep.equal(first);
    await writeConcurrently(store, 4, 5);
    expect(await following).to.deep.equal(await insist(() => store.readAll(START)));
  });

  it('is answered when a server that stood still goes on', async () => {
    const [stream, events] = [newStream(), someEvents(3)];
    await insist(() => store.ping());
    server.suspend();
    expect(await rejectionOf(store.append(stream, NO_STREAM, events))).to.be.instanceOf(EngineUnavailable);
    server.resume();
    await insist(() => store.append(stream, NO_STREAM, events));
    expect(await insist(() => store.readStream(stream))).to.have.length(3);
  });
});
