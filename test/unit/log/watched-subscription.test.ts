import { once } from 'node:events';
import { expect } from 'chai';
import { createMemoryEventStore } from '#adapters/memory/memory-event-store.ts';
import { afterLook, watchedSubscription, type Look } from '#log/watched-subscription.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { START, type EventStore, type StoredEvent } from '#ports/event-store.ts';
import { createFeed } from '#log/feed.ts';
import { pause } from '#runtime/back-off.ts';
import { counted } from '#test/support/counting-shop.ts';
import { appendPlain, plainDecoder, shopClock, silentLog } from '#test/support/plain-log.ts';

const LOOK_MILLISECONDS = 5;
/** Many looks. */
const A_WHILE_MILLISECONDS = 15 * LOOK_MILLISECONDS;

/** Each subscription says one page, then nothing more, and stays open; all other calls are answered. */
const fallingSilent = (log: EventStore): EventStore & { readonly begun: readonly number[] } => {
  const begun: number[] = [];
  async function* subscribe(after: number, signal: AbortSignal): AsyncGenerator<readonly StoredEvent[]> {
    begun.push(after);
    const first = await log.subscribe(after, signal)[Symbol.asyncIterator]().next();
    if (!first.done) yield first.value;
    if (!signal.aborted) await once(signal, 'abort');
  }
  return { ...log, head: () => log.head(), readAll: log.readAll.bind(log), begun, subscribe };
};

describe('a subscription of the log that goes silent', () => {
  let log: EventStore;
  beforeEach(() => {
    log = createMemoryEventStore();
  });

  const append = (): Promise<number> => appendPlain(log, 'counter-1', [counted(1)]);

  const cases: readonly (readonly [string, Look | null, ReturnType<typeof afterLook>])[] = [
    ['was not looked at before', null, 'goes on'],
    ['has received something since', { received: 6, head: 9 }, 'goes on'],
    ['has received nothing for a while', { received: 7, head: null }, 'asks the log'],
    ['had received all there was', { received: 7, head: 7 }, 'asks the log'],
    ['follows a log that was restored to an older copy', { received: 7, head: 3 }, 'asks the log'],
    ['has received nothing although there was more', { received: 7, head: 9 }, 'is silent'],
  ];
  for (const [name, before, expected] of cases) {
    it(`${expected}: where it ${name}`, () => {
      expect(afterLook(before, 7)).to.equal(expected);
    });
  }

  it('is left for one that begins after the last event that came, as often as it takes', async () => {
    const silent = fallingSilent(log);
    const looks: Look[] = [];
    const received: number[] = [];
    const stop = new AbortController();
    const watched = { lookMilliseconds: LOOK_MILLISECONDS, onSilent: (look: Look) => void looks.push(look) };
    await append();
    for await (const page of watchedSubscription(silent, START, stop.signal, watched)) {
      received.push(...page.map(({ position }) => position));
      if (received.length < 3) await append();
      else stop.abort();
    }
    expect(received).to.deep.equal([1, 2, 3]);
    expect(silent.begun).to.deep.equal([START, 1, 2]);
    expect(looks).to.deep.equal([
      { received: 1, head: 2 },
      { received: 2, head: 3 },
    ]);
  });

  it('is left alone while its last page is in hand, and while the log does not answer', async () => {
    const silent = fallingSilent(log);
    let isAway = false;
    const away = {
      ...silent,
      head: async () => {
        if (isAway) throw new EngineUnavailable('away');
        return log.head();
      },
    };
    await append();
    const stop = new AbortController();
    const watched = { lookMilliseconds: LOOK_MILLISECONDS };
    const pages = watchedSubscription(away, START, stop.signal, watched)[Symbol.asyncIterator]();
    await pages.next();
    const end = await append();
    await pause(A_WHILE_MILLISECONDS);
    expect(silent.begun).to.deep.equal([START]);
    isAway = true;
    const next = pages.next();
    await pause(A_WHILE_MILLISECONDS);
    expect(silent.begun).to.deep.equal([START]);
    isAway = false;
    expect((await next).value?.map(({ position }) => position)).to.deep.equal([end]);
    stop.abort();
    expect((await pages.next()).done).to.equal(true);
  });

  it('stops no follower of the feed, and is counted', async () => {
    const feed = createFeed({
      ...{ store: fallingSilent(log), codec: plainDecoder(), clock: shopClock, log: silentLog },
      lookMilliseconds: LOOK_MILLISECONDS,
    });
    await feed.start();
    const following = feed.follow({ name: 'counter', after: START, handle: async () => undefined });
    for (let count = 0; count < 3; count++)
      expect(await following.waitFor(await append(), 2000)).to.equal(true);
    expect(feed.silences).to.equal(2);
    await feed.stop();
  });
});
