import { expect } from 'chai';
import { invoice } from '#test/support/builders/invoice.ts';
import { chartedFigures } from '#test/support/builders/charted-figures.ts';
import { journalOf } from '#test/support/builders/period.ts';
import { saleOf, type Sale } from '#test/support/builders/sale.ts';

const sold = (...sales: readonly Sale[]) => journalOf(...sales.flatMap(saleOf));

const values = (series: ReturnType<typeof chartedFigures>[number] | undefined) =>
  series?.points.map(({ value }) => value);

describe('figures in intervals', () => {
  it('are those of the breakdown, each in its unit', () => {
    const asked = { startDate: '2026-03-01', endDate: '2026-03-01', interval: 'day' } as const;
    const names = [
      'sales',
      'grossSales',
      'discounts',
      'returns',
      'netSales',
      'taxes',
      'orders',
      'items',
    ] as const;
    const figures = chartedFigures(journalOf(...invoice('sold').sold()), names, asked, 'GBP');
    expect(figures.map(({ figure, unit, total }) => [figure, unit, total])).to.deep.equal([
      ['sales', 'amount', 26.4],
      ['grossSales', 'amount', 20],
      ['discounts', 'amount', 2],
      ['returns', 'amount', 0],
      ['netSales', 'amount', 18],
      ['taxes', 'amount', 4.4],
      ['orders', 'count', 1],
      ['items', 'count', 2],
    ]);
  });

  it('stand beside those of the comparison, which are null where nothing was sold', () => {
    const days = sold(
      { day: '2026-06-11', amount: 100 },
      { day: '2026-06-14', amount: 200 },
      { day: '2026-06-16', amount: 400 },
      { day: '2026-06-01', amount: 50 },
    );
    const query = { startDate: '2026-06-11', endDate: '2026-06-23', interval: 'week' } as const;
    expect(chartedFigures(days, ['sales'], { ...query, compareMode: 'Previous' })).to.deep.equal([
      {
        figure: 'sales',
        unit: 'amount',
        points: [
          { date: '2026-06-11T00:00:00Z', value: 300, comparisonValue: 50 },
          { date: '2026-06-15T00:00:00Z', value: 400, comparisonValue: null },
          { date: '2026-06-22T00:00:00Z', value: 0, comparisonValue: null },
        ],
        total: 700,
        comparisonTotal: 50,
      },
    ]);
    const [alone] = chartedFigures(days, ['sales'], query);
    expect(alone?.comparisonTotal).to.equal(null);
    expect(alone?.points.map(({ comparisonValue }) => comparisonValue)).to.deep.equal([null, null, null]);
  });

  it('average the days of an interval, as the average order value of a window does', () => {
    const days = sold(
      { day: '2026-06-15', amount: 1000 },
      { day: '2026-06-15', amount: 1001 },
      { day: '2026-06-16', amount: 500 },
      { day: '2026-06-22', amount: 300 },
    );
    const [average] = chartedFigures(days, ['averageOrderValue'], {
      startDate: '2026-06-15',
      endDate: '2026-06-23',
      interval: 'week',
    });
    // 1000.5 is shown as 1001; (1001 + 500) / 2 = 750.5; (1001 + 500 + 300) / 3 = 600.33
    expect(values(average)).to.deep.equal([751, 300]);
    expect(average?.total).to.equal(600);
  });

  it('count the customers of each interval by itself, and those of all in the total', () => {
    const days = sold(
      // Ada for the first time, again in the same week, and in the week after.
      { day: '2026-06-15' },
      { day: '2026-06-17', previousSaleDay: '2026-06-15' },
      { day: '2026-06-22', previousSaleDay: '2026-06-17' },
      // Bob, who had bought before.
      { day: '2026-06-23', previousSaleDay: '2026-05-01' },
    );
    const asked = { startDate: '2026-06-15', endDate: '2026-06-28' } as const;
    const counted = (interval: 'day' | 'week' | 'month') =>
      chartedFigures(days, ['newCustomers', 'returningCustomers'], { ...asked, interval });
    const [fresh, returning] = counted('week');
    expect([values(fresh), fresh?.total]).to.deep.equal([[1, 0], 1]);
    expect([values(returning), returning?.total]).to.deep.equal([[0, 2], 1]);
    const [, returningByDay] = counted('day');
    expect(values(returningByDay)?.slice(0, 9)).to.deep.equal([0, 0, 1, 0, 0, 0, 0, 1, 1]);
    expect(counted('month').map((series) => [values(series), series.total])).to.deep.equal([
      [[1], 1],
      [[1], 1],
    ]);
  });
});
