import { setTimeout as pause } from 'node:timers/promises';
import { seeded } from '../../bench/shopper.ts';
import { smallStore } from './small-store.ts';
import { StormCrowd, type StormCrowdOptions } from './storm-crowd.ts';

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

/** Whom a storm kills and starts again. */
export interface Killable {
  kill(): Promise<void>;
  start(): Promise<void>;
}

export interface KillStormOptions<Victim> extends Omit<StormCrowdOptions, 'stock' | 'code'> {
  readonly rounds: number;
  /** By kind. In each round one is killed, of each kind in turn, so that a few rounds strike them all. */
  readonly victims: readonly (readonly Victim[])[];
}

export interface KillStorm<Victim> {
  readonly crowd: StormCrowd;
  readonly killed: readonly Victim[];
}

/** How long all of them live after they were ready. */
const lifeOf = (random: () => number): number => 50 + random() * 750;

/**
 * Kills and starts again and again while a crowd shops. In each round at least one write is acknowledged, and each
 * agent has bought something before the first.
 */
export const killInRounds = async <Victim extends Killable>(
  options: KillStormOptions<Victim>,
): Promise<KillStorm<Victim>> => {
  const { rounds, victims, seed } = options;
  const random = seeded(seed);
  const crowd = new StormCrowd({ ...options, stock, code });
  const killed = await crowd.shopDuring(async (unlessComplaint) => {
    const dead: Victim[] = [];
    await unlessComplaint(crowd.agentsHaveBought());
    const first = Math.floor(random() * victims.length);
    for (let round = 0; round < rounds; round++) {
      await unlessComplaint(Promise.all([crowd.acknowledges(), pause(lifeOf(random))]));
      const kind = victims[(first + round) % victims.length] ?? [];
      const victim = kind[Math.floor(random() * kind.length)];
      if (!victim) throw new Error('a storm needs a victim of each kind');
      dead.push(victim);
      await victim.kill();
      await victim.start();
    }
    return dead;
  });
  return { crowd, killed };
};
