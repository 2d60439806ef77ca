import { expect } from 'chai';
import fc from 'fast-check';
import {
  dailySalesProjection,
  type DaySales,
} from '#projection/contexts/reporting/daily-sales.projection.ts';
import { customersIn, salesBreakdown } from '#projection/contexts/reporting/reporting.queries.ts';
import { daysOf } from '#projection/contexts/reporting/report-window.ts';
import { periodOf } from '#test/support/builders/period.ts';
import { saleOf } from '#test/support/builders/sale.ts';
import { givenEvents } from '#test/support/given.ts';

const window = { start: '2026-03-01', end: '2026-03-10' };
const days = daysOf(window);
const customers = ['ada', 'bob', 'cyd', 'dan'];

const purchase = fc.record({
  day: fc.constantFrom(...days),
  customer: fc.constantFrom(...customers),
  amount: fc.integer({ min: 1, max: 1_000_000 }),
});
type Purchase = typeof purchase extends fc.Arbitrary<infer Value> ? Value : never;

const byDay = (a: Purchase, b: Purchase): number => a.day.localeCompare(b.day);

/** The sales as they would be announced, each with the day of its customer's purchase before. */
const salesOf = (purchases: readonly Purchase[]): ReadonlyMap<string, DaySales> => {
  const last = new Map<string, string>();
  const events = [...purchases].sort(byDay).map(({ day, customer, amount }) => {
    const previousSaleDay = last.get(customer) ?? null;
    last.set(customer, day);
    return saleOf({ day, amount, previousSaleDay });
  });
  return givenEvents(...events).project(dailySalesProjection, '').documents;
};

describe('reports from daily figures', () => {
  it('come to the same whole however the days are split', () => {
    fc.assert(
      fc.property(fc.array(purchase, { maxLength: 30 }), fc.integer({ min: 0, max: 8 }), (purchases, cut) => {
        const sales = salesOf(purchases);
        const total = (from: number, to: number): number => {
          const part = periodOf({ start: days[from] ?? '', end: days[to] ?? '' }, sales.values());
          return salesBreakdown(part, null, 'JPY').totalSales;
        };
        expect(total(0, cut) + total(cut + 1, 9)).to.equal(total(0, 9));
      }),
    );
  });

  it('count customers as a list of all sales would', () => {
    const place = fc.integer({ min: 0, max: 9 });
    fc.assert(
      fc.property(fc.array(purchase, { maxLength: 30 }), place, place, (purchases, one, other) => {
        const [start = '', end = ''] = [days[Math.min(one, other)], days[Math.max(one, other)]];
        const within = purchases.filter(({ day }) => day >= start && day <= end);
        const all = new Set(within.map(({ customer }) => customer));
        const earlier = new Set(purchases.filter(({ day }) => day < start).map(({ customer }) => customer));
        const counted = customersIn(periodOf({ start, end }, salesOf(purchases).values()));
        expect(counted).to.deep.equal({ all: all.size, returning: all.intersection(earlier).size });
      }),
    );
  });
});
