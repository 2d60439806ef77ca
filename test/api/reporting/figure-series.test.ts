import { expect } from 'chai';
import { invoice } from '#test/support/builders/invoice.ts';
import { saleOf } from '#test/support/builders/sale.ts';
import { openReadingShop, type ReadingShop } from '#test/support/reading-shop.ts';
import { body, exactly } from '#test/support/scene.ts';

const march = 'startDate=2026-03-01&endDate=2026-03-03';

describe('GET /reporting/series', () => {
  let shop: ReadingShop;
  before(async () => {
    shop = await openReadingShop([
      ...invoice('sold').sold(),
      ...saleOf({ day: '2026-03-03', amount: 1000 }),
      ...saleOf({ day: '2026-02-27', amount: 500 }),
    ]);
  });
  after(() => shop.close());

  const refused = async (query: string, problem: string) =>
    shop
      .manage(`/reporting/series?${query}`)
      .then(400)
      .and(body(({ errors }) => expect(errors).to.deep.equal([problem])));

  it('shows several figures at once, beside the days before', async () => {
    await shop
      .manage(`/reporting/series?${march}&figures=sales,orders&interval=week`)
      .then(200)
      .and(
        exactly({
          interval: 'week',
          currency: 'GBP',
          asOf: '2026-03-01T12:00:00.000Z',
          series: [
            {
              figure: 'sales',
              unit: 'amount',
              points: [
                { date: '2026-03-01T00:00:00Z', value: 26.4, comparisonValue: null },
                { date: '2026-03-02T00:00:00Z', value: 10, comparisonValue: 5 },
              ],
              total: 36.4,
              comparisonTotal: 5,
            },
            {
              figure: 'orders',
              unit: 'count',
              points: [
                { date: '2026-03-01T00:00:00Z', value: 1, comparisonValue: null },
                { date: '2026-03-02T00:00:00Z', value: 1, comparisonValue: 1 },
              ],
              total: 2,
              comparisonTotal: 1,
            },
          ],
        }),
      );
  });

  it('is by day unless another interval is asked for, and tells a figure once', async () => {
    await shop
      .manage(`/reporting/series?${march}&figures=items&figures=taxes,items&compareMode=None`)
      .then(200, { interval: 'day' })
      .and(
        body(({ series }) => {
          const values = series.map((one: { figure: string; points: { value: number }[] }) => [
            one.figure,
            one.points.map(({ value }) => value),
          ]);
          expect(values).to.deep.equal([
            ['items', [2, 0, 1]],
            ['taxes', [4.4, 0, 0]],
          ]);
        }),
      );
  });

  it('takes the same filters as other reports', async () => {
    await shop
      .manage(`/reporting/series?${march}&figures=sales&sourceType=pos&includeCancelled=true`)
      .then(200)
      .and(body(({ series }) => expect(series[0]).to.include({ total: 0, comparisonTotal: null })));
    await shop
      .manage(`/reporting/series?${march}&figures=newCustomers&sourceType=web&compareMode=None`)
      .then(200)
      .and(body(({ series }) => expect(series[0]).to.include({ unit: 'count', total: 1 })));
  });

  it('refuses what it does not know, by the name of its parameter', async () => {
    const figures =
      'figures: must be one or more of sales, grossSales, netSales, discounts, returns, taxes, orders, items, ' +
      'averageOrderValue, newCustomers, returningCustomers';
    await refused(march, figures);
    await refused(`${march}&figures=`, figures);
    await refused(`${march}&figures=sales,profit`, figures);
    await refused(`${march}&figures=sales&interval=year`, 'interval: must be day, week or month');
  });

  it('refuses windows of more than ten years, and windows that end before they begin', async () => {
    await refused(
      'startDate=2010-01-01&endDate=2026-12-31&figures=sales&interval=month',
      'endDate: must be a day at most 3,660 days from startDate, both included',
    );
    await refused(
      'startDate=2026-03-02&endDate=2026-03-01&figures=sales',
      'endDate: must be a day not before startDate',
    );
  });

  it('has every day of ten years', async () => {
    await shop
      .manage('/reporting/series?startDate=2016-12-25&endDate=2026-12-31&figures=sales')
      .then(200)
      .and(body(({ series }) => expect(series[0].points).to.have.length(3659)));
  });
});
