import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { openEventStoreDb } from '#adapters/eventstoredb/eventstoredb-event-store.ts';
import { defaultPatience, type Patience } from '#adapters/eventstoredb/patience.ts';
import type { RunningCommandEngine } from '#command/engine/handle-command.ts';
import { newId } from '#kernel/ids.ts';
import { EngineUnavailable } from '#ports/engine-errors.ts';
import { START, type EventStore } from '#ports/event-store.ts';
import { anyMeta, startTestEngine } from '#test/support/engine.ts';
import { EventStoreDoubleCluster } from '#test/support/eventstoredb/double-cluster.ts';
import { startOwnClock, type OwnClock } from '#test/support/own-clock.ts';
import { tally } from '../unit/engine/tally.ts';

/** At a tenth of a shop's pace, so that there is time for many. */
const ROUNDS = Number(process.env['HANG_ROUNDS'] ?? 20);
const quick: Patience = { silenceMilliseconds: 150, againMilliseconds: 50, gossipMilliseconds: 150 };
const SOLD_AGAIN_WITHIN_MILLISECONDS = 3000;
const SLOWEST_ANSWER_MILLISECONDS = 7000;
const SHOPPERS = 6;

/** Shoppers who repeat what they were not told the outcome of, each on a stream of his own and on one for all. */
class Crowd {
  readonly shared = newId();
  readonly #engine: RunningCommandEngine;
  readonly #told = new Map<string, number>();
  readonly #leaving = new AbortController();
  readonly #clock: OwnClock;
  #wake: () => void = () => undefined;
  slowestAnswer = 0;
  refused = 0;

  constructor(engine: RunningCommandEngine, clock: OwnClock) {
    this.#engine = engine;
    this.#clock = clock;
  }

  shop(): Promise<unknown> {
    return Promise.all(Array.from({ length: SHOPPERS }, () => this.#shopper(newId())));
  }

  leave(): void {
    this.#leaving.abort();
  }

  /** Resolves with the next sale. */
  sells(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve));
  }

  /** Pieces that were sold, by stream, as far as shoppers were told. */
  get told(): ReadonlyMap<string, number> {
    return this.#told;
  }

  sold(): number {
    return this.#told.values().reduce((sum, count) => sum + count, 0);
  }

  async #shopper(own: string): Promise<void> {
    while (!this.#leaving.signal.aborted) {
      for (const id of [own, this.shared]) {
        const commandId = newId();
        while (!(await this.#take(id, commandId)));
        this.#told.set(id, (this.#told.get(id) ?? 0) + 1);
        this.#wake();
      }
      await pause(2);
    }
  }

  async #take(id: string, commandId: string): Promise<boolean> {
    const begun = this.#clock.now();
    try {
      await this.#engine.execute({
        decider: tally,
        id,
        command: { type: 'Take', pieces: 1 },
        context: () => Infinity,
        meta: anyMeta(commandId),
      });
      return true;
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error;
      this.refused++;
      return false;
    } finally {
      this.slowestAnswer = Math.max(this.slowestAnswer, this.#clock.now() - begun);
    }
  }
}

describe('F30: the leader of an EventStoreDB cluster hangs and keeps its connections', () => {
  let cluster: EventStoreDoubleCluster;
  let store: EventStore;
  let crowd: Crowd;
  let clock: OwnClock;
  const begin = async (patience: Patience): Promise<void> => {
    cluster = await new EventStoreDoubleCluster(3).start();
    store = await openEventStoreDb({ address: cluster.address, patience });
    const { another } = await startTestEngine();
    clock = startOwnClock();
    crowd = new Crowd(another({ store }), clock);
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

  const expectNothingLostOrDoubled = async (): Promise<void> => {
    for (const [id, count] of crowd.told) {
      const stream = `stock-${id}`;
      let held = 0;
      for (let page = await store.readStream(stream); page.length > 0;) {
        held += page.length;
        page = await store.readStream(stream, { fromRevision: held });
      }
      expect(held, stream).to.equal(count);
    }
    expect(await wholeLog(store)).to.have.length(crowd.sold());
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
      `        ${sold} sold, ${crowd.refused} refused, slowest answer ${Math.round(crowd.slowestAnswer)} ms, sold again after at most ${Math.round(Math.max(...soldAfter))} ms`,
    );
    await expectNothingLostOrDoubled();
    while (seen.length < sold) await pause(10);
    stop.abort();
    await following;
    expect(seen).to.have.length(sold);
    expect(Math.max(...soldAfter)).to.be.below(SOLD_AGAIN_WITHIN_MILLISECONDS);
    expect(crowd.slowestAnswer).to.be.below(SLOWEST_ANSWER_MILLISECONDS);
  }).timeout(180_000 + ROUNDS * 5000);

  it("once at a shop's own pace", async () => {
    await begin(defaultPatience);
    const shopping = crowd.shop();
    const soldAfter = await round(2500);
    crowd.leave();
    await shopping;
    console.log(
      `        slowest answer ${Math.round(crowd.slowestAnswer)} ms, sold again after ${Math.round(soldAfter)} ms`,
    );
    await expectNothingLostOrDoubled();
    expect(soldAfter).to.be.below(SOLD_AGAIN_WITHIN_MILLISECONDS);
    expect(crowd.slowestAnswer).to.be.below(SLOWEST_ANSWER_MILLISECONDS);
  });
});

const wholeLog = async (store: EventStore): Promise<readonly unknown[]> => {
  const all = [];
  for (let page = await store.readAll(START); page.length > 0;) {
    all.push(...page);
    page = await store.readAll(page.at(-1)?.position ?? START);
  }
  return all;
};
