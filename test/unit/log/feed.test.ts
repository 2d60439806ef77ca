import { expect } from 'chai';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import type { Recorded } from '#kernel/event.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import type { EventStore, LogMark } from '#ports/event-store.ts';
import { createFeed, type Feed } from '#log/feed.ts';
import type { Follower, Following } from '#log/feed-follower.ts';
import { counted, discarded } from '#test/support/counting-shop.ts';
import { appendPlain, plainDecoder, shopClock, silentLog } from '#test/support/plain-log.ts';

const counts: ReadonlySet<string> = new Set(['Counted']);

/** A follower that notes what it gets, and can be held up. */
const watcher = (name: string, after = 0) => {
  const batches: { readonly positions: readonly number[]; readonly upTo: number }[] = [];
  let gate: Promise<void> = Promise.resolve();
  let open: () => void = () => undefined;
  const follower: Follower = {
    name,
    after,
    eventTypes: counts,
    handle: async (events: readonly Recorded[], { position: last }: LogMark) => {
      batches.push({ positions: events.map(({ position }) => position), upTo: last });
      await gate;
    },
  };
  return {
    follower,
    batches,
    received: () => batches.flatMap(({ positions }) => positions),
    holdUp: () => {
      gate = new Promise((resolve) => (open = resolve));
    },
    letGo: () => open(),
  };
};

const upTo = (last: number): readonly number[] => Array.from({ length: last }, (_, index) => index + 1);
const manyCounts = (count: number) => Array.from({ length: count }, () => counted(1));

describe('the feed', () => {
  let log: EventStore;
  let feed: Feed;
  const decoder = plainDecoder;
  let codec = decoder();

  beforeEach(() => {
    log = createMemoryEventStore();
    codec = decoder();
    feed = createFeed({ store: log, codec, clock: shopClock, log: silentLog });
  });
  afterEach(() => feed.stop());

  it('catches a follower up from its position, then goes live without a gap or a duplicate', async () => {
    await appendPlain(log, 'counter-1', manyCounts(2500));
    const late = watcher('late', 700);
    const following = feed.follow(late.follower);
    await feed.start();
    const end = await appendPlain(log, 'counter-1', manyCounts(30));
    expect(await following.waitFor(end, 2000)).to.equal(true);
    expect(late.received()).to.deep.equal(upTo(end).slice(700));
  });

  it('decodes each event once for all live followers, and only the types they want', async () => {
    await feed.start();
    const watchers = ['a', 'b', 'c'].map((name) => watcher(name));
    const followings = watchers.map(({ follower }) => feed.follow(follower));
    await Promise.all(followings.map((following) => following.waitFor(0, 2000)));
    const end = await appendPlain(log, 'counter-1', [counted(1), discarded(), counted(2)]);
    for (const following of followings) expect(await following.waitFor(end, 2000)).to.equal(true);
    expect([...codec.decoded]).to.deep.equal([
      [1, 1],
      [3, 1],
    ]);
  });

  it('gathers events that arrive during a batch into the next one', async () => {
    await feed.start();
    const busy = watcher('busy');
    const following = feed.follow(busy.follower);
    busy.holdUp();
    for (let appends = 0; appends < 20; appends++) await appendPlain(log, 'counter-1', [counted(1)]);
    busy.letGo();
    expect(await following.waitFor(20, 2000)).to.equal(true);
    expect(busy.batches.length).to.be.lessThan(5);
    expect(busy.received()).to.deep.equal(upTo(20));
  });

  it('lets a slow follower neither stall the others nor fill the memory: it reads the rest for itself', async () => {
    await feed.start();
    const slow = watcher('slow');
    const quick = watcher('quick');
    const followings = [feed.follow(slow.follower), feed.follow(quick.follower)] as const;
    slow.holdUp();
    let end = 0;
    for (let appends = 0; appends < 30; appends++) end = await appendPlain(log, 'counter-1', manyCounts(500));
    expect(await followings[1].waitFor(end, 2000)).to.equal(true);
    expect(slow.batches.length).to.equal(1);
    slow.letGo();
    expect(await followings[0].waitFor(end, 2000)).to.equal(true);
    expect(slow.received()).to.deep.equal(upTo(end));
    expect(Math.max(...codec.decoded.values())).to.equal(2);
  });

  it('gives the same batch again after an engine was unavailable', async () => {
    await feed.start();
    const positions: number[][] = [];
    let isAway = true;
    const following = feed.follow({
      name: 'writer',
      after: 0,
      eventTypes: counts,
      handle: async (events) => {
        positions.push(events.map(({ position }) => position));
        if (isAway) {
          isAway = false;
          throw new EngineUnavailable('away');
        }
      },
    });
    const end = await appendPlain(log, 'counter-1', [counted(1), counted(2)]);
    expect(await following.waitFor(end, 2000)).to.equal(true);
    expect(positions).to.deep.equal([
      [1, 2],
      [1, 2],
    ]);
  });

  it('says for how long a follower has been without an event that it cannot read, until it has caught up', async () => {
    let now = Date.parse('2026-03-01T12:00:00.000Z');
    let isAway = true;
    const readAll = log.readAll.bind(log);
    const away: EventStore = Object.assign(log, {
      readAll: async (...asked: Parameters<typeof readAll>) => {
        if (isAway) throw new EngineUnavailable('too late');
        return readAll(...asked);
      },
    });
    const end = await appendPlain(log, 'counter-1', manyCounts(3));
    const slow = createFeed({ store: away, codec, clock: { now: () => now }, log: silentLog });
    const following = slow.follow(watcher('late').follower);
    await slow.start();
    expect(following.lagSeconds).to.equal(0);
    now += 30_000;
    expect(following.lagSeconds).to.equal(30);
    isAway = false;
    expect(await following.waitFor(end, 2000)).to.equal(true);
    await new Promise(setImmediate);
    expect(following.lagSeconds).to.equal(0);
    await slow.stop();
  });

  it('hands a follower that joins in the middle of a page every event of its types', async () => {
    await feed.start();
    const first = watcher('first');
    feed.follow({ ...first.follower, eventTypes: new Set(['Discarded']) });
    const joining = watcher('joining');
    const joined = Promise.withResolvers<Following>();
    let pages = 0;
    const decodeAll = codec.decodeAll.bind(codec);
    codec.decodeAll = async (batch) => {
      if (pages++ === 0) joined.resolve(feed.follow(joining.follower));
      return decodeAll(batch);
    };
    const end = await appendPlain(log, 'counter-1', [counted(1), discarded(), counted(2)]);
    expect(await (await joined.promise).waitFor(end, 2000)).to.equal(true);
    expect(joining.received()).to.deep.equal([1, 3]);
  });

  it('passes pages without its events by a follower with nothing in hand, and gives it the others', async () => {
    await feed.start();
    const passing = watcher('passing');
    const passed: number[] = [];
    let isBusy = false;
    const following = feed.follow({
      ...passing.follower,
      pass: ({ position }) => {
        if (!isBusy) passed.push(position);
        return !isBusy;
      },
    });
    const append = async (event: Parameters<typeof appendPlain>[2][number]): Promise<void> => {
      const end = await appendPlain(log, 'counter-1', [event]);
      expect(await following.waitFor(end, 2000)).to.equal(true);
    };
    await following.waitFor(0, 2000);
    await append(discarded());
    await append(counted(1));
    isBusy = true;
    await append(discarded());
    isBusy = false;
    passing.holdUp();
    await appendPlain(log, 'counter-1', [counted(1)]);
    const other = feed.follow({ ...watcher('other').follower, after: 3 });
    expect(await other.waitFor(4, 2000)).to.equal(true);
    await appendPlain(log, 'counter-1', [discarded()]);
    expect(await other.waitFor(5, 2000)).to.equal(true);
    passing.letGo();
    expect(await following.waitFor(5, 2000)).to.equal(true);
    expect(passed).to.deep.equal([1]);
    expect(passing.batches).to.deep.equal([
      { positions: [2], upTo: 2 },
      { positions: [], upTo: 3 },
      { positions: [4], upTo: 4 },
      { positions: [], upTo: 5 },
    ]);
  });

  it('leaves a follower where it was when it leaves', async () => {
    await feed.start();
    const leaving = watcher('leaving');
    const following = feed.follow(leaving.follower);
    await following.waitFor(await appendPlain(log, 'counter-1', [counted(1)]), 2000);
    await following.leave();
    await appendPlain(log, 'counter-1', [counted(1)]);
    expect(following.position).to.equal(1);
    expect(feed.followers).to.deep.equal([]);
  });
});
