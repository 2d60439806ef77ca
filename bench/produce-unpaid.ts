import { stockStream } from '#command/contexts/inventory/stock.stream.ts';
import { stockId } from '#values/stock-id.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { basketStream } from '#command/contexts/basket/basket-evolution.state.ts';
import type { BasketStreamEvent } from '#command/contexts/basket/basket.state.ts';
import { invoiceSubject, initialInvoice, onInvoiceEvents } from '#command/contexts/invoices/invoice.state.ts';
import type { InvoiceState } from '#command/contexts/invoices/invoice.state.ts';
import type { CommandMeta } from '#command/engine/command-engine.ts';
import { basketEvents } from '#events/basket.events.ts';
import { checkoutEvents } from '#events/checkout.events.ts';
import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import type { InvoiceContent } from '#events/invoice.fields.ts';
import type { Decider } from '#kernel/decider.ts';
import { derivedId, newId } from '#kernel/ids.ts';
import { loadConfig } from '#runtime/config.ts';
import { loadKeys } from '#runtime/keys.ts';
import { businessDay } from '#values/business-day.ts';
import { formatInvoiceNumber } from '#values/invoice-number.ts';
import { addressOf, mugOrder, twoMugs } from '#test/support/builders/invoice.ts';
import { openEngines } from '../shared-kernel/open-engines.ts';
import { openShop, type Shop } from '../tillroll.ts';

/*
 * Fills a log with orders that nobody has paid, the quick way: without pricing and without HTTP, but through the
 * command engine, as the shop itself would have written them. `node produce-unpaid.ts <data folder> <orders> <how many
 * of them are old> <minutes that these are older> <file with product ids>`. APPLICATION_KEY is the shop's.
 */

const AT_ONCE = 200;
const REPORT_EVERY_MS = 1000;
const READY_MS = 60_000;
const CUSTOMERS = 1000;
const LOOKS = 9;

interface Write<Event> {
  readonly type: 'Write';
  readonly events: readonly Event[];
}

const baskets: Decider<
  ReturnType<typeof basketStream.initial>,
  Write<BasketStreamEvent>,
  BasketStreamEvent
> = {
  ...basketStream,
  decide: (_, { events }) => [...events],
};

const invoices: Decider<InvoiceState, Write<InvoiceEvent>, InvoiceEvent> = {
  category: 'invoice',
  initial: initialInvoice,
  decide: (_, { events }) => [...events],
  on: onInvoiceEvents,
  remembersCommands: true,
  subject: invoiceSubject,
};

const [, , dataDir = '', wanted = '', old = '', olderMinutes = '', productsFile = ''] = process.argv;
const productIds = JSON.parse(readFileSync(productsFile, 'utf8')) as readonly string[];

const meta = (): CommandMeta => {
  const correlationId = newId();
  return { correlationId, causationId: correlationId, actor: { kind: 'visitor', id: null } };
};

const contentOf = (
  basketId: string,
  productId: string,
  warehouseId: string,
  createdAt: number,
): InvoiceContent => {
  const order = mugOrder(basketId);
  return twoMugs({
    basketId,
    customerId: derivedId('bench customer', productIds.indexOf(productId) % CUSTOMERS),
    discounts: [],
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

const place = async ({ command, runtime }: Shop, number: number, createdAt: number): Promise<void> => {
  const { deps } = command;
  const warehouse = runtime.reference.shipping.warehouses().find(({ name }) => name.startsWith('Leeds'));
  const warehouseId = warehouse?.id ?? '';
  const productId = productIds[number % productIds.length] ?? '';
  const [basketId, placementId, invoiceId] = [newId(), newId(), newId()];
  const content = contentOf(basketId, productId, warehouseId, createdAt);
  const invoiceNumber = formatInvoiceNumber('INV-', number);
  const hold = { productId, warehouseId, quantity: 2 };
  const who = {
    email: 'ada@bench.example',
    billingAddress: addressOf('Ada'),
    shippingAddress: addressOf('Ada'),
  };
  const { OrderPlacementStarted, OrderPlaced } = checkoutEvents.create;
  const started = OrderPlacementStarted({
    ...{ placementId, invoiceId, supersededInvoiceId: null, invoiceNumbersRevision: -1 },
    ...{ holds: [hold], discountClaims: [], discountReleases: [], content },
    ...{ email: null, billingAddress: null, shippingAddress: null },
    openInvoices: { address: `bench-${number}`, limit: 20 },
  });
  const destination = { countryCode: 'GB', regionCode: null, postalCode: null };
  const write = (events: readonly BasketStreamEvent[], isNewId: boolean) =>
    deps.commands.execute({
      decider: baskets,
      id: basketId,
      command: { type: 'Write', events },
      context: () => undefined,
      meta: meta(),
      isNewId,
    });
  await write([basketEvents.create.BasketStarted({ currency: 'GBP', destination }), started], true);
  const reserve = { type: 'ReserveStock', basketId, placementId, quantity: hold.quantity } as const;
  await deps.streams.send(stockStream, stockId(productId, warehouseId), reserve, meta());
  const balance = {
    ...{ amountPaid: 0, amountRefunded: 0, creditDue: 0, givenBack: 0 },
    balanceDue: content.amounts.total,
  };
  await deps.commands.execute({
    decider: invoices,
    id: invoiceId,
    command: {
      type: 'Write',
      events: [
        invoiceEvents.create.InvoiceCreated({
          ...{ placementId, invoiceNumber, content },
          ...who,
          balance: { ...balance, paymentStatus: 'Unpaid' },
        }),
      ],
    },
    context: () => undefined,
    meta: meta(),
    isNewId: true,
  });
  await write([OrderPlaced({ placementId, invoiceId, invoiceNumber })], false);
};

/** How long the job takes to find nothing, in milliseconds; its lease is somebody else's work. */
const lookForDue = async ({ command, runtime }: Shop): Promise<readonly number[]> => {
  await runtime.follower.waitFor(await runtime.store.head(), READY_MS);
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

const produce = async (): Promise<{ readonly looks: readonly number[] }> => {
  const config = loadConfig({ env: { ...process.env, DATA_DIR: dataDir } });
  const log = pino({ level: 'warn' }, pino.destination(join(dataDir, 'produce.log')));
  const engines = await openEngines(config.engines);
  const shop = await openShop({ config, keys: loadKeys(config), engines, log });
  await shop.runtime.follower.waitFor(await shop.runtime.store.head(), READY_MS);
  const now = Date.now();
  const orders = Number(wanted);
  let next = 0;
  const report = setInterval(() => process.send?.({ progress: next / orders }), REPORT_EVERY_MS);
  const work = async (): Promise<void> => {
    for (let number = next++; number < orders; number = next++) {
      const age = number < Number(old) ? Number(olderMinutes) * 60_000 : 0;
      await place(shop, number, now - age);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return { looks: await lookForDue(shop) };
  } finally {
    clearInterval(report);
    await shop.stop();
  }
};

produce().then(
  (result) => process.send?.({ result }),
  (error: unknown) => process.send?.({ error: error instanceof Error ? String(error.stack) : String(error) }),
);
process.on('disconnect', () => process.exit());
