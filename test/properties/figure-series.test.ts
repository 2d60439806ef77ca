import { expect } from 'chai';
import fc from 'fast-check';
import { daysOf } from '#projection/contexts/reporting/report-window.ts';
import type { JournalEntry } from '#projection/contexts/reporting/sales-journal.projection.ts';
import { chartedFigures } from '#test/support/builders/charted-figures.ts';
import { journalOf } from '#test/support/builders/period.ts';
import { saleOf } from '#test/support/builders/sale.ts';

/** A February of 29 days, and the turn of a year. */
const days = daysOf({ start: '2027-11-20', end: '2028-03-10' });

interface Purchase {
  readonly day: string;
  readonly customer: string;
  readonly amount: number;
}

const purchase: fc.Arbitrary<Purchase> = fc.record({
  day: fc.constantFrom(...days),
  customer: fc.constantFrom('ada', 'bob', 'cyd', 'dan'),
  amount: fc.integer({ min: 1, max: 1_000_000 }),
});

const announced = (purchases: readonly Purchase[]): readonly JournalEntry[] => {
  const last = new Map<string, string>();
  const events = [...purchases]
    .sort((a, b) => a.day.localeCompare(b.day))
    .flatMap(({ day, customer, amount }) => {
      const previousSaleDay = last.get(customer) ?? null;
      last.set(customer, day);
      return saleOf({ day, amount, previousSaleDay });
    });
  return journalOf(...events);
};

/** The first day of the interval that a day is in, going back day by day. */
const startOfInterval = (day: string, interval: 'day' | 'week' | 'month'): string => {
  const isStart = (one: string): boolean =>
    interval === 'day' ||
    (interval === 'month' ? one.endsWith('-01') : new Date(`${one}T00:00:00Z`).getUTCDay() === 1);
  let at = Date.parse(`${day}T00:00:00Z`);
  while (!isStart(new Date(at).toISOString().slice(0, 10))) at -= 86_400_000;
  return new Date(at).toISOString().slice(0, 10);
};

const customersOf = (purchases: readonly Purchase[]) => new Set(purchases.map(({ customer }) => customer));

/** How many bought in these days, and had or had not before the first of them. */
const customers = (all: readonly Purchase[], within: readonly Purchase[], start: string) => {
  const buyers = customersOf(within);
  const earlier = customersOf(all.filter(({ day }) => day < start));
  const returning = buyers.intersection(earlier).size;
  return { newCustomers: buyers.size - returning, returningCustomers: returning };
};

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

describe('figures in intervals', () => {
  const place = fc.nat(days.length - 1);
  const interval = fc.constantFrom('day' as const, 'week' as const, 'month' as const);
  const asked = fc.tuple(fc.array(purchase, { maxLength: 40 }), place, place, interval);

  it('are what a list of all purchases says', () => {
    fc.assert(
      fc.property(asked, ([purchases, one, other, interval]) => {
        const [startDate = '', endDate = ''] = [days[Math.min(one, other)], days[Math.max(one, other)]];
        const within = purchases.filter(({ day }) => day >= startDate && day <= endDate);
        const names = ['sales', 'orders', 'newCustomers', 'returningCustomers'] as const;
        const query = { startDate, endDate, interval } as const;
        const [sales, orders, fresh, returning] = chartedFigures(announced(purchases), names, query);

        const later = (start: string): string => (start > startDate ? start : startDate);
        const starts = [
          ...new Set(
            daysOf({ start: startDate, end: endDate }).map((day) => later(startOfInterval(day, interval))),
          ),
        ];
        const expected = starts.map((start) => {
          const bought = within.filter(({ day }) => later(startOfInterval(day, interval)) === start);
          return {
            date: `${start}T00:00:00Z`,
            sales: sum(bought.map(({ amount }) => amount)),
            orders: bought.length,
            ...customers(purchases, bought, start),
          };
        });
        const found = (sales?.points ?? []).map(({ date, value }, index) => ({
          date,
          sales: value,
          orders: orders?.points[index]?.value,
          newCustomers: fresh?.points[index]?.value,
          returningCustomers: returning?.points[index]?.value,
        }));
        expect(found).to.deep.equal(expected);
        expect({ newCustomers: fresh?.total, returningCustomers: returning?.total }).to.deep.equal(
          customers(purchases, within, startDate),
        );
      }),
    );
  });

  it('add up to the window, and so do those that they are compared with', () => {
    const mode = fc.constantFrom('Previous' as const, 'PreviousYear' as const);
    fc.assert(
      fc.property(asked, mode, ([purchases, one, other, interval], compareMode) => {
        const [startDate = '', endDate = ''] = [days[Math.min(one, other)], days[Math.max(one, other)]];
        const yearBefore = purchases.map((bought) => ({
          ...bought,
          day: `${Number(bought.day.slice(0, 4)) - 1}${bought.day.slice(4).replace('-02-29', '-02-28')}`,
        }));
        const all = announced([...purchases, ...yearBefore]);
        const query = { startDate, endDate, interval, compareMode } as const;
        for (const { points, total, comparisonTotal } of chartedFigures(
          all,
          ['sales', 'items', 'orders'],
          query,
        )) {
          expect(sum(points.map(({ value }) => value))).to.equal(total);
          expect(sum(points.map(({ comparisonValue }) => comparisonValue ?? 0))).to.equal(
            comparisonTotal ?? 0,
          );
        }
      }),
    );
  });
});
