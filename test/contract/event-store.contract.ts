import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import { EngineUnavailable, WrongExpectedRevision } from '#ports/engine-errors.ts';
import {
  MAX_PAGE,
  NO_STREAM,
  START,
  type EventStore,
  type EventToAppend,
  type StoredEvent,
} from '#ports/event-store.ts';

export interface EventLogUnderTest {
  readonly store: EventStore;
  /** Closes whatever is open and removes what the test left behind. */
  dispose(): Promise<void>;
}

export interface DurableLogUnderTest extends EventLogUnderTest {
  /** Closes the store and opens another one on the same log. */
  reopen(): Promise<EventStore>;
}

export const anEvent = (
  data: string = '{"quantity":1}',
  metadata: string = '{"by":"test"}',
): EventToAppend => ({
  id: newId(),
  type: 'SomethingHappened',
  data,
  metadata,
});

export const someEvents = (count: number): EventToAppend[] =>
  Array.from({ length: count }, (_, index) => anEvent(`{"index":${index}}`));

export const newStream = (): string => `thing-${newId()}`;

export const rejectionOf = async (promise: Promise<unknown>): Promise<unknown> => {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a rejection, but it succeeded');
};

/** Tries until the engine says whether it happened. */
export const insist = async <Done>(work: () => Promise<Done>): Promise<Done> => {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error;
    }
    await nextTurn();
  }
};

/** Follows the log until `count` events were received, or to its end. */
export const follow = async (
  store: EventStore,
  after: number,
  count: number,
  onBatch: (batch: readonly StoredEvent[]) => unknown = () => {},
): Promise<StoredEvent[]> => {
  const stop = new AbortController();
  const received: StoredEvent[] = [];
  for await (const batch of store.subscribe(after, stop.signal)) {
    received.push(...batch);
    await onBatch(batch);
    if (received.length >= count) stop.abort();
  }
  return received;
};

/** Appends `each` single events to streams of their own, one writer beside the other. */
export const writeConcurrently = (store: EventStore, writers: number, each: number): Promise<string[]> =>
  Promise.all(
    Array.from({ length: writers }, async () => {
      const stream = newStream();
      for (let revision = NO_STREAM; revision < each - 1; revision++)
        await store.append(stream, revision, [anEvent()]);
      return stream;
    }),
  );

const positionsOf = (events: readonly StoredEvent[]): number[] => events.map(({ position }) => position);

const expectAscending = (positions: readonly number[]): void => {
  const wrong = positions.findIndex(
    (position, index) => index > 0 && position <= (positions[index - 1] ?? START),
  );
  expect(
    wrong,
    `positions out of order or twice: ${positions.slice(Math.max(0, wrong - 2), wrong + 2)}`,
  ).to.equal(-1);
};

/** What every event store must do. The log may hold other events and have holes in its positions. */
export const eventStoreContract = (name: string, open: () => Promise<EventLogUnderTest>): void => {
  describe(`event store: ${name}`, () => {
    let log: EventLogUnderTest;
    let store: EventStore;
    beforeEach(async () => {
      log = await open();
      store = log.store;
    });
    afterEach(() => log.dispose());

    appending(() => store);
    repeating(() => store);
    reading(() => store);
    following(() => store);
    closing(() => store);
  });
};

const appending = (the: () => EventStore): void => {
  describe('appending', () => {
    it('numbers the events of a stream from 0 and returns the last one', async () => {
      const stream = newStream();
      const first = await the().append(stream, NO_STREAM, someEvents(2));
      const second = await the().append(stream, 1, someEvents(1));
      expect(first.revision).to.equal(1);
      expect(second.revision).to.equal(2);
      expect(first.position).to.be.greaterThan(START);
      expect(second.position).to.be.greaterThan(first.position);
      const stored = await the().readStream(stream);
      expect(stored.map(({ revision }) => revision)).to.deep.equal([0, 1, 2]);
      expect(stored.at(-1)?.position).to.equal(second.position);
    });

    for (const [what, expected] of [
      ['a stream that has moved on', 0],
      ['must be a stream that exists where none', NO_STREAM],
      ['a revision that the stream has not reached', 7],
    ] as const) {
      it(`refuses ${what} and appends nothing`, async () => {
        const stream = newStream();
        await the().append(stream, NO_STREAM, someEvents(2));
        const refusal = await rejectionOf(the().append(stream, expected, someEvents(2)));
        expect(refusal).to.be.instanceOf(WrongExpectedRevision);
        expect(refusal).to.include({ stream, expected });
        expect(await the().readStream(stream)).to.have.length(2);
      });
    }

    it('refuses to continue a stream that does not exist', async () => {
      const stream = newStream();
      expect(await rejectionOf(the().append(stream, 0, someEvents(1)))).to.be.instanceOf(
        WrongExpectedRevision,
      );
      expect(await the().readStream(stream)).to.deep.equal([]);
    });

    it('lets exactly one of many racing appends win, and its neighbours in other streams too', async () => {
      const stream = newStream();
      const others = Array.from({ length: 20 }, newStream);
      const race = Array.from({ length: 20 }, () => the().append(stream, NO_STREAM, someEvents(2)));
      const apis = others.map((other) => the().append(other, NO_STREAM, someEvents(2)));
      const outcomes = await Promise.allSettled(race);
      await Promise.all(apis);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).to.be.instanceOf(WrongExpectedRevision);
      }
      expect(await the().readStream(stream)).to.have.length(2);
      for (const other of others) expect(await the().readStream(other)).to.have.length(2);
    });

    it('keeps appends to one stream in the order in which they were asked for', async () => {
      const stream = newStream();
      const events = someEvents(50);
      await Promise.all(events.map((event, index) => the().append(stream, index - 1, [event])));
      expect((await the().readStream(stream)).map(({ id }) => id)).to.deep.equal(events.map(({ id }) => id));
    });

    it('shows the events of one append all at once or not at all', async () => {
      const head = await the().head();
      const streams = Array.from({ length: 20 }, newStream);
      let isWriting = true;
      const writing = Promise.all(
        streams.map((stream) => the().append(stream, NO_STREAM, someEvents(10))),
      ).then(() => {
        isWriting = false;
      });
      while (isWriting) {
        await nextTurn();
        const counts = Map.groupBy(await the().readAll(head), ({ stream }) => stream);
        for (const events of counts.values()) expect(events).to.have.length(10);
      }
      await writing;
      expect(await the().readAll(head)).to.have.length(200);
    });

    it('takes an append of a thousand events', async () => {
      const stream = newStream();
      const result = await the().append(stream, NO_STREAM, someEvents(1000));
      expect(result.revision).to.equal(999);
      expect(await the().readStream(stream)).to.have.length(1000);
    });

    it('gives data and metadata back byte for byte', async () => {
      const texts = [
        '{"b":1,"a":2,"10":3,"2":4}',
        '{"huge":1e21,"tiny":1E-7,"zero":-0.0,"precise":12345678901234567890.5}',
        '{"spaces" : [ 1,\t2 ],\n "escaped":"\\u0000\\u00e9\\/"}',
        '{"text":"Zoë – 東京 – 👩‍👩‍👧 – \u2028 – é e\u0301"}',
        'null',
      ];
      const stream = newStream();
      const events = texts.map((text) => anEvent(text, text));
      await the().append(stream, NO_STREAM, events);
      const stored = await the().readStream(stream);
      expect(stored.map(({ id, type, data, metadata }) => ({ id, type, data, metadata }))).to.deep.equal(
        events,
      );
    });
  });
};

const repeating = (the: () => EventStore): void => {
  describe('appending the same again', () => {
    it('answers what the first append answered, and stores nothing twice', async () => {
      const stream = newStream();
      const events = someEvents(3);
      const first = await the().append(stream, NO_STREAM, events);
      expect(await the().append(stream, NO_STREAM, events)).to.deep.equal(first);
      expect(await the().readStream(stream)).to.have.length(3);
    });

    it('does so after the stream has moved on', async () => {
      const stream = newStream();
      await the().append(stream, NO_STREAM, someEvents(2));
      const events = someEvents(2);
      const first = await the().append(stream, 1, events);
      await the().append(stream, 3, someEvents(2));
      expect(await the().append(stream, 1, events)).to.deep.equal(first);
      expect(await the().readStream(stream)).to.have.length(6);
    });

    it('does so while the first append is still under way', async () => {
      const stream = newStream();
      const events = someEvents(2);
      const [first, second] = await Promise.all([
        the().append(stream, NO_STREAM, events),
        the().append(stream, NO_STREAM, events),
      ]);
      expect(second).to.deep.equal(first);
      expect(await the().readStream(stream)).to.have.length(2);
    });

    it('is a conflict when only some of the ids were appended before', async () => {
      const stream = newStream();
      const events = someEvents(2);
      await the().append(stream, NO_STREAM, events);
      const longer = [...events, anEvent()];
      expect(await rejectionOf(the().append(stream, NO_STREAM, longer))).to.be.instanceOf(
        WrongExpectedRevision,
      );
      expect(await the().readStream(stream)).to.have.length(2);
    });

    it('sends followers nothing', async () => {
      const head = await the().head();
      const stream = newStream();
      const events = someEvents(2);
      const following = follow(the(), head, 3);
      await the().append(stream, NO_STREAM, events);
      await the().append(stream, NO_STREAM, events);
      await the().append(stream, 1, someEvents(1));
      expect((await following).map(({ revision }) => revision)).to.deep.equal([0, 1, 2]);
    });
  });
};

const reading = (the: () => EventStore): void => {
  describe('reading', () => {
    const read = async (
      stream: string,
      ...options: Parameters<EventStore['readStream']>[1][]
    ): Promise<number[]> => (await the().readStream(stream, ...options)).map(({ revision }) => revision);

    it('answers an empty page for a stream that does not exist', async () => {
      expect(await the().readStream(newStream())).to.deep.equal([]);
      expect(await the().readStream(newStream(), { direction: 'backwards' })).to.deep.equal([]);
    });

    it('reads a stream forwards and backwards from a revision, which it includes', async () => {
      const stream = newStream();
      await the().append(stream, NO_STREAM, someEvents(6));
      expect(await read(stream, { fromRevision: 3 })).to.deep.equal([3, 4, 5]);
      expect(await read(stream, { fromRevision: 1, limit: 2 })).to.deep.equal([1, 2]);
      expect(await read(stream, { fromRevision: 6 })).to.deep.equal([]);
      expect(await read(stream, { direction: 'backwards' })).to.deep.equal([5, 4, 3, 2, 1, 0]);
      expect(await read(stream, { direction: 'backwards', limit: 1 })).to.deep.equal([5]);
      expect(await read(stream, { direction: 'backwards', fromRevision: 2, limit: 2 })).to.deep.equal([2, 1]);
      expect(await read(stream, { direction: 'backwards', fromRevision: 0 })).to.deep.equal([0]);
    });

    it('answers at most a page, whatever the limit', async () => {
      const head = await the().head();
      const stream = newStream();
      await the().append(stream, NO_STREAM, someEvents(MAX_PAGE));
      await the().append(stream, MAX_PAGE - 1, someEvents(5));
      expect(await read(stream)).to.have.length(MAX_PAGE);
      expect(await read(stream, { limit: 5000 })).to.have.length(MAX_PAGE);
      expect(await read(stream, { fromRevision: MAX_PAGE })).to.have.length(5);
      expect(await the().readAll(head)).to.have.length(MAX_PAGE);
      expect(await the().readAll(head, 5000)).to.have.length(MAX_PAGE);
    });

    it('reads the whole log after a position, which it excludes, page by page', async () => {
      const head = await the().head();
      const [one, other] = [newStream(), newStream()];
      await the().append(one, NO_STREAM, someEvents(2));
      await the().append(other, NO_STREAM, someEvents(2));
      await the().append(one, 1, someEvents(1));
      const all = await the().readAll(head);
      expect(all.map(({ stream, revision }) => [stream, revision])).to.deep.equal([
        [one, 0],
        [one, 1],
        [other, 0],
        [other, 1],
        [one, 2],
      ]);
      expectAscending(positionsOf(all));
      const paged: StoredEvent[] = [];
      for (let page = await the().readAll(head, 2); page.length > 0;) {
        expect(page.length).to.be.at.most(2);
        paged.push(...page);
        page = await the().readAll(page.at(-1)?.position ?? head, 2);
      }
      expect(paged).to.deep.equal(all);
      expect(await the().readAll(await the().head())).to.deep.equal([]);
    });

    it('leaves out events of other types, save the last that it looked at, page by page', async () => {
      const head = await the().head();
      const named = (type: string): EventToAppend => ({ ...anEvent(), type });
      const types = ['Wanted', 'Other', 'Wanted2', 'WantedNot', 'Wanted', 'Other', 'Other'];
      await the().append(newStream(), NO_STREAM, types.map(named));
      const read = async (after: number, limit: number, ...wanted: readonly string[]) =>
        the().readAll(after, limit, new Set(wanted));
      const all = await the().readAll(head);
      const [first, , third, , fifth, , last] = all;
      expect(await read(head, 10, 'Wanted', 'Wanted2')).to.deep.equal([first, third, fifth, last]);
      expect(await read(head, 2, 'Wanted', 'Wanted2')).to.deep.equal([first, third]);
      expect(await read(third?.position ?? 0, 1, 'Wanted')).to.deep.equal([fifth]);
      expect(await read(head, 10, 'WantedMore')).to.deep.equal([last]);
      expect(await read(last?.position ?? 0, 10, 'Wanted')).to.deep.equal([]);
    });

    it('finds an event by its position, and none where there is none', async () => {
      const { position: before } = await the().append(newStream(), NO_STREAM, someEvents(1));
      await the().append(newStream(), NO_STREAM, someEvents(3));
      const all = await the().readAll(before);
      for (const event of all) expect(await the().eventAt(event.position)).to.deep.equal(event);
      const last = await the().head();
      for (const none of [START, last + 1, last + 5000])
        expect(await the().eventAt(none), String(none)).to.equal(null);
    });

    it('knows the position of the last event', async () => {
      const { position } = await the().append(newStream(), NO_STREAM, someEvents(3));
      expect(await the().head()).to.equal(position);
    });

    it('never shows a reader a position lower than one it has seen', async () => {
      const head = await the().head();
      let isWriting = true;
      const writing = writeConcurrently(the(), 8, 40).finally(() => (isWriting = false));
      const seen: number[] = [];
      let known: number[] = [];
      while (isWriting) {
        await nextTurn();
        const all = positionsOf(await the().readAll(head));
        expect(all.slice(0, known.length)).to.deep.equal(known);
        known = all;
        seen.push(...positionsOf(await the().readAll(seen.at(-1) ?? head)));
      }
      await writing;
      seen.push(...positionsOf(await the().readAll(seen.at(-1) ?? head)));
      expect(seen).to.have.length(8 * 40);
      expect(seen).to.deep.equal(positionsOf(await the().readAll(head)));
    });

    it('answers a ping', async () => expect(await the().ping()).to.equal(undefined));
  });
};

const following = (the: () => EventStore): void => {
  describe('following', () => {
    it('catches up and goes live without a gap or a duplicate while eight writers append', async () => {
      const head = await the().head();
      const before = await writeConcurrently(the(), 4, 30);
      const following = follow(the(), head, 4 * 30 + 8 * 60);
      const during = await writeConcurrently(the(), 8, 60);
      const received = await following;
      expectAscending(positionsOf(received));
      const streams = Map.groupBy(received, ({ stream }) => stream);
      expect([...streams.keys()].toSorted()).to.deep.equal([...before, ...during].toSorted());
      for (const [stream, events] of streams) expect(events).to.deep.equal(await the().readStream(stream));
    });

    it('hands a follower that joins in the middle everything after its position', async () => {
      const head = await the().head();
      const joined: Promise<StoredEvent[]>[] = [];
      let received = 0;
      const first = follow(the(), head, 8 * 40, (batch) => {
        received += batch.length;
        const rest = 8 * 40 - received;
        if (rest > 0) joined.push(follow(the(), batch.at(-1)?.position ?? head, rest));
      });
      await writeConcurrently(the(), 8, 40);
      const all = positionsOf(await first);
      expect(joined).not.to.be.empty;
      for (const later of await Promise.all(joined)) {
        expect(positionsOf(later)).to.deep.equal(all.slice(-later.length));
      }
    });

    it('serves a slow and a quick follower each in its own time, in batches of at most a page', async () => {
      const head = await the().head();
      const total = MAX_PAGE + 500;
      const sizes: number[] = [];
      const slow = follow(the(), head, total, async (batch) => {
        sizes.push(batch.length);
        await the().ping();
        await the().head();
      });
      const quick = follow(the(), head, total, (batch) => void sizes.push(batch.length));
      const stream = newStream();
      for (let revision = NO_STREAM; revision < total - 1; revision += 100) {
        await the().append(stream, revision, someEvents(100));
      }
      expect(positionsOf(await slow)).to.deep.equal(positionsOf(await quick));
      expect(Math.min(...sizes)).to.be.at.least(1);
      expect(Math.max(...sizes)).to.be.at.most(MAX_PAGE);
    });

    it('begins after the position it was given', async () => {
      const { position } = await the().append(newStream(), NO_STREAM, someEvents(3));
      const following = follow(the(), position, 2);
      const stream = newStream();
      await the().append(stream, NO_STREAM, someEvents(2));
      expect((await following).map((event) => event.stream)).to.deep.equal([stream, stream]);
    });

    it('ends a follower that waits when its signal aborts', async () => {
      const stop = new AbortController();
      const batches = the()
        .subscribe(await the().head(), stop.signal)
        [Symbol.asyncIterator]();
      const waiting = batches.next();
      await the().ping();
      stop.abort();
      expect((await waiting).done).to.be.true;
    });

    it('yields nothing to a signal that had aborted before', async () => {
      await the().append(newStream(), NO_STREAM, someEvents(1));
      const batches = the().subscribe(START, AbortSignal.abort())[Symbol.asyncIterator]();
      expect((await batches.next()).done).to.be.true;
    });

    it('lets one follower leave without disturbing the other', async () => {
      const head = await the().head();
      const staying = follow(the(), head, 4);
      const leaving = follow(the(), head, 1);
      const stream = newStream();
      await the().append(stream, NO_STREAM, someEvents(2));
      await leaving;
      await the().append(stream, 1, someEvents(2));
      expect((await staying).map(({ revision }) => revision)).to.deep.equal([0, 1, 2, 3]);
    });
  });
};

const closing = (the: () => EventStore): void => {
  describe('closing', () => {
    it('ends its followers', async () => {
      const store = the();
      const batches = store
        .subscribe(await store.head(), new AbortController().signal)
        [Symbol.asyncIterator]();
      const waiting = batches.next();
      await store.close();
      expect((await waiting).done).to.be.true;
    });

    it('may be done twice, and then appends no more', async () => {
      const store = the();
      await store.close();
      await store.close();
      const refusal = await rejectionOf(store.append(newStream(), NO_STREAM, someEvents(1)));
      expect(refusal).to.be.instanceOf(EngineUnavailable);
    });
  });
};

/** What every event store must do whose log outlives it. */
export const durableLogContract = (name: string, open: () => Promise<DurableLogUnderTest>): void => {
  describe(`event store, opened again: ${name}`, () => {
    let log: DurableLogUnderTest;
    beforeEach(async () => {
      log = await open();
    });
    afterEach(() => log.dispose());

    it('holds every acknowledged event, knows a repeat, and goes on after the last position', async () => {
      const head = await log.store.head();
      const [stream = ''] = await writeConcurrently(log.store, 8, 10);
      const events = someEvents(2);
      const first = await log.store.append(stream, 9, events);
      const all = await log.store.readAll(head);
      const again = await log.reopen();
      expect(await again.readAll(head)).to.deep.equal(all);
      expect(await again.head()).to.equal(first.position);
      expect(await again.append(stream, 9, events)).to.deep.equal(first);
      const next = await again.append(stream, 11, someEvents(1));
      expect(next.position).to.be.greaterThan(first.position);
    });

    it('shows the whole log to a follower from the start, then what is new', async () => {
      const head = await log.store.head();
      await writeConcurrently(log.store, 8, 10);
      const again = await log.reopen();
      const following = follow(again, head, 160);
      await writeConcurrently(again, 8, 10);
      const received = await following;
      expectAscending(positionsOf(received));
      expect(received).to.deep.equal(await again.readAll(head));
    });
  });
};
