import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { stockDecider } from '#command/contexts/inventory/stock.decider.ts';
import { basketEvents } from '#events/basket.events.ts';
import { checkoutEvents } from '#events/checkout.events.ts';
import type { InventoryEvent } from '#events/inventory.events.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import { fold } from '#kernel/decider.ts';
import { evolve } from '#kernel/evolution.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { derivedId } from '#kernel/ids.ts';
import { laggingAmong } from '#http/testing.routes.ts';
import { loadConfig } from '#runtime/config.ts';
import { loadKeys } from '#runtime/keys.ts';
import { businessDay } from '#values/business-day.ts';
import { invoiceBalance } from '#values/invoice-balance.ts';
import { formatInvoiceNumber } from '#values/invoice-number.ts';
import { stockId } from '#values/stock-id.ts';
import { streamOf } from '#values/stream-name.ts';
import { addressOf, mugOrder, twoMugs } from '#test/support/builders/invoice.ts';
import { openEngines } from '../shared-kernel/open-engines.ts';
import { openShop, type Shop } from '../tillroll.ts';
import { openStoppedLog, type StoppedLog } from './stopped-log.ts';

/*
 * Appends orders that are not paid for to the log of a stopped shop: the events of placements without pricing, the
 * reservations by the rules of the stock. Then looks how long the shop takes to find none of them due.
 * `node produce-unpaid.ts <data folder> <orders> <how many of them are old> <minutes that these are older>
 * <file with product ids>`; APPLICATION_KEY is the shop's.
 */

const READY_MS = 1_800_000;
const CUSTOMERS = 1000;
const LOOKS = 9;
const QUANTITY = 2;
const visitor = { kind: 'visitor', id: null } as const;
/** As the import of the bench's store names it. */
const warehouseId = derivedId('warehouses', 'leeds');

const [, , dataDir = '', wanted = '', old = '', olderMinutes = '', productsFile = ''] = process.argv;
const productIds = JSON.parse(readFileSync(productsFile, 'utf8')) as readonly string[];
const orders = Number(wanted);
const now = Date.now();

/** An order by its number; neighbours are of different products. */
const orderOf = (number: number) => ({
  basketId: derivedId('bench basket', number),
  placementId: derivedId('bench placement', number),
  invoiceId: derivedId('bench invoice', number),
  invoiceNumber: formatInvoiceNumber('INV-', number),
  productId: productIds[number % productIds.length] ?? '',
  customerId: derivedId('bench customer', number % CUSTOMERS),
  createdAt: now - (number < Number(old) ? Number(olderMinutes) * 60_000 : 0),
});

type Order = ReturnType<typeof orderOf>;

const contentOf = ({ basketId, customerId, productId, createdAt }: Order): InvoiceContent => {
  const order = mugOrder(basketId);
  return twoMugs({
    ...{ basketId, customerId, discounts: [] },
    orders: [
      {
        ...order,
        orderId: derivedId('bench order', basketId),
        warehouseId,
        lines: order.lines.map((line) => ({ ...line, productId })),
      },
    ],
    createdAt: new Date(createdAt).toISOString(),
    businessDay: businessDay(createdAt, 'UTC'),
  });
};

const basketOf = (order: Order, content: InvoiceContent): readonly DomainEvent[] => {
  const { placementId, invoiceId, invoiceNumber, productId } = order;
  const { OrderPlacementStarted, OrderPlaced } = checkoutEvents.create;
  return [
    basketEvents.create.BasketStarted({
      currency: 'GBP',
      destination: { countryCode: 'GB', regionCode: null, postalCode: null },
    }),
    OrderPlacementStarted({
      ...{ placementId, invoiceId, supersededInvoiceId: null, invoiceNumbersRevision: -1 },
      ...{
        holds: [{ productId, warehouseId, quantity: QUANTITY }],
        discountClaims: [],
        discountReleases: [],
      },
      ...{ content, email: null, billingAddress: null, shippingAddress: null },
      openInvoices: { address: invoiceNumber, limit: 20 },
    }),
    OrderPlaced({ placementId, invoiceId, invoiceNumber }),
  ];
};

const invoiceOf = ({ placementId, invoiceNumber }: Order, content: InvoiceContent): DomainEvent => {
  const address = addressOf('Ada');
  return invoiceEvents.create.InvoiceCreated({
    ...{ placementId, invoiceNumber, content },
    ...{ email: 'ada@bench.example', billingAddress: address, shippingAddress: address },
    balance: invoiceBalance(content.amounts.total, 0, 0),
  });
};

/** What the orders of a product reserve, one after another. */
const reservations = (before: readonly DomainEvent[], place: number): readonly InventoryEvent[] => {
  const context = { now: new Date(now).toISOString(), lowStockThreshold: 0, passesOnDefault: () => null };
  let state = fold(stockDecider, before as readonly InventoryEvent[]);
  const reserved: InventoryEvent[] = [];
  for (let number = place; number < orders; number += productIds.length) {
    const { basketId, placementId } = orderOf(number);
    const command = { type: 'ReserveStock', basketId, placementId, quantity: QUANTITY } as const;
    const events = stockDecider.decide(state, command, context);
    for (const event of events) state = evolve(stockDecider.on, state, event);
    reserved.push(...events);
  }
  return reserved;
};

const place = async (log: StoppedLog, order: Order): Promise<void> => {
  const content = contentOf(order);
  await Promise.all([
    log.begin(streamOf.basket(order.basketId), basketOf(order, content), visitor),
    log.begin(streamOf.invoice(order.invoiceId), [invoiceOf(order, content)], visitor, {
      id: order.customerId,
    }),
  ]);
};

const reserve = (log: StoppedLog, place: number): Promise<void> => {
  const stream = streamOf.stock(stockId(productIds[place] ?? '', warehouseId));
  return log.goOn(stream, (before) => reservations(before, place), visitor);
};

const fillLog = async (): Promise<void> => {
  const log = await openStoppedLog(dataDir);
  await log.fill(Math.min(orders, productIds.length), (number) => reserve(log, number));
  await log.fill(orders, (number) => place(log, orderOf(number)));
  await log.close();
};

/** How long the job takes to find nothing, in milliseconds; its lease is not part of that. */
const lookForDue = async ({ command, runtime, services }: Shop): Promise<readonly number[]> => {
  const head = await runtime.store.head();
  await runtime.follower.waitFor(head, READY_MS);
  const followers = services.flatMap((service) => service.followers);
  const lagging = await laggingAmong(followers, head, READY_MS);
  if (lagging.length > 0) throw new Error(`behind the log: ${lagging.join(', ')}`);
  const job = command.jobs.find(({ name }) => name === 'release-reservations');
  const looks: number[] = [];
  for (let look = 0; look < LOOKS; look++) {
    const begun = performance.now();
    const summary = await job?.runOnce(runtime.clock.now());
    looks.push(performance.now() - begun);
    if (summary?.['expired'] !== 0) throw new Error(`something was due: ${JSON.stringify(summary)}`);
  }
  return looks;
};

const produce = async () => {
  await fillLog();
  const filledMs = Date.now() - now;
  const config = loadConfig({ env: { ...process.env, DATA_DIR: dataDir } });
  const log = pino({ level: 'warn' }, pino.destination(join(dataDir, 'produce.log')));
  const engines = await openEngines(config.engines);
  const shop = await openShop({ config, keys: loadKeys(config), engines, log });
  try {
    return { madeAt: now, filledMs, looks: await lookForDue(shop) };
  } finally {
    await shop.stop();
  }
};

produce().then(
  (result) => process.send?.({ result }),
  (error: unknown) => process.send?.({ error: error instanceof Error ? String(error.stack) : String(error) }),
);
process.on('disconnect', () => process.exit());
