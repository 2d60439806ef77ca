import { expect } from 'chai';
import type { Period } from '#projection/contexts/reporting/period.ts';
import {
  customersIn,
  percentChange,
  salesBreakdown,
  salesSummary,
} from '#projection/contexts/reporting/reporting.queries.ts';
import { invoice } from '#test/support/builders/invoice.ts';
import { journalOf, periodOf } from '#test/support/builders/period.ts';
import { saleOf, type Sale } from '#test/support/builders/sale.ts';
import type { GivenEvent } from '#test/support/given.ts';

const projected = (start: string, end: string, events: readonly GivenEvent[]): Period => {
  return periodOf({ start, end }, journalOf(...events));
};

const period = (start: string, end: string, ...sales: readonly Sale[]): Period =>
  projected(start, end, sales.flatMap(saleOf));

describe('a change in percent', () => {
  it('is 100 from nothing to something, 0 from nothing to nothing', () => {
    expect(percentChange(5, 0)).to.equal(100);
    expect(percentChange(0, 0)).to.equal(0);
    expect(percentChange(-5, 0)).to.equal(0);
  });

  it('has one decimal, halves to even', () => {
    expect(percentChange(150, 100)).to.equal(50);
    expect(percentChange(0, 100)).to.equal(-100);
    expect(percentChange(200_25, 200_00)).to.equal(0.1);
    expect(percentChange(2001, 2000)).to.equal(0);
    expect(percentChange(2003, 2000)).to.equal(0.2);
    expect(percentChange(50, -100)).to.equal(150);
  });
});

describe('the customers of a window', () => {
  it('are counted once, however often they buy in it', () => {
    const march = period(
      '2026-03-01',
      '2026-03-31',
      { day: '2026-03-02' },
      { day: '2026-03-05', previousSaleDay: '2026-03-02' },
      { day: '2026-03-05', previousSaleDay: '2026-03-05' },
    );
    expect(customersIn(march)).to.deep.equal({ all: 1, returning: 0 });
  });

  it('return when they had bought before it began', () => {
    const sales = [
      { day: '2026-03-02', previousSaleDay: '2026-02-27' },
      { day: '2026-03-03' },
      { day: '2026-03-04', previousSaleDay: '2026-03-02' },
    ];
    expect(customersIn(period('2026-03-01', '2026-03-31', ...sales))).to.deep.equal({ all: 2, returning: 1 });
    expect(customersIn(period('2026-03-04', '2026-03-04', ...sales))).to.deep.equal({ all: 1, returning: 1 });
  });
});

describe('the summary', () => {
  it('tells gross sales, orders and returning customers, each with its change and day by day', () => {
    const sales = [
      { day: '2026-03-01', amount: 1000 },
      { day: '2026-03-03', amount: 2000, previousSaleDay: '2026-02-20' },
      { day: '2026-03-03', amount: 500 },
    ];
    const now = period('2026-03-01', '2026-03-03', ...sales);
    const before = period('2026-02-26', '2026-02-28', { day: '2026-02-27', amount: 700 });
    const summary = salesSummary(now, before, 'GBP');
    expect(summary).to.deep.equal({
      grossSales: 35,
      grossSalesChange: 400,
      returningCustomers: 1,
      returningCustomersChange: 100,
      returningCustomerRate: 33.3,
      returningCustomerRateChange: 100,
      ordersFulfilled: 0,
      ordersFulfilledChange: 0,
      totalOrders: 3,
      totalOrdersChange: 200,
      grossSalesSparkline: [10, 0, 25],
      returningCustomerSparkline: [0, 0, 1],
      ordersFulfilledSparkline: [0, 0, 0],
      totalOrdersSparkline: [1, 0, 2],
    });
  });

  it('shows no change where nothing is compared', () => {
    const summary = salesSummary(period('2026-03-01', '2026-03-01', { day: '2026-03-01' }), null, 'GBP');
    expect(summary.grossSalesChange).to.equal(0);
    expect(summary.totalOrdersChange).to.equal(0);
  });

  it('speaks the store currency, with its decimals', () => {
    const sold = period('2026-03-01', '2026-03-01', { day: '2026-03-01', amount: 1234 });
    expect(salesSummary(sold, null, 'JPY').grossSales).to.equal(1234);
    expect(salesSummary(sold, null, 'KWD').grossSales).to.equal(1.234);
  });
});

describe('the breakdown', () => {
  it('leads from gross sales to profit', () => {
    const sold = projected('2026-03-01', '2026-03-01', invoice('sold').sold());
    const breakdown = salesBreakdown(sold, null, 'GBP');
    expect(breakdown).to.deep.include({
      grossSales: 20,
      discounts: 2,
      returns: 0,
      netSales: 18,
      shippingCharges: 4,
      shipping: 4,
      returnFees: 0,
      taxes: 4.4,
      totalSales: 26.4,
      total: 26.4,
      totalCost: 6,
      grossProfit: 12,
      grossProfitMargin: 66.67,
      totalSalesChange: 0,
    });
  });

  it('shows the margin’s change in points', () => {
    const sold = projected('2026-03-01', '2026-03-01', invoice('sold').sold());
    const nothing = period('2026-02-28', '2026-02-28');
    const breakdown = salesBreakdown(sold, nothing, 'GBP');
    expect(breakdown.grossProfitMarginChange).to.equal(66.67);
    expect(breakdown.grossProfitChange).to.equal(100);
  });
});
