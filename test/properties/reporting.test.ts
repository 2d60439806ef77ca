import { expect } from 'chai';
import fc from 'fast-check';
import { salesBreakdown } from '#projection/contexts/reporting/reporting.queries.ts';
import { journalOf, periodOf } from '#test/support/builders/period.ts';
import { saleOf } from '#test/support/builders/sale.ts';
import { shopDays } from '#test/support/listed-shop.ts';

const sale = fc.record({
  day: fc.constantFrom(...shopDays),
  amount: fc.integer({ min: 1, max: 1_000_000 }),
});

describe('reports from the journal of sales', () => {
  it('come to the same whole however the days are split', () => {
    fc.assert(
      fc.property(fc.array(sale, { maxLength: 30 }), fc.integer({ min: 0, max: 8 }), (sales, cut) => {
        const journal = journalOf(...sales.flatMap(saleOf));
        const total = (from: number, to: number): number => {
          const part = periodOf({ start: shopDays[from] ?? '', end: shopDays[to] ?? '' }, journal);
          return salesBreakdown(part, null, 'JPY').totalSales;
        };
        expect(total(0, cut) + total(cut + 1, 9)).to.equal(total(0, 9));
      }),
    );
  });
});
