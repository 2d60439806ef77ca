import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { openEventStoreDb } from '#adapters/eventstoredb/eventstoredb-event-store.ts';
import type { EventStore } from '#ports/event-store.ts';
import { services } from '#values/service.ts';
import { DistributedShop, sharedLog, sharedStores, type Replica } from '#test/support/distributed-shop.ts';
import { EventStoreDouble } from '#test/support/eventstoredb/double-server.ts';
import { appendPlain } from '#test/support/plain-log.ts';
import { startReceiver, type Receiver } from '#test/support/receiver.ts';
import type { ShopAt } from '#test/support/shop.ts';

/** A log that can be put back to an older copy while no process has it open. */
interface RestorableLog {
  open(): Promise<EventStore>;
  restoreTo(position: number): Promise<void>;
  close(): void;
}

/** Its positions are 1, 2, 3: whatever grows past a position has an event there. */
const inMemory = async (): Promise<RestorableLog> => {
  let log = sharedLog();
  return {
    open: () => Promise.resolve(log),
    restoreTo: async (position) => {
      const lost = log;
      log = sharedLog();
      for (const { stream, revision, position: at, ...event } of await wholeLog(lost))
        if (at <= position) await log.append(stream, revision - 1, [event]);
    },
    close: () => undefined,
  };
};

/** Its positions are bytes: what grows past a position may have it inside of a record. */
const inEventStoreDb = async (): Promise<RestorableLog> => {
  const double = await new EventStoreDouble().start();
  return {
    open: () => openEventStoreDb({ address: double.address }),
    restoreTo: async (position) => double.log.restoreTo(position),
    close: () => double.close(),
  };
};

const wholeLog = async (log: EventStore) => {
  const all = [...(await log.readAll(0))];
  for (let page = all; page.length > 0;) {
    page = [...(await log.readAll(all.at(-1)?.position ?? 0))];
    all.push(...page);
  }
  return all;
};

const foreign = (count: number) =>
  Array.from({ length: count }, () => ({ type: 'Foreign', data: { text: 'x'.repeat(1000) } }));

/** Appends events that the shop does not know until so many of them lie behind a position. */
const growPast = async (log: EventStore, position: number, count: number): Promise<void> => {
  let head = await log.head();
  while (head <= position) head = await appendPlain(log, 'foreign-1', foreign(1));
  for (let left = count - 1; left > 0; left -= 500)
    await appendPlain(log, 'foreign-1', foreign(Math.min(left, 500)));
};

const management = '/backoffice/api/v1';
const environment = {
  HOOKS_FILE: new URL('../support/owners-hooks.ts', import.meta.url).pathname,
};

const buy = async (at: ShopAt, productId: string): Promise<string> => {
  const shopper = at.shopper();
  await shopper.prepare(productId, 1, 'ada@example.com');
  const placed = await shopper.pay();
  expect(placed.status, JSON.stringify(placed.body)).to.equal(200);
  const paid = await shopper.payWith(placed.body.invoiceId as string);
  expect(paid.status, JSON.stringify(paid.body)).to.equal(200);
  return placed.body.invoiceId as string;
};

/** What a view says once it has been filled. */
const once = async (shop: ShopAt, path: string) => {
  for (;;) {
    const { status, body } = await shop.admin.get(`${management}${path}`);
    if (status === 200) return body;
    expect(status).to.equal(503);
    await pause(20);
  }
};

const stopAll = async (shop: DistributedShop): Promise<void> => {
  for (const service of services) for (const one of shop.replicas(service)) await shop.stop(one);
};

/** What of the dispatcher follows the log. */
const followers = ['webhook deliveries', 'hook handlers', 'mails', 'notices to agents'];

/** Why the dispatcher sends nothing, by what it is that waits. */
const waitingAt = async ({ at }: Replica): Promise<Readonly<Record<string, string>>> => {
  for (;;) {
    const { body } = await at.admin.get('/health/ready');
    const reasons = (body.reasons ?? []) as readonly { readonly name: string; readonly reason: string }[];
    const stopped = reasons.filter(({ reason }) => reason.startsWith('stopped'));
    if (stopped.length === followers.length)
      return Object.fromEntries(stopped.map(({ name, reason }) => [name, reason]));
    await pause(20);
  }
};

const engines = { 'with positions of its own': inMemory, 'of EventStoreDB': inEventStoreDb };

describe('F43 a log that was restored and then grew', () => {
  let log: RestorableLog;
  let receiver: Receiver;
  let shop: DistributedShop;
  afterEach(async () => {
    await shop.close();
    await receiver.close();
    log.close();
  });

  const open = async (openLog: () => Promise<RestorableLog>): Promise<void> => {
    log = await openLog();
    receiver = await startReceiver();
    const stores = sharedStores();
    shop = await DistributedShop.open({
      engines: async () => ({ store: await log.open(), ...stores }),
      environment,
    });
  };
  const told = (): number => receiver.requests.length;

  for (const [which, openLog] of Object.entries(engines)) {
    for (const growth of [1, 10, 10_000]) {
      it(`${which}, past its checkpoints by ${growth}: views begin again, nothing is sold from lost state, and the dispatcher asks`, async () => {
        await open(openLog);
        await shop.subscribe('order.created', receiver.url);
        const mug = await shop.sell('mug', { price: 10, stock: 3 });
        const [command] = shop.replicas('command') as readonly [Replica];
        const kept = await command.runtime.store.head();
        await shop.sell('tea', { price: 3 });
        for (let sold = 1; sold <= 3; sold++) await buy(shop, mug);
        await shop.settle();
        expect(told()).to.equal(3);
        const lost = await command.runtime.store.head();
        await stopAll(shop);

        await log.restoreTo(kept);
        const store = await log.open();
        await growPast(store, lost, growth);
        // The mugs are back. Where the lost sales counted, none would be left.
        const first = await shop.start('command');
        const invoiceId = await buy(first.at, mug);
        await shop.start('projection');
        const dispatcher = await shop.start('dispatcher');

        const orders = (await once(shop, '/orders')).items as readonly { id: string }[];
        expect(orders.map(({ id }) => id)).to.deep.equal([invoiceId]);
        const products = (await once(shop, '/products')).items as readonly { sku: string }[];
        expect(products).to.have.length(1);
        const waiting = await waitingAt(dispatcher);
        expect(Object.keys(waiting)).to.have.members(followers);
        for (const reason of Object.values(waiting)) expect(reason).to.include('tillroll dispatch resume');
        expect(told()).to.equal(3);

        const { body } = await shop.admin.post(`${management}/dispatch/resume`, { from: kept });
        expect(body).to.include({ after: kept });
        expect(body.resumed).to.have.members(followers);
        await shop.settle();
        expect(told()).to.equal(4);

        await stopAll(shop);
        for (const service of services) await shop.start(service);
        for (let sold = 2; sold <= 3; sold++) await buy(shop, mug);
        await shop.settle();
        expect(told()).to.equal(6);
        expect((await shop.shopper().add(mug)).status).to.equal(400);
        await store.close();
      });
    }
  }
});
