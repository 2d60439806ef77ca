import { join } from 'node:path';
import { pino } from 'pino';
import { initialInvoice, invoiceSubject, onInvoiceEvents } from '#command/contexts/invoices/invoice.state.ts';
import type { InvoiceState } from '#command/contexts/invoices/invoice.state.ts';
import { invoiceEvents, type InvoiceEvent } from '#events/invoice.events.ts';
import type { InvoiceContent, OrderStatus } from '#events/invoice.fields.ts';
import type { Decider } from '#kernel/decider.ts';
import { derivedId, newId } from '#kernel/ids.ts';
import { loadConfig } from '#runtime/config.ts';
import { loadKeys } from '#runtime/keys.ts';
import { businessDay } from '#values/business-day.ts';
import { invoiceBalance } from '#values/invoice-balance.ts';
import { formatInvoiceNumber } from '#values/invoice-number.ts';
import { addressOf, mugOrder, twoMugs } from '#test/support/builders/invoice.ts';
import { openEngines } from '../shared-kernel/open-engines.ts';
import { openShop, type Shop } from '../tillroll.ts';

/*
 * Fills a log with invoices of a year in every status, the quick way: without pricing and without HTTP, but through the
 * command engine, as the shop itself would have written them. `node produce-orders.ts <data folder> <orders>`.
 * APPLICATION_KEY is the shop's.
 */

const AT_ONCE = 200;
const REPORT_EVERY_MS = 1000;
const READY_MS = 60_000;
const CUSTOMERS = 5000;
const DAY = 86_400_000;
const YEAR = 365 * DAY;

interface Write {
  readonly type: 'Write';
  readonly events: readonly InvoiceEvent[];
}

const invoices: Decider<InvoiceState, Write, InvoiceEvent> = {
  category: 'invoice',
  initial: initialInvoice,
  decide: (_, { events }) => [...events],
  on: onInvoiceEvents,
  remembersCommands: true,
  subject: invoiceSubject,
};

const [, , dataDir = '', wanted = ''] = process.argv;
const firstNames = 'Ada Bob Cleo Dan Eve Finn Gus Hal Ida Jo'.split(' ');
const lastNames = 'Ashby Barlow Carver Denholm Fenwick Garland Hartley Keswick Larkin Marlow Norwood'.split(
  ' ',
);

/** What becomes of an order by its number: most are paid, some are under way or done, few are anything else. */
const fateOf = (number: number): readonly OrderStatus[] => {
  if (number % 9 === 0) return ['Shipped', 'Completed'];
  if (number % 4 === 0) return ['Processing', 'Shipped'];
  if (number % 41 === 0) return ['OnHold'];
  if (number % 307 === 0) return ['FulfilmentFailed'];
  return number % 5 === 0 ? ['Processing'] : [];
};

const contentOf = (number: number, createdAt: number): InvoiceContent => {
  const quantity = 1 + (number % 7);
  const total = 640 + quantity * 1000;
  const amounts = { subTotal: quantity * 1000, discount: 0, shipping: 400, tax: 240, total };
  const order = mugOrder(`order ${number}`);
  return twoMugs({
    basketId: newId(),
    customerId: derivedId('bench customer', number % CUSTOMERS),
    discounts: [],
    ...{ amounts, amountsInStoreCurrency: amounts, itemCount: quantity },
    orders: [{ ...order, orderId: newId(), lines: order.lines.map((line) => ({ ...line, quantity })) }],
    ...(number % 10 === 3 && { accountTerms: { dueDate: new Date(createdAt + 30 * DAY).toISOString() } }),
    createdAt: new Date(createdAt).toISOString(),
    businessDay: businessDay(createdAt, 'UTC'),
  });
};

const eventsOf = (number: number, createdAt: number): readonly InvoiceEvent[] => {
  const { InvoiceCreated, InvoiceCancelled, PaymentCaptured, OrderStatusChanged, SaleConfirmed } =
    invoiceEvents.create;
  const content = contentOf(number, createdAt);
  const { total } = content.amounts;
  const orderId = content.orders[0]?.orderId ?? '';
  const name = `${firstNames[number % firstNames.length]} ${lastNames[number % lastNames.length]}`;
  const at = new Date(createdAt + 60_000).toISOString();
  const invoiceName = {
    invoiceNumber: formatInvoiceNumber('INV-', number + 1),
    businessDay: content.businessDay,
  };
  const [unpaid, paid] = [invoiceBalance(total, 0, 0), invoiceBalance(total, total, 0)];
  const person = { email: `${name.replace(' ', '.').toLowerCase()}@bench.example` };
  const moved = (from: OrderStatus, to: OrderStatus) =>
    OrderStatusChanged({ ...invoiceName, orderId, from, to });
  const address = addressOf(name);
  const placed = InvoiceCreated({
    ...{ placementId: newId(), invoiceNumber: invoiceName.invoiceNumber, content, balance: unpaid },
    ...{ ...person, billingAddress: address, shippingAddress: address },
  });
  if (number % 13 === 0) {
    const cancelled = InvoiceCancelled({
      ...{ ...invoiceName, reason: 'expired', cancelledAt: at, balance: invoiceBalance(0, 0, 0) },
    });
    return number % 2 === 0 ? [placed] : [placed, cancelled, moved('Pending', 'Cancelled')];
  }
  const isOnAccount = content.accountTerms !== undefined;
  const captured = PaymentCaptured({
    ...{ ...invoiceName, attemptId: null, paymentId: newId(), provider: 'manual', method: 'manual' },
    ...{ transactionId: `bench-${number}`, amount: total, amountInStoreCurrency: total, currency: 'GBP' },
    ...{ formData: null, paidAt: at, balance: paid },
  });
  const confirmed = SaleConfirmed({
    ...{ invoiceNumber: invoiceName.invoiceNumber, content, balance: isOnAccount ? unpaid : paid, ...person },
    ...{ customerName: name, orderStatuses: { [orderId]: 'ReadyToFulfill' } },
    confirmedAt: at,
  });
  const sold = [...(isOnAccount ? [] : [captured]), moved('Pending', 'ReadyToFulfill'), confirmed];
  const fate = fateOf(number);
  return [placed, ...sold, ...fate.map((to, index) => moved(fate[index - 1] ?? 'ReadyToFulfill', to))];
};

const place = ({ command }: Shop, number: number, createdAt: number) => {
  const correlationId = newId();
  return command.deps.commands.execute({
    decider: invoices,
    id: newId(),
    command: { type: 'Write', events: eventsOf(number, createdAt) },
    context: () => undefined,
    meta: { correlationId, causationId: correlationId, actor: { kind: 'visitor', id: null } },
    isNewId: true,
  });
};

const produce = async (): Promise<{ readonly orders: number }> => {
  const config = loadConfig({ env: { ...process.env, DATA_DIR: dataDir } });
  const log = pino({ level: 'warn' }, pino.destination(join(dataDir, 'produce.log')));
  const engines = await openEngines(config.engines);
  const shop = await openShop({ config, keys: loadKeys(config), engines, log });
  await shop.runtime.follower.waitFor(await shop.runtime.store.head(), READY_MS);
  const orders = Number(wanted);
  const begun = Date.now() - YEAR;
  let next = 0;
  const report = setInterval(() => process.send?.({ progress: next / orders }), REPORT_EVERY_MS);
  const work = async (): Promise<void> => {
    for (let number = next++; number < orders; number = next++)
      await place(shop, number, begun + Math.floor((number / orders) * YEAR));
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return { orders };
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
