import { expect } from 'chai';
import { productEvents } from '#events/catalogue.events.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { customerWhoOwes } from '#test/support/builders/owed.ts';
import { productOnSale } from '#test/support/builders/product.ts';
import { inStream, type GivenEvent } from '#test/support/given.ts';
import { ListedShop, worth } from '#test/support/listed-shop.ts';
import { openReadingShop, type ReadingShop } from '#test/support/reading-shop.ts';
import { body, header } from '#test/support/scene.ts';
import { streamOf } from '#values/stream-name.ts';

const { ProductCreated, ProductDeleted } = productEvents.create;

// It is noon (UTC) of 1 March 2026. Amounts are in yen.

/** Two sales of 10 February, one paid a day later; then 500 of it went back, and the other was cancelled. */
const february = (): readonly GivenEvent[] => {
  const shop = new ListedShop();
  shop.at('2026-02-10T10:00:00.000Z', () => shop.sell('2026-02-10', 'web', 'ada', worth(1000)));
  shop.at('2026-02-11T15:00:00.000Z', () => shop.sell('2026-02-10', 'draft', 'bob', worth(2000)));
  const [cancelled, refunded] = shop.list;
  if (!cancelled || !refunded) throw new Error('nothing was sold');
  shop.at('2026-02-20T09:00:00.000Z', () => shop.refund(refunded, 500));
  shop.at('2026-02-20T18:00:00.000Z', () => shop.cancel(cancelled));
  shop.at('2026-03-01T08:00:00.000Z', () => shop.sell('2026-03-01', 'web', 'cyd', worth(4000)));
  return shop.events;
};

/** What happened to the invoices alone, an event each. */
const invoicesOnly = (): readonly GivenEvent[] =>
  february().filter(({ type }) => !type.startsWith('CustomerSale'));

const breakdown = (days: string, more = ''): string =>
  `/reporting/breakdown?startDate=${days}&endDate=${days}&compareMode=None${more}`;

const valuesAre = (...values: readonly number[]) =>
  body(({ dataPoints }: { readonly dataPoints: readonly { readonly value: number }[] }) =>
    expect(dataPoints.map(({ value }) => value)).to.deep.equal(values),
  );

describe('reports as of a moment of the past', () => {
  let shop: ReadingShop;
  before(async () => {
    shop = await openReadingShop(invoicesOnly(), { storeCurrencyCode: 'JPY' });
  });
  after(() => shop.close());

  it('rank what had been sold by then', async () => {
    const days = 'startDate=2026-02-10&endDate=2026-02-10';
    const topAsOf = async (moment: string) => {
      const asked = `/reporting/top?${days}&by=source&figure=grossSales&asOf=${moment}`;
      const { items } = (await shop.manage(asked).then(200)).body as {
        items: readonly { readonly id: string; readonly value: number }[];
      };
      return items.map(({ id, value }) => [id, value]);
    };
    const paid = ['web', 1000];
    expect(await topAsOf('2026-02-09')).to.deep.equal([]);
    expect(await topAsOf('2026-02-10')).to.deep.equal([paid]);
    // Within a day, and at its end.
    expect(await topAsOf('2026-02-20T17:59:59Z')).to.deep.equal([['draft', 2000], paid]);
    expect(await topAsOf('2026-02-20T18:00:00Z')).to.deep.equal([['draft', 2000]]);
    expect(await topAsOf('2026-02-20')).to.deep.equal([['draft', 2000]]);
    await shop
      .manage(`/reporting/top?${days}&by=source&asOf=2026-03-02`)
      .then(400)
      .and(body(({ errors }) => expect(errors[0]).to.match(/^asOf: must be 2026-03-01/)));
  });

  const asOf = (moment: string, days = '2026-02-10') => shop.manage(breakdown(days, `&asOf=${moment}`));

  it('say what was known at that instant, and which event was the last', async () => {
    const told = 'Tillroll-As-Of';
    await asOf('2026-02-11T14:59:59.999Z')
      .then(200, { grossSales: 1000, returns: 0 })
      .and(header(told, '2026-02-11T14:59:59.999Z; position=1'));
    await asOf('2026-02-11T15:00:00Z')
      .then(200, { grossSales: 3000, returns: 0 })
      .and(header(told, '2026-02-11T15:00:00.000Z; position=2'));
    await asOf('2026-02-20T09:00:00Z').then(200, { grossSales: 3000, returns: 500 });
    await asOf('2026-02-20T18:00:00Z').then(200, { grossSales: 2000, returns: 500, netSales: 1500 });
    await asOf('2026-03-01T12:00:00Z')
      .then(200, { grossSales: 2000, returns: 500 })
      .and(header(told, '2026-03-01T12:00:00.000Z; position=5'));
  });

  it('take an instant of any offset, its plus encoded or not', async () => {
    const expected = header('Tillroll-As-Of', '2026-02-20T17:59:59.000Z; position=3');
    await asOf('2026-02-20T18:59:59%2B01:00').then(200, { grossSales: 3000 }).and(expected);
    await asOf('2026-02-20T18:59:59+01:00').then(200, { grossSales: 3000 }).and(expected);
    await asOf('2026-02-20T12:59:59-05:00').then(200, { grossSales: 3000 }).and(expected);
  });

  it('take a day for its last millisecond, today for now, and are zero before the first event', async () => {
    const told = 'Tillroll-As-Of';
    await asOf('2026-02-09')
      .then(200, { grossSales: 0, grossProfitMargin: 0 })
      .and(header(told, '2026-02-09T23:59:59.999Z; position=0'));
    await asOf('2026-02-10')
      .then(200, { grossSales: 1000 })
      .and(header(told, '2026-02-10T23:59:59.999Z; position=1'));
    await asOf('2026-03-01', '2026-03-01')
      .then(200, { grossSales: 4000 })
      .and(header(told, '2026-03-01T12:00:00.000Z; position=5'));
    await shop.manage(breakdown('2026-02-10')).then(200, { grossSales: 2000 }).and(header(told, null));
  });

  it('narrow down and compare as the reports of now do', async () => {
    const path = '/reporting/sales-timeseries-with-totals?startDate=2026-02-10&endDate=2026-02-11';
    await shop
      .manage(`${path}&sourceType=web&asOf=2026-02-19`)
      .then(200, { periodTotal: 1000 })
      .and(valuesAre(1000, 0));
    await shop.manage(`${path}&includeCancelled=true&asOf=2026-02-20`).then(200, { periodTotal: 3000 });
    await shop
      .manage('/reporting/summary?startDate=2026-02-10&endDate=2026-02-10&asOf=2026-02-11')
      .then(200, { grossSales: 3000, totalOrders: 2, grossSalesChange: 100, returningCustomers: 0 });
  });

  it('refuse what is not past, or may be any of several moments', async () => {
    const refused = (moment: string, expected: string) =>
      asOf(moment).then(400, { errors: [`asOf: ${expected}`] });
    await refused('2026-03-02', 'must be 2026-03-01, which is today, or a day before');
    await refused('2026-03-01T12:00:00.001Z', 'must not be in the future');
    const expected = 'must be a day YYYY-MM-DD, or an ISO 8601 date and time with its offset';
    const several = '2026-02-10&asOf=2026-02-11';
    for (const moment of ['2026-02-20T09:00:00', 'yesterday', '2026-02-30', '', several])
      await refused(moment, expected);
    // Years of three digits in some time zone.
    for (const moment of ['0999-06-15', '0999-06-15T00:00:00Z', '1000-01-01T00:00:00+14:00'])
      await refused(moment, expected);
  });
});

describe('days of a shop elsewhere', () => {
  it('end when they end there', async () => {
    const shop = await openReadingShop(invoicesOnly(), {
      storeCurrencyCode: 'JPY',
      reportingTimeZone: 'America/Los_Angeles',
    });
    try {
      await shop
        .manage(breakdown('2026-02-10', '&asOf=2026-02-10'))
        .then(200, { grossSales: 1000 })
        .and(header('Tillroll-As-Of', '2026-02-11T07:59:59.999Z; position=1'));
    } finally {
      await shop.close();
    }
  });
});

describe('the dashboard as of a moment of the past', () => {
  it('is about the month until then: its sales, products and customers', async () => {
    const product = (name: string, at: string): GivenEvent => ({
      ...ProductCreated({ ...productOnSale(name, { price: 1000, taxGroupId: null, isTracked: false }), at }),
      stream: streamOf.product(idNamed(name)),
      recordedAt: at,
    });
    const shop = await openReadingShop(
      [
        product('mug', '2026-01-20T09:00:00.000Z'),
        product('plate', '2026-02-03T09:00:00.000Z'),
        ...february().filter(({ recordedAt = '' }) => recordedAt < '2026-02-25'),
        {
          ...ProductDeleted({}),
          stream: streamOf.product(idNamed('plate')),
          recordedAt: '2026-02-25T09:00:00.000Z',
        },
        ...february().filter(({ recordedAt = '' }) => recordedAt > '2026-02-25'),
      ],
      { storeCurrencyCode: 'JPY' },
    );
    const dashboard = (asOf: string) => shop.manage(`/orders/dashboard-stats?asOf=${asOf}`);
    try {
      await dashboard('2026-01-31').then(200, { ordersThisMonth: 0, productCount: 1, productCountChange: 1 });
      await dashboard('2026-02-11')
        .then(200, {
          ordersThisMonth: 2,
          revenueThisMonth: 3000,
          revenueChangePercent: 100,
          customerCount: 2,
        })
        .and(header('Tillroll-As-Of', '2026-02-11T23:59:59.999Z; position=6'));
      await dashboard('2026-02-24').then(200, { productCount: 2, productCountChange: 1, ordersThisMonth: 1 });
      await dashboard('2026-02-28').then(200, {
        ...{ ordersThisMonth: 1, revenueThisMonth: 2000 },
        ...{ productCount: 1, productCountChange: 0, customerCount: 1, customerCountChange: 1 },
      });
      await dashboard('2026-03-01').then(200, {
        ...{ ordersThisMonth: 1, revenueThisMonth: 4000, revenueChangePercent: 100 },
        ...{ productCount: 1, productCountChange: 0, customerCount: 2, customerCountChange: 1 },
      });
      await dashboard('2026-03-02').then(400);
    } finally {
      await shop.close();
    }
  });
});

describe('the statistics of orders as of a moment of the past', () => {
  const recorded = (recordedAt: string, events: readonly GivenEvent[]) =>
    events.map((event) => ({ ...event, recordedAt: `2026-02-${recordedAt}:00.000Z` }));

  it('are about its day, and about what was owed then', async () => {
    const ada = customerWhoOwes('Ada');
    const { id, stream, moved } = invoice('lent');
    const businessDay = '2026-02-10';
    const shop = await openReadingShop([
      ...recorded('10T09:00', ada.registered),
      ...recorded('10T10:00', ada.owes('lent', { dueDate: '2026-02-14', content: { businessDay } })),
      ...recorded('10T12:00', inStream(stream, moved('Shipped', 'order', 'ReadyToFulfill', businessDay))),
      ...recorded('16T10:00', ada.told(id, 0, '2026-02-14')),
    ]);
    const stats = (asOf: string) => shop.manage(`/orders/stats?asOf=2026-02-${asOf}`);
    const lent = { outstanding: 1, totalOutstandingValue: 26.4, overdueInvoiceCount: 0 };
    try {
      await stats('10T09:30:00Z').then(200, { orders: 0, items: 0, fulfilled: 0, outstanding: 0 });
      await stats('10T10:00:00Z').then(200, { orders: 1, items: 2, fulfilled: 0, ...lent });
      await stats('10T12:00:00Z').then(200, { orders: 1, fulfilled: 1, ...lent });
      await stats('14').then(200, { orders: 0, fulfilled: 0, ...lent });
      await stats('15').then(200, { outstanding: 1, overdueInvoiceCount: 1 });
      await stats('16')
        .then(200, { outstanding: 0, totalOutstandingValue: 0, overdueInvoiceCount: 0 })
        .and(header('Tillroll-As-Of', '2026-02-16T23:59:59.999Z; position=6'));
      await shop.manage('/orders/stats?asOf=2026-03-01T12:00:00.001Z').then(400);
    } finally {
      await shop.close();
    }
  });
});

describe('reports by the day of recording', () => {
  let shop: ReadingShop;
  before(async () => {
    shop = await openReadingShop(invoicesOnly(), { storeCurrencyCode: 'JPY' });
  });
  after(() => shop.close());

  it('count what became known on a day, and 0 where nothing did', async () => {
    await shop.manage(breakdown('2026-02-11', '&basis=recorded')).then(200, { grossSales: 2000 });
    await shop
      .manage(breakdown('2026-02-20', '&basis=recorded'))
      .then(200, { grossSales: -1000, returns: 500, netSales: -1500 });
    await shop
      .manage(
        '/reporting/sales-timeseries-with-totals?startDate=2026-02-10&endDate=2026-02-12&basis=recorded',
      )
      .then(200, { periodTotal: 3000 })
      .and(valuesAre(1000, 2000, 0));
    await shop
      .manage(breakdown('2026-02-20', '&basis=recorded&asOf=2026-02-20T12:00:00Z'))
      .then(200, { grossSales: 0, returns: 500 });
  });

  it('leave a closed month as it is, whatever happens to its sales later', async () => {
    const month = '/reporting/breakdown?startDate=2026-02-01&endDate=2026-02-28&basis=recorded';
    await shop.manage(month).then(200, { grossSales: 2000, returns: 500 });
    const sold = new ListedShop();
    sold.sell('2026-02-10', 'web', 'ada', worth(9000));
    await shop.record(...sold.events.map((event) => ({ ...event, recordedAt: '2026-03-01T11:00:00.000Z' })));
    await shop.manage(month).then(200, { grossSales: 2000, returns: 500 });
    await shop.manage(breakdown('2026-03-01', '&basis=recorded')).then(200, { grossSales: 13_000 });
  });

  it('refuse another basis, and the summary another one than booked', async () => {
    await shop
      .manage(breakdown('2026-02-11', '&basis=paid'))
      .then(400, { errors: ['basis: must be booked or recorded'] });
    await shop.manage('/reporting/summary?startDate=2026-02-11&endDate=2026-02-11&basis=recorded').then(400, {
      errors: [
        'basis: must be booked: customers count when they buy. The breakdown and time series take recorded',
      ],
    });
  });
});
