import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { openEventStoreDb } from '#adapters/eventstoredb/eventstoredb-event-store.ts';
import { defaultPatience, type Patience } from '#adapters/eventstoredb/patience.ts';
import { START, type EventStore } from '#ports/event-store.ts';
import { startTestEngine } from '#test/support/engine.ts';
import { EventStoreDoubleCluster } from '#test/support/eventstoredb/double-cluster.ts';
import { LogCrowd } from '#test/support/log-crowd.ts';
import { startOwnClock, type OwnClock } from '#test/support/own-clock.ts';

/** At a tenth of a shop's pace, so that there is time for many. */
const ROUNDS = Number(process.env['HANG_ROUNDS'] ?? 20);
const quick: Patience = { silenceMilliseconds: 150, againMilliseconds: 50, gossipMilliseconds: 150 };
const SOLD_AGAIN_WITHIN_MILLISECONDS = 3000;
const SLOWEST_ANSWER_MILLISECONDS = 7000;
const SHOPPERS = 6;

describe('F30: the leader of an EventStoreDB cluster hangs and keeps its connections', () => {
  let cluster: EventStoreDoubleCluster;
  let store: EventStore;
  let crowd: LogCrowd;
  let clock: OwnClock;
  const begin = async (patience: Patience): Promise<void> => {
    cluster = await new EventStoreDoubleCluster(3).start();
    store = await openEventStoreDb({ address: cluster.address, patience });
    const { another } = await startTestEngine();
    clock = startOwnClock();
    crowd = new LogCrowd(another({ store }), clock, SHOPPERS);
  };
  afterEach(async () => {
    clock.stop();
    await store.close();
    cluster.close();
  });

  /** The leader takes some last appends without a word, hangs, and after a while another leads. */
  const round = async (electionMilliseconds: number): Promise<number> => {
    await crowd.sells();
    cluster.leader.faults.isSilentAboutAppends = true;
    await pause(5);
    const old = cluster.hang();
    old.faults.isSilentAboutAppends = false;
    await pause(electionMilliseconds);
    cluster.elect();
    const elected = clock.now();
    await crowd.sells();
    const soldAfter = clock.now() - elected;
    await pause(20);
    cluster.comeBack(old);
    return soldAfter;
  };

  it(`${ROUNDS} times: sold again in time, nothing lost, nothing doubled, nothing missed by a follower`, async () => {
    await begin(quick);
    const stop = new AbortController();
    const seen: unknown[] = [];
    const following = (async () => {
      for await (const batch of store.subscribe(START, stop.signal)) seen.push(...batch);
    })();
    const shopping = crowd.shop();
    const soldAfter: number[] = [];
    for (let count = 0; count < ROUNDS; count++) soldAfter.push(await round(200));
    crowd.leave();
    await shopping;
    const sold = crowd.sold();
    console.log(
      `        ${sold} sold, ${crowd.refused} refused, slowest answer ${Math.round(crowd.slowestResponse)} ms, sold again after at most ${Math.round(Math.max(...soldAfter))} ms`,
    );
    await crowd.expectNothingLostOrDoubled(store);
    while (seen.length < sold) await pause(10);
    stop.abort();
    await following;
    expect(seen).to.have.length(sold);
    expect(Math.max(...soldAfter)).to.be.below(SOLD_AGAIN_WITHIN_MILLISECONDS);
    expect(crowd.slowestResponse).to.be.below(SLOWEST_ANSWER_MILLISECONDS);
  }).timeout(180_000 + ROUNDS * 5000);

  it("once at a shop's own pace", async () => {
    await begin(defaultPatience);
    const shopping = crowd.shop();
    const soldAfter = await round(2500);
    crowd.leave();
    await shopping;
    console.log(
      `        slowest answer ${Math.round(crowd.slowestResponse)} ms, sold again after ${Math.round(soldAfter)} ms`,
    );
    await crowd.expectNothingLostOrDoubled(store);
    expect(soldAfter).to.be.below(SOLD_AGAIN_WITHIN_MILLISECONDS);
    expect(crowd.slowestResponse).to.be.below(SLOWEST_ANSWER_MILLISECONDS);
  });
});
