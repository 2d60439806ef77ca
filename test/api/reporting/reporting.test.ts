import { expect } from 'chai';
import { invoice } from '#test/support/builders/invoice.ts';
import { saleOf } from '#test/support/builders/sale.ts';
import { openReadingShop, type ReadingShop } from '#test/support/reading-shop.ts';

const march = 'startDate=2026-03-01&endDate=2026-03-03';

describe('GET /reporting', () => {
  let shop: ReadingShop;
  before(async () => {
    shop = await openReadingShop([
      ...invoice('sold').sold(),
      saleOf({ day: '2026-03-03', amount: 1000 }),
      saleOf({ day: '2026-02-27', amount: 500 }),
    ]);
  });
  after(() => shop.close());

  it('/summary adds up the days and compares them with as many before', async () => {
    const { status, body } = await shop.manage(`/reporting/summary?${march}`);
    expect(status).to.equal(200);
    expect(body).to.deep.include({
      grossSales: 30,
      grossSalesChange: 500,
      totalOrders: 2,
      totalOrdersChange: 100,
      totalOrdersSparkline: [1, 0, 1],
    });
  });

  it('/breakdown leads from gross sales to profit', async () => {
    const { body } = await shop.manage(`/reporting/breakdown?${march}&compareMode=None`);
    expect(body).to.deep.include({
      grossSales: 30,
      discounts: 2,
      taxes: 4.4,
      totalSales: 36.4,
      grossSalesChange: 0,
    });
  });

  it('/sales-timeseries-with-totals has every day, and at most 730', async () => {
    const path = '/reporting/sales-timeseries-with-totals';
    const { body } = await shop.manage(`${path}?${march}`);
    expect(body).to.deep.equal({
      dataPoints: [
        { date: '2026-03-01T00:00:00Z', value: 26.4, comparisonValue: null },
        { date: '2026-03-02T00:00:00Z', value: 0, comparisonValue: 5 },
        { date: '2026-03-03T00:00:00Z', value: 10, comparisonValue: null },
      ],
      periodTotal: 36.4,
      comparisonTotal: 5,
      percentChange: 628,
    });
    const long = await shop.manage(`${path}?startDate=2024-01-01&endDate=2026-12-31&compareMode=None`);
    expect(long.body.dataPoints).to.have.length(730);
    const centuries = await shop.manage(
      `${path}?startDate=1000-01-01&endDate=2999-12-31&compareMode=Custom&comparisonStartDate=1000-01-01&comparisonEndDate=2999-12-31`,
    );
    expect(centuries.body).to.deep.include({ periodTotal: 0, comparisonTotal: null });
    expect(centuries.body.dataPoints).to.have.length(730);
  });

  it('refuses what is no window, naming every problem', async () => {
    const { status, body } = await shop.manage('/reporting/summary?startDate=yesterday');
    expect(status).to.equal(400);
    expect(body.success).to.equal(false);
    expect(body.errors).to.deep.include('startDate: a date YYYY-MM-DD was expected').and.to.have.length(2);
    const reversed = await shop.manage('/reporting/breakdown?startDate=2026-03-02&endDate=2026-03-01');
    expect(reversed.status).to.equal(400);
    for (const report of ['summary', 'breakdown']) {
      const long = await shop.manage(`/reporting/${report}?startDate=1000-01-01&endDate=2999-12-31`);
      expect(long.status).to.equal(400);
      expect(long.body.errors)
        .to.be.an('array')
        .that.include('endDate: a day at most 3,660 days from startDate, both included, was expected');
    }
  });

  it('is for the backoffice only', async () => {
    const { status } = await shop.manage(`/reporting/summary?${march}`, { Authorization: '' });
    expect(status).to.equal(401);
  });

  it('shows a sale to who brings the position of it, and says how old the answer is when it cannot', async () => {
    const position = await shop.record(saleOf({ day: '2026-03-02', amount: 100 }));
    const headers = { 'Tillroll-Position': String(position) };
    const fresh = await shop.manage(`/reporting/summary?${march}`, headers);
    expect(fresh.body.grossSales).to.equal(31);
    expect(fresh.headers.get('Tillroll-Lag')).to.equal(null);
    const late = await openReadingShop([saleOf({ day: '2026-03-01' })], { waitForPosition: async () => 2.3 });
    const behind = await late.manage(`/reporting/summary?${march}`, headers);
    expect(behind.body.totalOrders).to.equal(1);
    expect(behind.headers.get('Tillroll-Lag')).to.equal('3');
    await late.close();
  });
});
