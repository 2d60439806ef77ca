import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { Blow } from '#test/support/given-event-store.ts';
import { startOwnClock } from '#test/support/own-clock.ts';
import { startOwnEngines, type Outage, type OwnEngines } from '#test/support/own-engines.ts';
import { onStrike } from '#test/support/own-event-store.ts';
import { useShopOn } from '#test/support/service-processes.ts';
import { onServers } from '#test/support/shared-engines.ts';
import type { ApiResponse } from '#test/support/browser.ts';
import { Shopper } from '#test/support/shop.ts';
import { smallStore } from '#test/support/small-store.ts';
import { StormCrowd } from '#test/support/storm-crowd.ts';
import { startReceiver, type Receiver } from '#test/support/subscriber.ts';

/** How long each engine is away; half a minute for the record, less in everyday runs. */
const OUTAGE_SECONDS = Number(process.env['OUTAGE_SECONDS'] ?? 5);
const SEED = Number(process.env['STORM_SEED'] ?? Date.now() % 1_000_000);
/** Longer than any write is tried for, so that somebody must hear of it. */
const SURELY_REFUSED_SECONDS = 15;
const LONGEST_MILLISECONDS = 10_000;
const BACK_WITHIN_MILLISECONDS = 30_000;
/** An election included. */
const LED_AGAIN_WITHIN_MILLISECONDS = 30_000;
const SHOPPERS = 4;
/** Before each request: an engine that comes back wants a core, too. */
const THINKING_MILLISECONDS = 100;
/** So many more are watched once the shop takes writes again. */
const WRITES_AFTERWARDS = 5 * SHOPPERS;
const CODE = 'AWAY';
const topics = ['basket.updated', 'invoice.paid', 'order.created'];
const stock = { tea: null, mug: 100_000, plate: 100_000 };

/** What shoppers were answered while an engine was away. */
class Watch {
  taken = 0;
  readonly refusals = new Map<string, number>();
  slowest = 0;
  slowestPath = '';

  note(path: string, { status, body }: ApiResponse, milliseconds: number): void {
    if (milliseconds > this.slowest) this.slowestPath = `${path}: ${status}`;
    this.slowest = Math.max(this.slowest, milliseconds);
    if (status === 200) this.taken++;
    if (status < 500) return;
    const said = `${status} ${body?.message ?? ''}`;
    this.refusals.set(said, (this.refusals.get(said) ?? 0) + 1);
  }
}

class WatchedShopper extends Shopper {
  readonly #watch: () => Watch;

  constructor(base: string, watch: () => Watch) {
    super(base);
    this.#watch = watch;
  }

  override async call(...request: Parameters<Shopper['call']>): Promise<ApiResponse> {
    await pause(THINKING_MILLISECONDS);
    const clock = startOwnClock();
    const watch = this.#watch();
    try {
      const answer = await super.call(...request);
      watch.note(request[1], answer, clock.now());
      return answer;
    } finally {
      clock.stop();
    }
  }
}

const away = 'The shop cannot reach its storage at the moment. Please try again shortly.';

onServers((servers) => {
  describe(`F30: an engine is away for ${OUTAGE_SECONDS} s under load (STORM_SEED=${SEED})`, () => {
    let own: OwnEngines | null = null;
    let receiver: Receiver;
    let watch = new Watch();
    before(async function () {
      if (servers === 'embedded') return;
      own = await startOwnEngines();
      if (!own) this.skip();
    });
    const at = useShopOn(() => own?.servers ?? 'embedded', {
      replicas: { command: 2 },
      storeFile: smallStore({ stock, code: { code: CODE, totalUsageLimit: 100_000 } }),
    });
    before(async () => {
      receiver = await startReceiver();
      for (const topic of topics) await at.shop.subscribe(topic, receiver.url);
    });
    after(async () => {
      await receiver?.stop();
      await own?.dispose();
    });

    const crowd = new StormCrowd({
      shop: {
        ready: () => Promise.resolve(),
        shopper: () => new WatchedShopper(at.shop.url, () => watch),
      },
      shoppers: SHOPPERS,
      seed: SEED,
      stock,
      code: CODE,
    });

    /** What was answered meanwhile, and how long after its return the shop took a write again, in milliseconds. */
    const takeAway = (
      outage: Outage,
      meanwhile: () => Promise<unknown> = () => pause(OUTAGE_SECONDS * 1000),
    ): Promise<{ seen: Watch; awayFor: number; backAfter: number }> =>
      crowd.shopDuring(async (unlessComplaint) => {
        await unlessComplaint(crowd.acknowledges());
        const begun = performance.now();
        await outage.begin();
        const seen = (watch = new Watch());
        await unlessComplaint(meanwhile());
        await outage.end();
        const returned = performance.now();
        await unlessComplaint(Promise.race([crowd.acknowledges(), pause(BACK_WITHIN_MILLISECONDS)]));
        const backAfter = performance.now() - returned;
        await unlessComplaint(crowd.acknowledges(WRITES_AFTERWARDS));
        return { seen, awayFor: returned - begun, backAfter };
      });

    const isSurvived = (engine: string, how: string, find: () => Outage | undefined): void => {
      it(`${engine} ${how}: writes that cannot be taken are refused in time, and all goes on by itself`, async () => {
        const outage = find();
        if (!outage) return expect.fail('no such outage');
        const { seen, awayFor, backAfter } = await takeAway(outage);
        const settling = performance.now();
        await at.shop.passDeliveryWindow();
        await at.shop.settle();
        const settled = performance.now() - settling;
        console.log(
          `        away for ${(awayFor / 1000).toFixed(1)} s: ${seen.taken} taken, refused: ${JSON.stringify([...seen.refusals])}, slowest answer ${Math.round(seen.slowest)} ms (${seen.slowestPath}), taken again after ${Math.round(backAfter)} ms, at rest after ${Math.round(settled)} ms more`,
        );
        expect(seen.slowest).to.be.below(LONGEST_MILLISECONDS);
        expect(backAfter).to.be.below(BACK_WITHIN_MILLISECONDS);
        for (const refusal of seen.refusals.keys()) expect(refusal).to.equal(`503 ${away}`);
        // Nobody who buys needs the bus. What is away for a moment only may be waited for.
        if (engine === 'bus') expect(seen.refusals.size).to.equal(0);
        else if (OUTAGE_SECONDS >= SURELY_REFUSED_SECONDS) expect(seen.refusals.size).to.equal(1);
      }).timeout(180_000 + OUTAGE_SECONDS * 1000);
    };

    const eventStoreOutage = (blow: Blow): Outage => ({
      begin: () => at.engines.eventStore.strike(blow),
      end: () => at.engines.eventStore.mend(blow),
    });

    for (const engine of servers === 'embedded' ? [] : (['bus', 'document store'] as const))
      for (const how of ['stopped', 'frozen'] as const)
        isSurvived(engine, how, () => own?.outages[engine][how]);
    onStrike('kill', () => isSurvived('event store', 'stopped', () => eventStoreOutage('kill')));
    onStrike('freeze', () => isSurvived('event store', 'frozen', () => eventStoreOutage('freeze')));

    for (const blow of ['kill-leader', 'freeze-leader'] as const)
      onStrike(blow, () => {
        it(`event store, ${blow}: sells again before the old leader is back`, async () => {
          const { seen, awayFor } = await takeAway(eventStoreOutage(blow), async () => {
            const sold = crowd.acknowledges(WRITES_AFTERWARDS).then(() => true);
            const isSold = await Promise.race([sold, pause(LED_AGAIN_WITHIN_MILLISECONDS, false)]);
            if (!isSold) expect.fail(`no ${WRITES_AFTERWARDS} writes were taken without the old leader`);
          });
          console.log(
            `        the old leader was away for ${(awayFor / 1000).toFixed(1)} s, refused: ${JSON.stringify([...seen.refusals])}, slowest answer ${Math.round(seen.slowest)} ms (${seen.slowestPath})`,
          );
          expect(seen.slowest).to.be.below(LONGEST_MILLISECONDS);
          for (const refusal of seen.refusals.keys()) expect(refusal).to.equal(`503 ${away}`);
        });
      });

    it('nothing was lost and nothing doubled', async () => {
      const { problems, ...found } = await at.shop.audit(crowd.told, receiver.received);
      console.log(`        ${JSON.stringify(found)}, ${receiver.received.length} requests received`);
      expect(problems).to.deep.equal([]);
      expect(found.sales).to.equal(crowd.told.paidInvoices.length);
    });
  });
});
