import { expect } from 'chai';
import { breakdownQuery, seriesQuery } from '#contracts/reporting.contract.ts';
import { capped, comparisonOf, daysOf } from '#projection/contexts/reporting/report-window.ts';

const queryOf = (given: Readonly<Record<string, string>>) =>
  breakdownQuery.parse({ startDate: '2026-03-01', endDate: '2026-03-07', ...given });
const week = { start: '2026-03-01', end: '2026-03-07' };

describe('the days of a report', () => {
  it('are compared with as many days before, unless something else is asked for', () => {
    const before = { start: '2026-02-22', end: '2026-02-28' };
    expect(comparisonOf(week, queryOf({}))).to.deep.equal(before);
    expect(comparisonOf(week, queryOf({ compareMode: 'previous' }))).to.deep.equal(before);
    expect(comparisonOf(week, queryOf({ compareMode: 'Custom' }))).to.deep.equal(before);
    expect(
      comparisonOf(week, queryOf({ compareMode: 'Custom', comparisonStartDate: '2025-01-01' })),
    ).to.deep.equal(before);
  });

  it('are compared with the same days of the year before, the 29th of February with the 28th', () => {
    const leap = { start: '2028-02-29', end: '2028-03-01' };
    expect(comparisonOf(leap, queryOf({ compareMode: 'PreviousYear' }))).to.deep.equal({
      start: '2027-02-28',
      end: '2027-03-01',
    });
  });

  it('are compared with the days that are named, or with nothing', () => {
    const custom = {
      compareMode: 'Custom',
      comparisonStartDate: '2025-03-01',
      comparisonEndDate: '2025-03-03',
    };
    expect(comparisonOf(week, queryOf(custom))).to.deep.equal({ start: '2025-03-01', end: '2025-03-03' });
    expect(comparisonOf(week, queryOf({ compareMode: 'None' }))).to.equal(null);
  });

  it('end after 730 days in a time series', () => {
    const long = capped({ start: '2024-01-01', end: '2026-12-31' });
    expect(daysOf(long)).to.have.length(730);
    expect(capped(week)).to.equal(week);
  });

  it('take the date part of an instant and need both ends, in order, on the calendar', () => {
    expect(queryOf({ startDate: '2026-03-01T17:30:00Z' }).startDate).to.equal('2026-03-01');
    const refused = [
      { startDate: '2026-03-08' },
      { endDate: 'today' },
      { endDate: '2026-02-30' },
      { compareMode: 'Sometimes' },
      { comparisonStartDate: '2025-02-02', comparisonEndDate: '2025-02-01' },
    ];
    for (const given of refused) expect(() => queryOf(given), JSON.stringify(given)).to.throw();
    expect(breakdownQuery.safeParse({ startDate: '2026-03-01' }).success).to.equal(false);
  });

  it('are ten years at most, and the refusal names the day', () => {
    const problemsOf = (schema: typeof breakdownQuery, given: Readonly<Record<string, string>>) =>
      schema
        .safeParse({ startDate: '2016-01-01', endDate: '2016-01-02', ...given })
        .error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    const expected = (field: string, from: string) =>
      `${field}: must be a day at most 3,660 days from ${from}, both included`;
    // 2016-01-01 and 3,659 days.
    expect(problemsOf(breakdownQuery, { endDate: '2026-01-07' })).to.equal(undefined);
    expect(problemsOf(breakdownQuery, { endDate: '2026-01-08' })).to.deep.equal([
      expected('endDate', 'startDate'),
    ]);
    const compared = { comparisonStartDate: '1000-01-01', comparisonEndDate: '2015-12-31' };
    expect(problemsOf(breakdownQuery, compared)).to.deep.equal([
      expected('comparisonEndDate', 'comparisonStartDate'),
    ]);
    expect(problemsOf(seriesQuery, { ...compared, endDate: '2999-12-31' })).to.equal(undefined);
  });
});
