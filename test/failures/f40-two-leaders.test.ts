import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { openEventStoreDb } from '#adapters/eventstoredb/eventstoredb-event-store.ts';
import type { Patience } from '#adapters/eventstoredb/patience.ts';
import { newId } from '#kernel/ids.ts';
import { NO_STREAM, type EventStore } from '#ports/event-store.ts';
import { startTestEngine } from '#test/support/engine.ts';
import { EventStoreDoubleCluster } from '#test/support/eventstoredb/double-cluster.ts';
import type { EventStoreDouble } from '#test/support/eventstoredb/double-server.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import { LogCrowd } from '#test/support/log-crowd.ts';
import { MortalShop } from '#test/support/mortal-shop.ts';
import type { Shopper } from '#test/support/shop.ts';
import { startOwnClock, type OwnClock } from '#test/support/own-clock.ts';

/** At a tenth of a shop's pace. */
const quick: Patience = { silenceMilliseconds: 200, againMilliseconds: 50, gossipMilliseconds: 150 };
const SOLD_AGAIN_WITHIN_MILLISECONDS = 3000;
const SLOWEST_ANSWER_MILLISECONDS = 7000;
const SHOPPERS = 64;
/** As long as a real cluster names two leaders. */
const BOTH_NAMED_MILLISECONDS = 1500;

/** What befalls the leader of today while the one of before is awake. */
const befalls = {
  nothing: () => undefined,
  'its connections are reset': async ({ leader }: EventStoreDoubleCluster) => {
    leader.stop();
    await leader.start();
  },
  'it stalls for a second': async ({ leader: { faults } }: EventStoreDoubleCluster) => {
    faults.freeze();
    await pause(1000);
    faults.thaw();
  },
} as const satisfies Readonly<Record<string, (cluster: EventStoreDoubleCluster) => unknown>>;

/** The order of things: the one of before wakes, and something befalls the one of today. */
const orders = {
  'first it wakes, then': ['wake', 'befall'],
  'it wakes after': ['befall', 'wake'],
} as const;

const proposed = () => ({
  id: newId(),
  type: 'StockAdjusted',
  contentType: 'application/json',
  data: Buffer.from('{}'),
  metadata: Buffer.from('{}'),
});

/** Asks until there is an answer: whatever else comes but 503 must be a success. */
const insistOn = async (ask: () => Promise<ApiResponse>): Promise<ApiResponse> => {
  for (;;) {
    const answer = await ask();
    if (answer.status === 200) return answer;
    if (answer.status !== 503) throw new Error(`${answer.status}: ${JSON.stringify(answer.body)}`);
  }
};

/** From an empty basket to a paid order; returns the invoice's id. */
const buyPatiently = async (shopper: Shopper, productId: string): Promise<string> => {
  const key = { 'Idempotency-Key': newId() };
  await insistOn(() => shopper.add(productId));
  await insistOn(() => shopper.giveAddress());
  await insistOn(() => shopper.initialize());
  const { body } = await insistOn(() => shopper.pay(key));
  const invoiceId = String(body['invoiceId']);
  const paid = await insistOn(() => shopper.payWith(invoiceId, 'tok_success', key));
  expect(paid.body).to.include({ success: true });
  return invoiceId;
};

/** The leader hangs with some appends that it was not heard of, and another is elected. Returns how it wakes. */
const replaceLeader = async (
  cluster: EventStoreDoubleCluster,
  tail: number,
  electionMilliseconds: number,
) => {
  cluster.leader.faults.isSilentAboutAppends = true;
  await pause(5);
  const old: EventStoreDouble = cluster.hang();
  old.faults.isSilentAboutAppends = false;
  const itsLog = cluster.log.fork();
  for (let count = 0; count < tail; count++) itsLog.append(`stock-${newId()}`, NO_STREAM, [proposed()]);
  await pause(electionMilliseconds);
  cluster.elect();
  return { old, wake: () => cluster.wakesAsLeader(old, itsLog) };
};

describe('F40: a leader of before wakes, and for a while all nodes of EventStoreDB name two', () => {
  let cluster: EventStoreDoubleCluster;
  let store: EventStore;
  let crowd: LogCrowd;
  let clock: OwnClock;
  beforeEach(async () => {
    cluster = await new EventStoreDoubleCluster(3).start();
    store = await openEventStoreDb({ address: cluster.address, patience: quick });
    const { another } = await startTestEngine();
    clock = startOwnClock();
    crowd = new LogCrowd(another({ store }), clock, SHOPPERS);
  });
  afterEach(async () => {
    clock.stop();
    await store.close();
    cluster.close();
  });

  for (const [when, steps] of Object.entries(orders)) {
    for (const [what, befall] of Object.entries(befalls)) {
      if (what === 'nothing' && steps[0] === 'befall') continue;
      for (const tail of [0, 40]) {
        it(`${when} ${what}, ${tail === 0 ? 'its log ends early' : 'its log has a tail of its own'}`, async () => {
          const shopping = crowd.shop();
          await crowd.sells();
          const { old, wake } = await replaceLeader(cluster, tail, 500);
          for (const step of steps) await (step === 'wake' ? wake() : befall(cluster));
          await pause(300);
          cluster.hearsOfElection(old);
          const agreed = clock.now();
          await crowd.sells();
          const soldAfter = clock.now() - agreed;
          await pause(50);
          crowd.leave();
          await shopping;
          await crowd.expectNothingLostOrDoubled(store);
          expect(soldAfter).to.be.below(SOLD_AGAIN_WITHIN_MILLISECONDS);
          expect(crowd.slowestResponse).to.be.below(SLOWEST_ANSWER_MILLISECONDS);
        });
      }
    }
  }
});

describe("F40 at a shop's own pace", () => {
  it('sells a purchase at each step, each once, and finds what it sold', async () => {
    const cluster = await new EventStoreDoubleCluster(3).start();
    const shop = await MortalShop.open({ EVENT_STORE: cluster.address });
    try {
      const tea = await shop.sell('tea', { price: 5 });
      const sold: string[] = [];
      const buy = async (): Promise<void> => {
        sold.push(await buyPatiently(shop.shopper(), tea));
      };
      await buy();
      const { old, wake } = await replaceLeader(cluster, 40, 2500);
      await buy();
      wake();
      const bothNamed = pause(BOTH_NAMED_MILLISECONDS);
      const whileBoth = buy();
      await befalls['its connections are reset'](cluster);
      await bothNamed;
      cluster.hearsOfElection(old);
      await Promise.all([whileBoth, buy()]);
      expect(await shop.soundSales()).to.equal(sold.length);
    } finally {
      await shop.close();
      cluster.close();
    }
  });
});
