import { join } from 'node:path';
import { pino } from 'pino';
import { basketStream } from '#command/contexts/basket/basket-evolution.state.ts';
import type { BasketStreamEvent } from '#command/contexts/basket/basket.state.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { basketEvents } from '#events/basket.events.ts';
import { checkoutEvents } from '#events/checkout.events.ts';
import { noTotals } from '#events/basket-view.ts';
import type { Decider } from '#kernel/decider.ts';
import { newId } from '#kernel/ids.ts';
import { loadConfig } from '#runtime/config.ts';
import { loadKeys } from '#runtime/keys.ts';
import { lineOf } from '#test/support/builders/basket.ts';
import { watchingTheLoop } from '#test/support/watched-loop.ts';
import { openEngines } from '../shared-kernel/open-engines.ts';
import { openShop, type Shop } from '../tillroll.ts';

/*
 * Fills a log with checkouts in progress, the quick way: without pricing and without HTTP, but through the command
 * engine, as the shop itself would have written them. Then lets the job find those that are due.
 * `node find-abandoned.ts <data folder> <checkouts> <how many of them are due>`. APPLICATION_KEY is the shop's.
 */

const AT_ONCE = 200;
const READY_MS = 600_000;
const HOUR = 3_600_000;

interface Pass {
  readonly ms: number;
  readonly longestTurn: number;
  readonly abandoned: number;
}

/** A pass with nothing due, and one that finds those that are. */
export interface Detection {
  readonly idle: Pass;
  readonly found: Pass;
}

interface Write {
  readonly type: 'Write';
  readonly events: readonly BasketStreamEvent[];
}

const baskets: Decider<ReturnType<typeof basketStream.initial>, Write, BasketStreamEvent> = {
  ...basketStream,
  decide: (_, { events }) => [...events],
};

const [, , dataDir = '', wanted = '', due = ''] = process.argv;

const meta = (): CommandMeta => {
  const correlationId = newId();
  return { correlationId, causationId: correlationId, actor: { kind: 'visitor', id: null } };
};

const begin = async ({ command }: Shop, number: number): Promise<void> => {
  const destination = { countryCode: 'GB', regionCode: null, postalCode: null };
  const totals = { ...noTotals, subTotal: 1000, total: 1000 };
  const line = lineOf(`mug ${number % 1000}`);
  const figures = { unitPrice: 1000, isTaxable: false, taxRate: 0, discount: 0, tax: 0 };
  const changedLines = [{ lineId: line.lineId, ...figures }];
  const at = new Date().toISOString();
  const session = { at, begins: true } as const;
  const opens = { at, day: at.slice(0, 10), lineCount: 1, total: totals.total, displayCurrency: 'USD' };
  await command.deps.commands.execute({
    decider: baskets,
    id: newId(),
    command: {
      type: 'Write',
      events: [
        basketEvents.create.BasketStarted({ currency: 'USD', destination }),
        basketEvents.create.BasketLineAdded({
          ...{ line, quantity: 1, itemCount: 1 },
          pricing: { totals, discounts: [], changedLines },
        }),
        checkoutEvents.create.CheckoutEmailCaptured({
          email: `shopper-${number}@bench.example`,
          opens,
          session,
        }),
      ],
    },
    context: () => undefined,
    meta: meta(),
    isNewId: true,
  });
};

const beginAll = async (shop: Shop, from: number, to: number): Promise<void> => {
  let next = from;
  const work = async (): Promise<void> => {
    for (let number = next++; number < to; number = next++) {
      await begin(shop, number);
      if (number % 1000 === 0) process.send?.({ progress: number / Number(wanted) });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
};

/** One pass of the job at an instant, and the longest that it held the event loop; milliseconds. */
const pass = async ({ command }: Shop, now: number): Promise<Pass> => {
  const job = command.jobs.find(({ name }) => name === 'detect-abandoned');
  const begun = performance.now();
  const { answer, longestTurn } = await watchingTheLoop(async () => job?.runOnce(now));
  return { ms: performance.now() - begun, longestTurn, abandoned: Number(answer?.['abandoned']) };
};

const find = async (): Promise<Detection> => {
  const config = loadConfig({ env: { ...process.env, DATA_DIR: dataDir } });
  const log = pino({ level: 'warn' }, pino.destination(join(dataDir, 'find.log')));
  const engines = await openEngines(config.engines);
  const shop = await openShop({ config, keys: loadKeys(config), engines, log });
  /** Views and deliveries, too: what they still have to catch up with would be counted as the job's. */
  const reached = async (): Promise<void> => {
    const head = await shop.runtime.store.head();
    await shop.runtime.follower.waitFor(head, READY_MS);
    const followers = shop.services.flatMap((service) => service.followers);
    await Promise.all(followers.map((follower) => follower.waitFor(head, READY_MS)));
  };
  try {
    await reached();
    await beginAll(shop, 0, Number(due));
    const youngAt = Date.now() + 1;
    await beginAll(shop, Number(due), Number(wanted));
    await reached();
    // The first pass puts all of them in the order in which they are due.
    await pass(shop, youngAt);
    const idle = await pass(shop, youngAt);
    return { idle, found: await pass(shop, youngAt + HOUR) };
  } finally {
    await shop.stop();
  }
};

find().then(
  (result) => process.send?.({ result }),
  (error: unknown) => process.send?.({ error: error instanceof Error ? String(error.stack) : String(error) }),
);
process.on('disconnect', () => process.exit());
