import { expect } from 'chai';
import { readSalesReport, type ReportSource } from '#projection/cli/report/sales-report.ts';

/** A shop that sells something for 10 right before each question, and knows what it had sold at any moment. */
const sellingShop = (): ReportSource => {
  let sold = 0;
  const instantAfter = (sales: number): string => `2026-03-31T10:00:0${sales}.000Z`;
  return {
    ask: async (pathAndQuery) => {
      sold++;
      const [path, query] = pathAndQuery.split('?');
      const asOf = new URLSearchParams(query).get('asOf') ?? instantAfter(sold);
      const value =
        10 *
        Array.from({ length: sold }, (_, sale) => sale + 1).filter((n) => instantAfter(n) <= asOf).length;
      if (path === '/reporting/breakdown') return { grossSales: value };
      if (path === '/reporting/top') return { items: [{ id: 'mug', name: 'Mug', value }] };
      const series = [{ figure: 'sales', unit: 'amount', points: [], total: value, comparisonTotal: null }];
      return { interval: 'day', currency: 'USD', asOf, series };
    },
    store: () => Promise.resolve({ name: 'Harbour & Kiln', timeZone: 'UTC' }),
    close: () => Promise.resolve(),
  };
};

describe('a report of a shop that is selling', () => {
  const window = { start: '2026-03-01', end: '2026-03-31' };

  it('is about one moment in all its parts', async () => {
    const report = await readSalesReport(sellingShop(), { window, compare: { compareMode: 'None' } });
    const { byItems, bySales } = report.bestSellers;
    const values = [
      report.figures[0]?.total,
      report.breakdown[0]?.value,
      byItems[0]?.value,
      bySales[0]?.value,
    ];
    expect(report.asOf).to.equal('2026-03-31T10:00:01.000Z');
    expect(values).to.deep.equal([10, 10, 10, 10]);
  });
});
