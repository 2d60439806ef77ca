import { setTimeout as pause } from 'node:timers/promises';
import { seeded } from '../../bench/shopper.ts';
import { smallStore } from './small-store.ts';
import { StormCrowd, type StormCrowdOptions } from './storm-crowd.ts';
import type { TillrollProcess } from './tillroll-process.ts';

const stock = { tea: null, mug: 100_000, plate: 40, vase: 10 };
const code = 'STORM';

/** What the shop sells in a storm of kills: enough of some, too little of others. */
export const stormStore = smallStore({ stock, code: { code, totalUsageLimit: 25 } });
/** What its receiver has subscribed to. */
export const stormTopics = [
  'basket.created',
  'basket.updated',
  'invoice.created',
  'invoice.paid',
  'order.created',
];

export interface KillStormOptions<Process> extends Omit<StormCrowdOptions, 'stock' | 'code'> {
  readonly rounds: number;
  /** One of them is killed in each round. */
  readonly victims: readonly Process[];
}

export interface KillStorm<Process> {
  readonly crowd: StormCrowd;
  readonly killed: readonly Process[];
}

/** How long all of them live after they were ready. */
const lifeOf = (random: () => number): number => 50 + random() * 750;

/** Kills and starts again and again while a crowd shops. In each round at least one write is acknowledged. */
export const killInRounds = async <Process extends TillrollProcess>(
  options: KillStormOptions<Process>,
): Promise<KillStorm<Process>> => {
  const { rounds, victims, seed } = options;
  const random = seeded(seed);
  const crowd = new StormCrowd({ ...options, stock, code });
  const killed = await crowd.shopDuring(async (unlessComplaint) => {
    const dead: Process[] = [];
    for (let round = 0; round < rounds; round++) {
      await unlessComplaint(Promise.all([crowd.acknowledges(), pause(lifeOf(random))]));
      const victim = victims[Math.floor(random() * victims.length)];
      if (!victim) throw new Error('a storm needs somebody to kill');
      dead.push(victim);
      await victim.kill();
      await victim.start();
    }
    return dead;
  });
  return { crowd, killed };
};
