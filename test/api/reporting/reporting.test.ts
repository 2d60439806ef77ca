import { expect } from 'chai';
import { invoice, twoMugs } from '#test/support/builders/invoice.ts';
import { saleOf } from '#test/support/builders/sale.ts';
import { ListedShop } from '#test/support/listed-shop.ts';
import { openReadingShop, type ReadingShop } from '#test/support/reading-shop.ts';
import { body, exactly, header } from '#test/support/scene.ts';

const march = 'startDate=2026-03-01&endDate=2026-03-03';

describe('GET /reporting', () => {
  let shop: ReadingShop;
  before(async () => {
    shop = await openReadingShop([
      ...invoice('sold').sold(),
      ...saleOf({ day: '2026-03-03', amount: 1000 }),
      ...saleOf({ day: '2026-02-27', amount: 500 }),
    ]);
  });
  after(() => shop.close());

  it('/summary adds up the days and compares them with as many before', async () => {
    await shop.manage(`/reporting/summary?${march}`).then(200, {
      grossSales: 30,
      grossSalesChange: 500,
      totalOrders: 2,
      totalOrdersChange: 100,
      totalOrdersSparkline: [1, 0, 1],
    });
  });

  it('/breakdown leads from gross sales to profit', async () => {
    await shop.manage(`/reporting/breakdown?${march}&compareMode=None`).then(200, {
      grossSales: 30,
      discounts: 2,
      taxes: 4.4,
      totalSales: 36.4,
      grossSalesChange: 0,
    });
  });

  it('/sales-timeseries-with-totals has every day, and at most 730', async () => {
    const path = '/reporting/sales-timeseries-with-totals';
    const days = {
      dataPoints: [
        { date: '2026-03-01T00:00:00Z', value: 26.4, comparisonValue: null },
        { date: '2026-03-02T00:00:00Z', value: 0, comparisonValue: 5 },
        { date: '2026-03-03T00:00:00Z', value: 10, comparisonValue: null },
      ],
      periodTotal: 36.4,
      comparisonTotal: 5,
      percentChange: 628,
    };
    const has730 = body(({ dataPoints }) => expect(dataPoints).to.have.length(730));
    await shop.manage(`${path}?${march}`).then(200).and(exactly(days));
    await shop
      .manage(`${path}?startDate=2024-01-01&endDate=2026-12-31&compareMode=None`)
      .then(200)
      .and(has730);
    const compared = 'compareMode=Custom&comparisonStartDate=1000-01-01&comparisonEndDate=2999-12-31';
    await shop
      .manage(`${path}?startDate=1000-01-01&endDate=2999-12-31&${compared}`)
      .then(200, { periodTotal: 0, comparisonTotal: null })
      .and(has730);
  });

  it('/aov-timeseries-with-totals averages the orders of each day, and those of all', async () => {
    const days = {
      dataPoints: [
        { date: '2026-03-01T00:00:00Z', value: 26.4, comparisonValue: null },
        { date: '2026-03-02T00:00:00Z', value: 0, comparisonValue: 5 },
        { date: '2026-03-03T00:00:00Z', value: 10, comparisonValue: null },
      ],
      periodTotal: 18.2,
      comparisonTotal: 5,
      percentChange: 264,
      weightedAverage: 18.2,
    };
    await shop.manage(`/reporting/aov-timeseries-with-totals?${march}`).then(200).and(exactly(days));
  });

  it('/sales-timeseries and /aov-timeseries are the points alone, always beside the days before', async () => {
    const points = [
      { date: '2026-03-01T00:00:00Z', value: 26.4, comparisonValue: null },
      { date: '2026-03-02T00:00:00Z', value: 0, comparisonValue: 5 },
      { date: '2026-03-03T00:00:00Z', value: 10, comparisonValue: null },
    ];
    for (const figure of ['sales', 'aov'])
      for (const mode of ['', '&compareMode=None', '&compareMode=PreviousYear'])
        await shop.manage(`/reporting/${figure}-timeseries?${march}${mode}`).then(200).and(exactly(points));
  });

  it('has at most the first 730 days in every time series', async () => {
    for (const series of ['sales-timeseries', 'aov-timeseries'])
      await shop
        .manage(`/reporting/${series}?startDate=1000-01-01&endDate=2999-12-31`)
        .then(200)
        .and(
          body((points) => {
            expect(points).to.have.length(730);
            expect(points[729]).to.include({ date: '1001-12-31T00:00:00Z' });
          }),
        );
    await shop
      .manage('/reporting/aov-timeseries-with-totals?startDate=2024-01-01&endDate=2999-12-31')
      .then(200)
      .and(body(({ dataPoints }) => expect(dataPoints).to.have.length(730)));
  });

  it('is about one source where it is asked to be: the storefront, or what staff wrote', async () => {
    const staff = invoice('staff', {
      content: { source: { ...twoMugs().source, type: 'draft' }, businessDay: '2025-05-01' },
    });
    const other = await openReadingShop([...staff.sold(), ...saleOf({ day: '2025-05-01', amount: 1000 })]);
    const figures = async (sourceType: string) => {
      const asked = `startDate=2025-05-01&endDate=2025-05-01&compareMode=None${sourceType}`;
      const { body: found } = await other.manage(`/reporting/breakdown?${asked}`).then(200);
      const { body: series } = await other.manage(`/reporting/aov-timeseries-with-totals?${asked}`).then(200);
      return [found['total'], series['periodTotal']];
    };
    expect(await figures('')).to.deep.equal([36.4, 18.2]);
    expect(await figures('&sourceType=web')).to.deep.equal([10, 10]);
    expect(await figures('&sourceType=draft')).to.deep.equal([26.4, 26.4]);
    expect(await figures('&sourceType=manual')).to.deep.equal([26.4, 26.4]);
    expect(await figures('&sourceType=pos')).to.deep.equal([0, 0]);
    await other.close();
  });

  it('/summary tells the customers of a source apart by whether they had bought anywhere before', async () => {
    const listed = new ListedShop();
    const goods = { subTotal: 1000, discount: 0, shipping: 0, tax: 0, items: 1, unitCost: 0 };
    listed.sell('2026-03-01', 'pos', 'ada', goods);
    listed.sell('2026-03-02', 'web', 'bob', goods);
    listed.sell('2026-03-03', 'web', 'ada', goods);
    listed.sell('2026-03-04', 'web', 'bob', goods);
    const other = await openReadingShop(listed.events);
    const summary = (startDate: string, sourceType: string) =>
      other.manage(
        `/reporting/summary?startDate=${startDate}&endDate=2026-03-04&compareMode=None&sourceType=${sourceType}`,
      );
    await summary('2026-03-02', 'web').then(200, {
      ...{ totalOrders: 3, returningCustomers: 1, returningCustomerRate: 50 },
      ...{ returningCustomerSparkline: [0, 1, 1], totalOrdersSparkline: [1, 1, 1] },
    });
    await summary('2026-03-01', 'web').then(200, { totalOrders: 3, returningCustomers: 0 });
    await summary('2026-03-01', 'pos').then(200, { totalOrders: 1, returningCustomers: 0 });
    await summary('2026-03-02', 'pos').then(200, { totalOrders: 0, returningCustomerRate: 0 });
    // Today is the first of March.
    const dashboard = (sourceType: string) =>
      other.manage(`/orders/dashboard-stats?sourceType=${sourceType}`);
    await dashboard('pos').then(200, { ordersThisMonth: 1, customerCount: 1, customerCountChange: 1 });
    await dashboard('web').then(200, { ordersThisMonth: 0, customerCount: 2, customerCountChange: 0 });
    await dashboard('ucp').then(200, { ordersThisMonth: 0, customerCount: 0, customerCountChange: 0 });
    await dashboard('market').then(400);
    const [first] = listed.list;
    if (first) listed.cancel(first);
    await other.record(...listed.events.slice(-2));
    await summary('2026-03-02', 'web').then(200, { totalOrders: 3, returningCustomers: 0 });
    await other.close();
  });

  it('refuses an unknown value in every report, naming its parameter', async () => {
    const reports = ['summary', 'breakdown', 'sales-timeseries', 'aov-timeseries'];
    const all = [...reports, 'sales-timeseries-with-totals', 'aov-timeseries-with-totals'];
    for (const report of all) {
      const ask = (parameter: string) => shop.manage(`/reporting/${report}?${march}&${parameter}`);
      await ask('includeCancelled=yes')
        .then(400)
        .and(body(({ errors }) => expect(errors).to.deep.equal(['includeCancelled: must be true or false'])));
      await ask('sourceType=market')
        .then(400)
        .and(
          body(({ errors }) =>
            expect(errors).to.deep.equal(['sourceType: must be web, draft, ucp, api, pos or manual']),
          ),
        );
      await ask('compareMode=Sometimes')
        .then(400)
        .and(body(({ errors }) => expect(errors[0]).to.match(/^compareMode: /)));
    }
  });

  it('refuses what is no window, naming every problem', async () => {
    await shop
      .manage('/reporting/summary?startDate=yesterday')
      .then(400, { success: false })
      .and(
        body(({ errors }) =>
          expect(errors).to.include('startDate: must be a date YYYY-MM-DD').and.to.have.length(2),
        ),
      );
    await shop.manage('/reporting/breakdown?startDate=2026-03-02&endDate=2026-03-01').then(400);
    const tooLong = 'endDate: must be a day at most 3,660 days from startDate, both included';
    for (const report of ['summary', 'breakdown'])
      await shop
        .manage(`/reporting/${report}?startDate=1000-01-01&endDate=2999-12-31`)
        .then(400)
        .and(body(({ errors }) => expect(errors).to.include(tooLong)));
  });

  it('is for the backoffice only', async () => {
    await shop.manage(`/reporting/summary?${march}`, { Authorization: '' }).then(401);
  });

  it('shows a sale to who brings the position of it, and says how old the answer is when it cannot', async () => {
    const position = await shop.record(...saleOf({ day: '2026-03-02', amount: 100 }));
    const headers = { 'Tillroll-Position': String(position) };
    await shop
      .manage(`/reporting/summary?${march}`, headers)
      .then(200, { grossSales: 31 })
      .and(header('Tillroll-Lag', null));
    const late = await openReadingShop(saleOf({ day: '2026-03-01' }), { waitForPosition: async () => 2.3 });
    await late
      .manage(`/reporting/summary?${march}`, headers)
      .then(200, { totalOrders: 1 })
      .and(header('Tillroll-Lag', '3'));
    await late.close();
  });
});
