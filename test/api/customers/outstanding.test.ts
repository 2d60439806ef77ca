import { expect } from 'chai';
import { customerEvents } from '#events/customer.events.ts';
import { streamOf } from '#values/stream-name.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { ada as unknownAda } from '#test/support/builders/customer.ts';
import { customerWhoOwes } from '#test/support/builders/owed.ts';
import { inStream, type GivenEvent } from '#test/support/given.ts';
import { openReadingShop, type ReadingShop } from '#test/support/reading-shop.ts';
import { body, exactly, refusedFor, type Check } from '#test/support/scene.ts';

const ada = customerWhoOwes('Ada', { creditLimit: 10_000, paymentTermsDays: 30 });
const bob = customerWhoOwes('Bob', { hasAccountTerms: false });
const eve = customerWhoOwes('Eve', { creditLimit: 1000 });
const zoe = customerWhoOwes('Zoe');

const numbers = (...wanted: readonly string[]): Check =>
  body(({ items, totalItems }) => {
    expect((items as { invoiceNumber: string }[]).map(({ invoiceNumber }) => invoiceNumber)).to.deep.equal(
      wanted,
    );
    expect(totalItems).to.equal(wanted.length);
  });

// docs/rules/account-terms.md. The shop's clock stands at noon of 1 March 2026.
describe('What customers owe', () => {
  let shop: ReadingShop;
  before(async () => {
    shop = await openReadingShop([
      ...ada.registered,
      ...bob.registered,
      ...eve.registered,
      ...zoe.registered,
      ...ada.owes('old', { number: 'INV-0001', dueDate: '2026-02-28T23:59:59.000Z', paid: 640 }),
      ...ada.owes('today', { number: 'INV-0002', dueDate: '2026-03-01T00:00:00.000Z' }),
      ...ada.owes('later', { number: 'INV-0003', dueDate: '2026-03-20T10:00:00.000Z' }),
      ...ada.owes('paid', { number: 'INV-0004', dueDate: '2026-03-02T10:00:00.000Z', paid: 2640 }),
      ...bob.owes('manual', { number: 'INV-0005', dueDate: null }),
      ...eve.owes('too much', { number: 'INV-0006', dueDate: '2026-03-08T23:00:00.000Z' }),
    ]);
  });
  after(() => shop.close());

  let seen = 0;
  const since = async (...more: readonly GivenEvent[]) => void (seen = await shop.record(...more));
  const read = (path: string) => shop.manage(path, { 'Tillroll-Position': String(seen) });
  const owed = (id: string) => read(`/customers/${id}/outstanding`);
  const listed = (query: string) => read(`/orders/outstanding${query}`);

  it('is counted with what is overdue, what comes next, and the credit that is left', () =>
    owed(ada.customerId)
      .then(200)
      .and(
        exactly({
          totalOutstanding: 72.8,
          totalOverdue: 20,
          invoiceCount: 3,
          overdueCount: 1,
          nextDueDate: '2026-03-01T00:00:00.000Z',
          currencyCode: 'GBP',
          creditLimit: 100,
          creditLimitExceeded: false,
          availableCredit: 27.2,
          creditUtilizationPercent: 72.8,
          creditWarningLevel: 'ok',
        }),
      ));

  it('may be more than the limit, and leaves no credit then', () =>
    owed(eve.customerId).then(200, {
      totalOutstanding: 26.4,
      creditLimitExceeded: true,
      availableCredit: 0,
      creditUtilizationPercent: 264,
      creditWarningLevel: 'exceeded',
    }));

  it('has no limit and no due date where nobody has set any', () =>
    owed(bob.customerId).then(200, {
      totalOutstanding: 26.4,
      totalOverdue: 0,
      nextDueDate: null,
      creditLimit: null,
      creditLimitExceeded: false,
      availableCredit: null,
      creditUtilizationPercent: null,
      creditWarningLevel: 'ok',
    }));

  it('is nothing for a customer who has never owed anything', () =>
    owed(zoe.customerId).then(200, {
      totalOutstanding: 0,
      invoiceCount: 0,
      nextDueDate: null,
      creditWarningLevel: 'ok',
    }));

  for (const path of ['outstanding', 'outstanding/invoices']) {
    it(`is not found of somebody whom nobody knows: ${path}`, () =>
      shop
        .manage(`/customers/${idNamed('nobody')}/${path}`)
        .then(404)
        .and(refusedFor('entity-not-found')));
  }

  it('is listed for one customer, what is due first before the rest, with what is still to be paid', () =>
    shop
      .manage(`/customers/${ada.customerId}/outstanding/invoices`)
      .then(200, { pageSize: 50 })
      .and(numbers('INV-0001', 'INV-0002', 'INV-0003'))
      .and(
        body(({ items }) => {
          expect(items[0]).to.include({
            customerId: ada.customerId,
            customerEmail: 'ada@example.com',
            balanceDue: 20,
            balanceDueInStoreCurrency: 20,
            isOverdue: true,
            daysUntilDue: -1,
            creditLimitExceeded: false,
          });
        }),
      ));

  it('is listed for all customers with account terms, and for others on request', async () => {
    await listed('')
      .then(200)
      .and(numbers('INV-0001', 'INV-0002', 'INV-0006', 'INV-0003'));
    await listed('?accountCustomersOnly=false&sortBy=invoiceNumber')
      .then(200)
      .and(numbers('INV-0001', 'INV-0002', 'INV-0003', 'INV-0005', 'INV-0006'));
    await listed(`?customerId=${eve.customerId}`).then(200).and(numbers('INV-0006'));
    await listed('?search=EVE@').then(200).and(numbers('INV-0006'));
    await listed('?sortBy=balanceDue&sortDirection=desc&pageSize=1')
      .then(200)
      .and(body(({ items, totalItems }) => expect([items.length, totalItems]).to.deep.equal([1, 4])));
  });

  for (const [query, ...wanted] of [
    ['overdueOnly=true', 'INV-0001'],
    ['dueWithinDays=0', 'INV-0002'],
    ['dueWithinDays=7', 'INV-0002', 'INV-0006'],
    ['dueWithinDays=6', 'INV-0002'],
    ['dueWithinDays=30', 'INV-0002', 'INV-0006', 'INV-0003'],
    ['dueWithinDays=30&overdueOnly=true', 'INV-0001'],
  ] as const) {
    it(`is listed by when it is due: ${query}`, () =>
      listed(`?${query}`)
        .then(200)
        .and(numbers(...wanted)));
  }

  for (const [query, field] of [
    ['dueWithinDays=-1', 'dueWithinDays'],
    ['dueWithinDays=soon', 'dueWithinDays'],
    ['overdueOnly=perhaps', 'overdueOnly'],
    ['accountCustomersOnly=1', 'accountCustomersOnly'],
    ['customerId=ada', 'customerId'],
  ] as const) {
    it(`is 400 and names the field: ${query}`, () =>
      listed(`?${query}`)
        .then(400)
        .and(body(({ errors }) => expect(errors[0]).to.match(new RegExp(`^${field}: `)))));
  }

  // docs/rules/orders.md#statistics
  it('makes up the statistics of orders: overdue is what was due on an earlier day', () =>
    read('/orders/stats').then(200, {
      totalOutstandingValue: 125.6,
      outstandingInvoiceCount: 5,
      overdueInvoiceCount: 1,
      outstanding: 5,
    }));

  it('is overdue by the calendar of the shop, where it is a day later', async () => {
    const far = await openReadingShop(
      [
        ...ada.registered,
        ...ada.owes('today here', { number: 'INV-0001', dueDate: '2026-03-01T00:00:00.000Z' }),
        ...ada.owes('today there', { number: 'INV-0002', dueDate: '2026-03-02T00:00:00.000Z' }),
      ],
      { reportingTimeZone: 'Pacific/Kiritimati' },
    );
    try {
      await far.manage('/orders/stats').then(200, { outstandingInvoiceCount: 2, overdueInvoiceCount: 1 });
    } finally {
      await far.close();
    }
  });

  it('marks the orders of customers who owe more than they may', () =>
    shop
      .manage('/orders?sortBy=invoiceNumber&sortDir=asc')
      .then(200)
      .and(
        body(({ items }) =>
          expect(
            (items as { invoiceNumber: string; creditLimitExceeded: boolean }[])
              .filter(({ creditLimitExceeded }) => creditLimitExceeded)
              .map(({ invoiceNumber }) => invoiceNumber),
          ).to.deep.equal(['INV-0006']),
        ),
      ));

  it('follows terms, limit, payments and cancellations', async () => {
    const dan = customerWhoOwes('Dan', { hasAccountTerms: false });
    const limited = customerEvents.create.CustomerChanged({
      ...{ ...unknownAda, hasAccountTerms: true, creditLimit: 2000, tagsGained: [], tagsLost: [] },
      at: '2026-03-01T10:00:00.000Z',
    });
    const ofDan = () => listed(`?customerId=${dan.customerId}`);
    await since(...dan.registered, ...dan.owes('sold', { number: 'INV-0007', dueDate: null }));
    await ofDan().then(200).and(numbers());
    await since(...inStream(streamOf.customer(dan.customerId), limited), ...dan.termsChanged(true, 'sold'));
    await ofDan()
      .then(200)
      .and(numbers('INV-0007'))
      .and(body(({ items }) => expect(items[0].creditLimitExceeded).to.equal(true)));
    await read('/orders/stats').then(200, { outstandingInvoiceCount: 6, totalOutstandingValue: 152 });
    await since(...dan.told(idNamed('sold'), 0, null));
    await owed(dan.customerId).then(200, { totalOutstanding: 0, invoiceCount: 0, availableCredit: 20 });
    await read('/orders/stats').then(200, { outstandingInvoiceCount: 5, totalOutstandingValue: 125.6 });
  });
});
