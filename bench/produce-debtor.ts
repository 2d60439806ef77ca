import { join } from 'node:path';
import { pino } from 'pino';
import { initialCustomer, onCustomerEvents } from '#command/contexts/customers/customer.state.ts';
import { initialInvoice, invoiceSubject, onInvoiceEvents } from '#command/contexts/invoices/invoice.state.ts';
import { customerEvents } from '#events/customer.events.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import type { Command, Decider } from '#kernel/decider.ts';
import type { DomainEvent } from '#kernel/event.ts';
import { derivedId, newId } from '#kernel/ids.ts';
import { loadConfig } from '#runtime/config.ts';
import { loadKeys } from '#runtime/keys.ts';
import { invoiceBalance } from '#values/invoice-balance.ts';
import { formatInvoiceNumber } from '#values/invoice-number.ts';
import { ada, registered } from '#test/support/builders/customer.ts';
import { addressOf, mugOrder, twoMugs } from '#test/support/builders/invoice.ts';
import { openEngines } from '../shared-kernel/open-engines.ts';
import { openShop } from '../tillroll.ts';

/*
 * Adds to a log one customer with so many open invoices, through the command engine, without pricing: a tenth of them
 * overdue, the others due within a year. `node produce-debtor.ts <data folder> <invoices>`. APPLICATION_KEY is the
 * shop's. Answers with the customer.
 */

const AT_ONCE = 100;
/** Events of the customer's stream that are appended together. */
const TOLD_TOGETHER = 50;
const READY_MS = 60_000;
const DAY = 86_400_000;
const TOTAL = 2640;

interface Write<Event extends DomainEvent> extends Command {
  readonly events: readonly Event[];
}

const writer = <State, Event extends DomainEvent>(
  parts: Pick<Decider<State, never, Event>, 'category' | 'initial' | 'on' | 'subject'>,
): Decider<State, Write<Event>, Event> =>
  ({ ...parts, decide: (_: State, { events }: Write<Event>) => events, remembersCommands: true }) as never;

const invoices = writer({
  category: 'invoice',
  initial: initialInvoice,
  on: onInvoiceEvents,
  subject: invoiceSubject,
});
const customers = writer({
  category: 'customer',
  initial: initialCustomer,
  on: onCustomerEvents,
  subject: (id) => ({ id, customerId: id }),
});

const [, , dataDir = '', wanted = ''] = process.argv;
const count = Number(wanted);
const customerId = derivedId('bench debtor', count);
const person = { email: 'debtor@bench.example', customerName: 'Dee Debtor' };

const invoiceOf = (number: number) => {
  const createdAt = new Date(Date.now() - 40 * DAY + number * 1000).toISOString();
  const daysToGo = number % 10 === 0 ? -1 - (number % 30) : 8 + (number % 350);
  const dueDate = new Date(Date.now() + daysToGo * DAY).toISOString();
  const order = { ...mugOrder('order'), orderId: newId() };
  const content = twoMugs({
    ...{ basketId: null, customerId, createdAt, businessDay: createdAt.slice(0, 10), discounts: [] },
    ...{ accountTerms: { dueDate }, orders: [order] },
  });
  const invoiceNumber = formatInvoiceNumber('DEBT-', number + 1);
  const balance = invoiceBalance(TOTAL, 0, 0);
  const address = addressOf(person.customerName);
  const { InvoiceCreated, SaleConfirmed } = invoiceEvents.create;
  const events = [
    InvoiceCreated({
      ...{ placementId: newId(), invoiceNumber, content, balance, email: person.email },
      ...{ billingAddress: address, shippingAddress: address },
    }),
    SaleConfirmed({
      ...{ invoiceNumber, content, balance, ...person, confirmedAt: createdAt },
      orderStatuses: { [order.orderId]: 'ReadyToFulfill' },
    }),
  ];
  return { id: newId(), dueDay: dueDate.slice(0, 10), events };
};

const produce = async (): Promise<{ readonly customerId: string }> => {
  const config = loadConfig({ env: { ...process.env, DATA_DIR: dataDir } });
  const log = pino({ level: 'warn' }, pino.destination(join(dataDir, 'produce.log')));
  const engines = await openEngines(config.engines);
  const { command, runtime, stop } = await openShop({ config, keys: loadKeys(config), engines, log });
  await runtime.follower.waitFor(await runtime.store.head(), READY_MS);
  const write = <State, Event extends DomainEvent>(
    decider: Decider<State, Write<Event>, Event>,
    id: string,
    events: readonly Event[],
  ) => {
    const correlationId = newId();
    const meta = { correlationId, causationId: correlationId, actor: { kind: 'system', id: null } } as const;
    const asked = { decider, id, command: { type: 'Write', events }, context: () => undefined, meta };
    return command.deps.commands.execute(asked as never);
  };
  const all = Array.from({ length: count }, (_, number) => invoiceOf(number));
  const told = all.map(({ id: invoiceId, dueDay }, index) =>
    customerEvents.create.CustomerOutstandingChanged({
      ...{
        invoiceId,
        amount: TOTAL,
        amountBefore: 0,
        outstanding: TOTAL * (index + 1),
        openInvoices: index + 1,
      },
      ...{ dueDay, hasAccountTerms: true, creditLimit: null, asOf: 1, at: new Date().toISOString() },
    }),
  );
  try {
    const details = { ...ada, email: person.email, hasAccountTerms: true, paymentTermsDays: 30 };
    await write(customers, customerId, [registered(details, new Date().toISOString())] as never);
    const waiting = [...all];
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift())
        await write(invoices, next.id, next.events as never);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    for (let from = 0; from < told.length; from += TOLD_TOGETHER)
      await write(customers, customerId, told.slice(from, from + TOLD_TOGETHER) as never);
    return { customerId };
  } finally {
    await stop();
  }
};

produce().then(
  (result) => process.send?.({ result }),
  (error: unknown) => process.send?.({ error: error instanceof Error ? String(error.stack) : String(error) }),
);
process.on('disconnect', () => process.exit());
