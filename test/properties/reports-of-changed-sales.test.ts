import { expect } from 'chai';
import fc from 'fast-check';
import type { SalesFilter } from '#projection/contexts/reporting/period.ts';
import {
  customersIn,
  salesBreakdown,
  salesSummary,
  sumOf,
} from '#projection/contexts/reporting/reporting.queries.ts';
import { daysOf } from '#projection/contexts/reporting/report-window.ts';
import { averageSeries, salesSeries } from '#projection/contexts/reporting/time-series.queries.ts';
import { journalOf, periodOf } from '#test/support/builders/period.ts';
import {
  ListedShop,
  shopDays,
  shopStep,
  source,
  totalOf,
  type ListedSale,
} from '#test/support/listed-shop.ts';

const filter = fc.record({
  includeCancelled: fc.boolean(),
  sourceType: fc.option(source, { nil: undefined }),
});

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
/** Of what is not negative, a half goes up. */
const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : Math.floor(sum(values) / values.length + 0.5);

/** The figures of the breakdown, each summed up by itself. */
const breakdownOf = (list: readonly ListedSale[]) => {
  const all = (figure: (sale: ListedSale) => number): number => sum(list.map(figure));
  const grossSales = all((sale) => sale.goods.subTotal);
  const [discounts, returns] = [all((sale) => sale.goods.discount), all((sale) => sale.returns)];
  const totalCost = all((sale) => sale.goods.items * sale.goods.unitCost);
  const netSales = grossSales - discounts - returns;
  return {
    ...{ grossSales, discounts, returns, netSales, totalCost, grossProfit: netSales - totalCost },
    shipping: all((sale) => sale.goods.shipping),
    taxes: all((sale) => sale.goods.tax),
    total: all((sale) => totalOf(sale.goods) - sale.returns),
  };
};

const report = (shop: ListedShop, asked: SalesFilter, place: readonly [number, number]) => {
  const [start = '', end = ''] = [shopDays[Math.min(...place)], shopDays[Math.max(...place)]];
  const isCounted = ({ day, status, source: from }: ListedSale): boolean =>
    day >= start &&
    day <= end &&
    (status === 'stands' || (asked.includeCancelled === true && status === 'cancelled')) &&
    (asked.sourceType ?? from) === from;
  const isFulfilled = ({ completedOn, status, source: from }: ListedSale): boolean =>
    completedOn !== null &&
    completedOn >= start &&
    completedOn <= end &&
    status !== 'deleted' &&
    (asked.sourceType ?? from) === from;
  return {
    period: periodOf({ start, end }, journalOf(...shop.events), asked),
    counted: shop.list.filter(isCounted),
    standing: shop.list.filter(({ status }) => status === 'stands'),
    isFrom: ({ source: from }: ListedSale): boolean => (asked.sourceType ?? from) === from,
    fulfilled: shop.list.filter(isFulfilled).length,
  };
};

describe('reports of sales that are refunded, edited, cancelled and deleted', () => {
  const place = fc.tuple(fc.nat(9), fc.nat(9));
  const steps = fc.array(shopStep, { maxLength: 40 });
  const holdAgainstList = (check: (reported: ReturnType<typeof report>) => void): void =>
    fc.assert(
      fc.property(steps, filter, place, (all, asked, within) => {
        const shop = new ListedShop();
        for (const one of all) one(shop);
        check(report(shop, asked, within));
      }),
    );

  it('add up from gross sales to profit as a list of the sales does', () =>
    holdAgainstList(({ period, counted }) => {
      const found = salesBreakdown(period, null, 'JPY');
      expect(found).to.deep.include(breakdownOf(counted));
      const { netSales, shipping, taxes, returnFees, total } = found;
      expect(netSales + shipping + taxes - returnFees).to.equal(total);
    }));

  it('show days that add up to the period, which is the breakdown before returns', () =>
    holdAgainstList(({ period, counted }) => {
      const { dataPoints, periodTotal } = salesSeries(period, null, 'JPY');
      expect(sum(dataPoints.map(({ value }) => value))).to.equal(periodTotal);
      expect(periodTotal).to.equal(sum(counted.map((sale) => totalOf(sale.goods))));
      const { total, returns } = salesBreakdown(period, null, 'JPY');
      expect(periodTotal).to.equal(total + returns);
    }));

  it('count orders on the day on which they were completed, of all but deleted invoices', () =>
    holdAgainstList(({ period, fulfilled }) => {
      expect(sumOf(period.sales.values()).ordersFulfilled).to.equal(fulfilled);
    }));

  it('tell the customers of a source apart by all earlier sales, in whatever order they are paid', () =>
    holdAgainstList(({ period, standing, isFrom }) => {
      const { start, end } = period.window;
      const who = (sales: readonly ListedSale[]): Set<string> =>
        new Set(sales.map(({ customer }) => customer));
      const countIn = (from: string, to: string) => {
        const all = who(standing.filter((sale) => isFrom(sale) && sale.day >= from && sale.day <= to));
        const earlier = who(standing.filter(({ day }) => day < from));
        return { all: all.size, returning: all.intersection(earlier).size };
      };
      expect(customersIn(period)).to.deep.equal(countIn(start, end));
      const { returningCustomerSparkline } = salesSummary(period, null, 'JPY');
      expect(returningCustomerSparkline).to.deep.equal(
        daysOf(period.window).map((day) => countIn(day, day).returning),
      );
    }));

  it('average orders by day and in all', () =>
    holdAgainstList(({ period, counted }) => {
      const { dataPoints, periodTotal, weightedAverage } = averageSeries(period, null, 'JPY');
      const totalsOf = (sales: readonly ListedSale[]): number[] => sales.map((sale) => totalOf(sale.goods));
      const averages = daysOf(period.window).map((date) =>
        mean(totalsOf(counted.filter(({ day }) => day === date))),
      );
      expect(dataPoints.map(({ value }) => value)).to.deep.equal(averages);
      expect(periodTotal).to.equal(mean(averages.filter((value) => value > 0)));
      expect(weightedAverage).to.equal(mean(totalsOf(counted)));
    }));
});
