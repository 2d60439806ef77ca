import { expect } from 'chai';
import { newId } from '#kernel/ids.ts';
import { invoiceEvents } from '#events/invoice.events.ts';
import { invoiceBalance } from '#values/invoice-balance.ts';
import { streamOf } from '#values/stream-name.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { registered, saleRecorded } from '#test/support/builders/customer.ts';
import { addressOf, invoice } from '#test/support/builders/invoice.ts';
import { customerWhoOwes } from '#test/support/builders/owed.ts';
import { inStream } from '#test/support/given.ts';
import { openReadingShop, type ReadingShop } from '#test/support/reading-shop.ts';
import { body, exactly, refusedFor, type Check } from '#test/support/scene.ts';

const at = (createdAt: string) => ({ content: { createdAt, businessDay: createdAt.slice(0, 10) } });
const paid = invoice('paid', { number: 'INV-0001', ...at('2026-03-01T09:00:00.000Z') });
const unpaid = invoice('unpaid', {
  number: 'INV-0002',
  customer: 'Bob Marsh',
  email: 'bob@example.com',
  content: { createdAt: '2026-03-01T10:00:00.000Z', customerId: idNamed('bob') },
});
const old = invoice('old', { number: 'INV-0003', ...at('2026-02-01T09:00:00.000Z') });
const onAccount = invoice('on account', {
  number: 'INV-0004',
  customer: 'zoe Field',
  content: {
    ...at('2026-01-01T09:00:00.000Z').content,
    accountTerms: { dueDate: '2026-02-28T23:59:00.000Z' },
  },
});
/** The same, billed elsewhere than in the United Kingdom. */
const billedTo = (countryCode: string, { type, data }: typeof unpaid.placed) => ({
  type,
  data: { ...data, billingAddress: { ...addressOf('Bob Marsh'), countryCode } },
});
const superseded = invoiceEvents.create.InvoiceSuperseded({
  ...old.invoiceName,
  supersededBy: idNamed('newer'),
});

const firstSale = saleRecorded({
  ...{ invoiceId: paid.id, businessDay: '2026-03-01', total: 2640, placedAt: '2026-03-01T09:00:00.000Z' },
  countryCode: 'GB',
});

/** By nobody in particular, for staff. */
const note = { authorId: 'System', author: 'System', isVisibleToCustomer: false };

interface Row {
  readonly invoiceNumber: string;
}
const numbers = (...wanted: readonly string[]): Check =>
  body(({ items }) =>
    expect((items as Row[]).map(({ invoiceNumber }) => invoiceNumber)).to.deep.equal(wanted),
  );

describe('GET /orders', () => {
  let shop: ReadingShop;
  before(async () => {
    shop = await openReadingShop([
      ...inStream(streamOf.customer(idNamed('ada')), registered(), firstSale),
      ...paid.sold(),
      ...inStream(paid.stream, paid.moved('Completed', 'order', 'ReadyToFulfill')),
      ...inStream(unpaid.stream, billedTo('US', unpaid.placed)),
      ...inStream(old.stream, old.placed, superseded, old.moved('Cancelled')),
      ...inStream(onAccount.stream, onAccount.placed, onAccount.confirmed(invoiceBalance(2640, 0, 0))),
      ...customerWhoOwes('Ada').told(onAccount.id, 2640, '2026-02-28'),
    ]);
  });
  after(() => shop.close());

  it('lists what stands, newest first, in the envelope of every list', async () => {
    const envelope = {
      page: 1,
      pageIndex: 1,
      currentPage: 1,
      pageSize: 2,
      totalItems: 3,
      totalPages: 2,
      hasPreviousPage: false,
      hasNextPage: true,
    };
    await shop
      .manage('/orders?pageSize=2')
      .then(200, envelope)
      .and(numbers('INV-0002', 'INV-0001'))
      .and(body((found) => expect(found).to.have.all.keys('items', ...Object.keys(envelope))));
    await shop.manage('/orders?pageSize=2&page=2').then(200).and(numbers('INV-0004'));
  });

  it('shows a row as the backoffice reads it', async () => {
    const row = {
      id: paid.id,
      invoiceNumber: 'INV-0001',
      customerName: 'Ada Lovelace',
      sourceType: 'web',
      currencyCode: 'GBP',
      currencySymbol: '£',
      total: 26.4,
      totalInStoreCurrency: 26.4,
      isMultiCurrency: false,
      paymentStatus: 'Paid',
      paymentStatusDisplay: 'Paid',
      fulfillmentStatus: 'Fulfilled',
      isCancelled: false,
      itemCount: 2,
      deliveryStatus: 'NotShipped',
      riskLevel: null,
    };
    await shop
      .manage('/orders?search=ada@&paymentStatus=paid')
      .then(200)
      .and(body(({ items }) => expect(items[0]).to.deep.include(row)));
  });

  it('marks what is overdue, on the calendar of the shop', async () => {
    const overdue = { dueDate: '2026-02-28T23:59:00.000Z', isOverdue: true, daysUntilDue: -1 };
    await shop.manage(`/orders/${onAccount.id}`).then(200, overdue);
    await shop
      .manage(`/orders/${paid.id}`)
      .then(200, { dueDate: null, isOverdue: false, daysUntilDue: null });
  });

  for (const [query, ...found] of [
    ['cancellationStatus=cancelled', 'INV-0003'],
    ['cancellationStatus=all', 'INV-0002', 'INV-0001', 'INV-0003', 'INV-0004'],
    ['cancellationStatus=all&search=inv-0003', 'INV-0003'],
    ['dateFrom=2026-03-01', 'INV-0002', 'INV-0001'],
    ['dateFrom=2026-01-02&dateTo=2026-02-28'],
    ['dateTo=2026-03-01T23:00:00Z', 'INV-0002', 'INV-0001', 'INV-0004'],
    ['dateFrom=2026-02-01&dateTo=2026-02-01&cancellationStatus=all', 'INV-0003'],
    [
      'dateFrom=2026-01-01&dateTo=2026-03-01&sortBy=customerName&sortDir=asc&paymentStatus=Unpaid',
      'INV-0002',
      'INV-0004',
    ],
    ['country=us', 'INV-0002'],
    ['country=GB&dateTo=2026-02-28', 'INV-0004'],
    ['country=FR'],
    [`customerId=${idNamed('bob')}`, 'INV-0002'],
    [
      `customerId=${idNamed('ada')}&dateFrom=2026-01-01&sortBy=invoiceNumber&sortDir=asc`,
      'INV-0001',
      'INV-0004',
    ],
    [`customerId=${idNamed('ada')}&search=zoe`, 'INV-0004'],
    [`customerId=${idNamed('nobody')}`],
    ['paymentStatus=Unpaid', 'INV-0002', 'INV-0004'],
    ['paymentStatus=30', 'INV-0001'],
    ['fulfillmentStatus=fulfilled', 'INV-0001'],
    ['status=Pending&search=MARSH', 'INV-0002'],
    ['sortBy=invoiceNumber&sortDir=asc', 'INV-0001', 'INV-0002', 'INV-0004'],
    ['sortBy=customerName&sortDir=asc', 'INV-0001', 'INV-0002', 'INV-0004'],
    ['sortBy=dueDate&pageSize=1', 'INV-0004'],
  ] as const) {
    it(`finds with ${query}: ${found.join(', ')}`, async () => {
      await shop
        .manage(`/orders?${query}`)
        .then(200)
        .and(numbers(...found));
    });
  }

  for (const [query, totalItems] of [
    ['', 3],
    ['cancellationStatus=all', 4],
    ['paymentStatus=Unpaid', 2],
    ['status=Pending&paymentStatus=Unpaid&sortBy=total', 2],
    ['cancellationStatus=all&fulfillmentStatus=Unfulfilled', 3],
    ['search=a', 3],
    ['dateTo=2026-03-01', 3],
    ['dateFrom=2026-01-01&dateTo=2026-02-28&cancellationStatus=all', 2],
    ['country=GB', 2],
    ['country=GB&cancellationStatus=all', 3],
    ['country=GB&fulfillmentStatus=Unfulfilled', 1],
    [`customerId=${idNamed('ada')}&status=Pending`, 1],
    ['dateFrom=2026-03-01&country=GB&search=ada', 1],
  ] as const) {
    it(`counts ${totalItems} with ${query || 'no filter'}, though a page shows one`, async () => {
      await shop
        .manage(`/orders?pageSize=1&${query}`)
        .then(200, { totalItems, totalPages: totalItems })
        .and(body(({ items }) => expect(items).to.have.length(1)));
    });
  }

  it('pages through every sort as one page shows it, without a gap or an overlap, and no further', async () => {
    for (const query of ['', 'sortBy=total&sortDir=asc', 'sortBy=dueDate', 'sortBy=customerName']) {
      const page = async (number: number, pageSize: number) => {
        const asked = `cancellationStatus=all&${query}&pageSize=${pageSize}&page=${number}`;
        const { body: shown } = await shop.manage(`/orders?${asked}`).then(200, { totalItems: 4 });
        return (shown as { readonly items: readonly Row[] }).items.map(({ invoiceNumber }) => invoiceNumber);
      };
      const whole = await page(1, 200);
      expect(whole).to.have.length(4);
      for (const [size, pages] of [
        [1, 5],
        [3, 3],
      ] as const) {
        const found = await Promise.all(Array.from({ length: pages }, (_, index) => page(index + 1, size)));
        expect(found.flat(), `${query} by ${size}`).to.deep.equal(whole);
      }
    }
  });

  for (const [query, field] of [
    ['dateFrom=2026-02-30', 'dateFrom'],
    ['dateTo=yesterday', 'dateTo'],
    ['dateFrom=2026-03-02&dateTo=2026-03-01', 'dateTo'],
    ['country=Atlantis', 'country'],
    ['customerId=ada', 'customerId'],
  ] as const) {
    it(`is 400 and names the field: ${query}`, () =>
      shop
        .manage(`/orders?${query}`)
        .then(400)
        .and(body(({ errors }) => expect(errors[0]).to.match(new RegExp(`^${field}: `)))));
  }

  it('takes days on the calendar of the shop', async () => {
    // Ada's order of 09:00 in London is one of 22:00 in Auckland, Bob's of 13:00 one of tomorrow.
    const lateBob = invoice('late', {
      number: 'INV-0005',
      content: { createdAt: '2026-03-01T13:00:00.000Z' },
    });
    const far = await openReadingShop([...paid.sold(), ...inStream(lateBob.stream, lateBob.placed)], {
      reportingTimeZone: 'Pacific/Auckland',
    });
    try {
      await far.manage('/orders?dateTo=2026-03-01').then(200).and(numbers('INV-0001'));
      await far.manage('/orders?dateFrom=2026-03-02').then(200).and(numbers('INV-0005'));
    } finally {
      await far.close();
    }
  });

  it('refuses a status that there is not, and clamps pages that cannot be', async () => {
    await shop.manage('/orders?paymentStatus=Maybe').then(400).and(refusedFor('invalid-request'));
    await shop.manage('/orders?page=0&pageSize=5000').then(200, { page: 1, pageSize: 200 });
  });

  it('/{id} shows everything of an invoice', async () => {
    const { body: shown } = await shop.manage(`/orders/${paid.id}`).then(200, {
      id: paid.id,
      customerEmail: 'ada@example.com',
      subTotal: 20,
      discountTotal: 2,
      shippingCost: 4,
      tax: 4.4,
      discountTotalInStoreCurrency: 2,
      amountPaid: 26.4,
      balanceDue: 0,
      balanceStatus: 'Balanced',
      customerOrderCount: 2,
      canFulfill: false,
      notes: [
        { ...note, date: '2026-03-01T09:05:00.000Z', text: 'Payment of £26.40 received (manual).' },
        {
          ...note,
          date: '2026-03-01T12:00:00.000Z',
          text: 'An order went from ReadyToFulfill to Completed.',
        },
      ],
    });
    const ada = { firstName: 'Ada', lastName: 'Lovelace', countryCode: 'GB' };
    expect(shown.billingAddress).to.deep.include(ada);
    const [order] = shown.orders as { readonly status: string; readonly lineItems: unknown[] }[];
    expect(order?.status).to.equal('Completed');
    expect(order?.lineItems[0]).to.deep.include({ sku: 'mug', quantity: 2, unitPrice: 10, lineTotal: 20 });
    expect(shown.discounts).to.deep.include.members([
      {
        id: idNamed('taken'),
        orderId: null,
        discountId: idNamed('TEN'),
        name: '10 % off',
        code: 'TEN',
        category: 'AmountOffOrder',
        amount: 2,
        amountInStoreCurrency: 2,
      },
    ]);
  });

  it('/{id} knows nothing of an order that is not there', async () => {
    await shop.manage(`/orders/${newId()}`).then(404).and(refusedFor('entity-not-found'));
    await shop.manage('/orders/none').then(404).and(refusedFor('not-found'));
  });

  it('/stats tells of today and of what is still to be paid', async () => {
    const stats = {
      ordersToday: 1,
      itemsOrderedToday: 2,
      ordersFulfilledToday: 1,
      totalOutstandingValue: 26.4,
      outstandingInvoiceCount: 1,
      overdueInvoiceCount: 1,
      currencyCode: 'GBP',
      orders: 1,
      items: 2,
      fulfilled: 1,
      outstanding: 1,
    };
    await shop.manage('/orders/stats').then(200).and(exactly(stats));
  });

  it('/dashboard-stats tells of the month so far', async () => {
    await shop
      .manage('/orders/dashboard-stats')
      .then(200)
      .and(
        exactly({
          storeCurrencyCode: 'GBP',
          storeCurrencySymbol: '£',
          ordersThisMonth: 1,
          ordersChangePercent: 100,
          revenueThisMonth: 26.4,
          revenueChangePercent: 100,
          productCount: 0,
          productCountChange: 0,
          customerCount: 1,
          customerCountChange: 1,
        }),
      );
  });
});
