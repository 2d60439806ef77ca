import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { seeded } from '../../bench/shopper.ts';
import { auditDeliveries } from '../support/audit-deliveries.ts';
import { auditLists } from '../support/audit-lists.ts';
import { stormStore, stormTopics } from '../support/kill-storm.ts';
import type { FaultFinding } from './fault.ts';
import { ShopProcess } from '../support/shop-process.ts';
import { variantId } from '../support/small-store.ts';
import { StormCrowd } from '../support/storm-crowd.ts';
import { createStormStaff } from '../support/storm-staff.ts';
import { startReceiver } from '../support/subscriber.ts';

export interface EverythingFinding extends FaultFinding {
  readonly kills: number;
  /** What staff have done, by kind. */
  readonly staff: Readonly<Record<string, number>>;
}

const stock = { tea: null, mug: 100_000, plate: 40, vase: 10 };
/** Between two kills, in the life of a process that was ready. */
const lifeOf = (random: () => number): number => 2000 + random() * 8000;

/**
 * Shoppers, staff, product files, callbacks and webhooks at once, and `kill -9` every few seconds, for so long. Then
 * the shop's books, views, counters, lists and deliveries are held against its log.
 */
export const everythingAtOnce = async (
  seconds: number,
  seed: number,
  onKill: (kills: number) => void = () => undefined,
): Promise<EverythingFinding> => {
  const receiver = await startReceiver();
  const env = { ALLOW_LOOPBACK_TARGETS: 'true', Payments__CallbacksPerMinute: '0' };
  const shop = await ShopProcess.open({ storeFile: stormStore, env });
  try {
    for (const topic of stormTopics) await shop.subscribe(topic, receiver.url);
    const random = seeded(seed);
    const crowd = new StormCrowd({ shop, money: shop, shoppers: 5, seed, stock, code: 'STORM' });
    const staff = [1, 2].map((one) =>
      createStormStaff({ shop, productId: variantId('tea'), random: seeded(seed + 100 + one) }),
    );
    let isOver = false;
    let kills = 0;
    let slowest = 0;
    const working = Promise.all(staff.map(({ workUntil }) => workUntil(() => isOver)));
    working.catch(() => (isOver = true));
    await crowd.shopDuring(async (unlessComplaint) => {
      const until = performance.now() + seconds * 1000;
      while (performance.now() < until && !isOver) {
        await unlessComplaint(Promise.all([crowd.acknowledges(), pause(lifeOf(random))]));
        await shop.kill();
        onKill(++kills);
        const killedAt = performance.now();
        await shop.start();
        slowest = Math.max(slowest, performance.now() - killedAt);
      }
    });
    isOver = true;
    await working;
    await shop.settle();
    const lists = await auditLists(shop.admin);
    const { problems } = await shop.audit(crowd.told);
    const deliveries = await auditDeliveries(shop.dataDir, receiver.received);
    const done: Record<string, number> = {};
    for (const one of staff)
      for (const [kind, count] of Object.entries(one.done)) done[kind] = (done[kind] ?? 0) + count;
    return {
      acknowledged: crowd.acknowledged,
      resumedMs: slowest,
      kills,
      staff: done,
      problems: [...lists, ...problems, ...deliveries.problems],
    };
  } finally {
    await shop.close();
    await receiver.stop();
    rmSync(shop.dataDir, { recursive: true, force: true });
  }
};
