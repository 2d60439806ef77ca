import { execFileSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { auditLists } from '../support/audit-lists.ts';
import type { Acknowledged } from '../support/audit-shop.ts';
import { stormStore } from '../support/kill-storm.ts';
import { ShopProcess, type ShopProcessOptions } from '../support/shop-process.ts';
import { variantId } from '../support/small-store.ts';
import { StormCrowd } from '../support/storm-crowd.ts';

/** What a fault came to. */
export interface FaultFinding {
  /** Writes that shoppers were told of. */
  readonly acknowledged: number;
  /** From the end of the fault until something was sold again. */
  readonly resumedMs: number;
  /** What was lost, doubled, stuck or wrong, in words. */
  readonly problems: readonly string[];
}

/** Something that a machine does to a shop while people shop there. */
export interface MachineFault {
  readonly name: string;
  /** What happens, as a line of a table. */
  readonly what: string;
  /** Why it cannot be had here; null where it can. */
  readonly missing: () => string | null;
  /** `seconds`: how long it lasts. */
  readonly run: (seconds: number) => Promise<FaultFinding>;
}

export const PATIENCE_MS = 60_000;
const SHOPPERS = 4;
const stock = { tea: null, mug: 100_000, plate: 40, vase: 10 };

export const settings = { storeFile: stormStore, env: { Payments__CallbacksPerMinute: '0' } };

export const open = (more: ShopProcessOptions = {}): Promise<ShopProcess> =>
  ShopProcess.open({ ...settings, ...more, env: { ...settings.env, ...more.env } });

export const crowdIn = (shop: ShopProcess): StormCrowd =>
  new StormCrowd({
    shop,
    money: shop,
    shoppers: SHOPPERS,
    seed: Date.now() % 1_000_000,
    stock,
    code: 'STORM',
  });

/** Until the log has refused something, and the shop says so. */
export const untilFelt = async (shop: ShopProcess): Promise<void> => {
  // It is tried for seconds before it is refused: nobody waits for that here.
  const trying = shop.shopper().add(variantId('tea'));
  trying.catch(() => undefined);
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    const { status } = await shop.tester.get('/health/ready');
    if (status === 503) return;
    await pause(50);
  }
  throw new Error('the fault was not felt: the shop was ready all the time');
};

interface Strike {
  /** Resolves once it is felt. */
  readonly begin: () => Promise<void>;
  readonly end: () => Promise<void>;
}

/** People shop, it strikes, it ends, they go on; then everything is held against the log. */
export const whileShopping = async (
  shop: ShopProcess,
  seconds: number,
  { begin, end }: Strike,
): Promise<FaultFinding> => {
  const crowd = crowdIn(shop);
  const resumedMs = await crowd.shopDuring(async (unlessComplaint) => {
    await unlessComplaint(crowd.acknowledges(40));
    try {
      await begin();
      await unlessComplaint(pause(seconds * 1000));
    } finally {
      await end();
    }
    const endedAt = performance.now();
    await unlessComplaint(crowd.acknowledges(SHOPPERS));
    const resumed = performance.now() - endedAt;
    await unlessComplaint(crowd.acknowledges(40));
    return resumed;
  });
  return { acknowledged: crowd.acknowledged, resumedMs, problems: await problemsOf(shop, crowd.told) };
};

const problemsOf = async (shop: ShopProcess, told: Acknowledged): Promise<readonly string[]> => {
  await shop.settle();
  const lists = await auditLists(shop.admin);
  return [...lists, ...(await shop.audit(told)).problems];
};

export const closing = async <Done>(
  shop: ShopProcess,
  work: (shop: ShopProcess) => Promise<Done>,
): Promise<Done> => {
  try {
    return await work(shop);
  } finally {
    await shop.close();
  }
};

/** For what every machine can have. */
export const always = (): null => null;

/** Whether a command is there and does what it is asked. */
export const works = (command: string, ...args: readonly string[]): boolean => {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
