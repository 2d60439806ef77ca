import { expect } from 'chai';
import type { Period } from '#projection/contexts/reporting/period.ts';
import {
  averagePoints,
  averageSeries,
  salesPoints,
  salesSeries,
} from '#projection/contexts/reporting/time-series.queries.ts';
import { journalOf, periodOf } from '#test/support/builders/period.ts';
import { saleOf, type Sale } from '#test/support/builders/sale.ts';

const period = (start: string, end: string, ...sales: readonly Sale[]): Period => {
  return periodOf({ start, end }, journalOf(...sales.flatMap(saleOf)));
};

describe('the time series', () => {
  it('has a point for every day, beside the day with the same place before', () => {
    const now = period('2026-03-01', '2026-03-02', { day: '2026-03-02', amount: 300 });
    const before = period('2026-02-27', '2026-02-28', { day: '2026-02-27', amount: 200 });
    expect(salesSeries(now, before, 'GBP')).to.deep.equal({
      dataPoints: [
        { date: '2026-03-01T00:00:00Z', value: 0, comparisonValue: 2 },
        { date: '2026-03-02T00:00:00Z', value: 3, comparisonValue: null },
      ],
      periodTotal: 3,
      comparisonTotal: 2,
      percentChange: 50,
    });
  });

  it('compares with nothing where nothing was sold or nothing was asked for', () => {
    const now = period('2026-03-01', '2026-03-01', { day: '2026-03-01' });
    for (const comparison of [null, period('2026-02-28', '2026-02-28')]) {
      const { comparisonTotal, percentChange: change } = salesSeries(now, comparison, 'GBP');
      expect([comparisonTotal, change]).to.deep.equal([null, null]);
    }
  });
});

describe('the time series of the average order value', () => {
  /** 10.00 and 10.01 on the first day, an order for nothing on the second, 5.00 on the fourth. */
  const march = period(
    '2026-03-01',
    '2026-03-04',
    { day: '2026-03-01', amount: 1000 },
    { day: '2026-03-01', amount: 1001 },
    { day: '2026-03-02', amount: 0 },
    { day: '2026-03-04', amount: 500 },
  );
  const february = period(
    '2026-02-25',
    '2026-02-28',
    { day: '2026-02-26', amount: 0 },
    { day: '2026-02-28', amount: 700 },
    { day: '2026-02-28', amount: 900 },
  );
  const points = [
    { date: '2026-03-01T00:00:00Z', value: 10.01, comparisonValue: null },
    { date: '2026-03-02T00:00:00Z', value: 0, comparisonValue: 0 },
    { date: '2026-03-03T00:00:00Z', value: 0, comparisonValue: null },
    { date: '2026-03-04T00:00:00Z', value: 5, comparisonValue: 8 },
  ];

  it('rounds each day, averages the days that are not 0, and all orders beside them', () => {
    expect(averageSeries(march, february, 'GBP')).to.deep.equal({
      dataPoints: points,
      // (10.01 + 5.00) / 2 = 7.505
      periodTotal: 7.51,
      comparisonTotal: 8,
      // −0.49 of 8.00: −6.125 %
      percentChange: -6.1,
      // 25.01 / 4 = 6.2525
      weightedAverage: 6.25,
    });
  });

  it('has the same points without totals', () => {
    expect(averagePoints(march, february, 'GBP')).to.deep.equal(points);
    expect(salesPoints(march, february, 'GBP')).to.deep.equal(salesSeries(march, february, 'GBP').dataPoints);
  });

  it('is 0 where nothing was sold, and of orders for nothing', () => {
    const [nothing, free] = [
      period('2026-03-01', '2026-03-01'),
      period('2026-03-01', '2026-03-01', { day: '2026-03-01', amount: 0 }),
    ];
    expect(averageSeries(nothing, free, 'GBP')).to.deep.include({
      periodTotal: 0,
      comparisonTotal: 0,
      percentChange: 0,
      weightedAverage: 0,
    });
    expect(averageSeries(free, nothing, 'GBP')).to.deep.include({
      periodTotal: 0,
      comparisonTotal: null,
      percentChange: null,
      weightedAverage: 0,
    });
  });
});
