import { expect } from 'chai';
import { partsBeside, partsOf } from '#projection/contexts/reporting/intervals.ts';
import type { Window } from '#projection/contexts/reporting/report-window.ts';

const window = (start: string, end: string): Window => ({ start, end });
const shown = (parts: readonly (Window | null)[]) =>
  parts.map((part) => (part ? `${part.start} to ${part.end}` : null));

describe('the intervals of a window', () => {
  it('are its days', () => {
    expect(shown(partsOf(window('2026-02-28', '2026-03-01'), 'day'))).to.deep.equal([
      '2026-02-28 to 2026-02-28',
      '2026-03-01 to 2026-03-01',
    ]);
  });

  it('are weeks from Monday to Sunday, the first from where the window begins', () => {
    // 11 June 2026 is a Thursday.
    expect(shown(partsOf(window('2026-06-11', '2026-06-23'), 'week'))).to.deep.equal([
      '2026-06-11 to 2026-06-14',
      '2026-06-15 to 2026-06-21',
      '2026-06-22 to 2026-06-23',
    ]);
    expect(shown(partsOf(window('2026-06-14', '2026-06-15'), 'week'))).to.deep.equal([
      '2026-06-14 to 2026-06-14',
      '2026-06-15 to 2026-06-15',
    ]);
    expect(shown(partsOf(window('2026-06-15', '2026-06-21'), 'week'))).to.deep.equal([
      '2026-06-15 to 2026-06-21',
    ]);
  });

  it('are months, over the end of a year too', () => {
    expect(shown(partsOf(window('2027-12-15', '2028-03-01'), 'month'))).to.deep.equal([
      '2027-12-15 to 2027-12-31',
      '2028-01-01 to 2028-01-31',
      '2028-02-01 to 2028-02-29',
      '2028-03-01 to 2028-03-01',
    ]);
  });
});

describe('what an interval is compared with', () => {
  const beside = (asked: Window, comparison: Window, interval: 'day' | 'week' | 'month') =>
    shown(partsBeside(partsOf(asked, interval), asked, comparison, interval));

  it('is the days at the same places: a whole March beside the 31 days before it', () => {
    expect(
      beside(window('2026-03-01', '2026-03-31'), window('2026-01-29', '2026-02-28'), 'month'),
    ).to.deep.equal(['2026-01-29 to 2026-02-28']);
    expect(
      beside(window('2026-06-11', '2026-06-23'), window('2026-05-29', '2026-06-10'), 'week'),
    ).to.deep.equal(['2026-05-29 to 2026-06-01', '2026-06-02 to 2026-06-08', '2026-06-09 to 2026-06-10']);
  });

  it('is the same month of the year before, whatever leap years are between', () => {
    const months = (start: string, end: string, before: Window) =>
      beside(window(start, end), before, 'month');
    expect(months('2028-02-01', '2028-04-30', window('2027-02-01', '2027-04-30'))).to.deep.equal([
      '2027-02-01 to 2027-02-28',
      '2027-03-01 to 2027-03-31',
      '2027-04-01 to 2027-04-30',
    ]);
    // No day of the year before is left out: its 29 February stands with February.
    expect(months('2029-02-01', '2029-03-31', window('2028-02-01', '2028-03-31'))).to.deep.equal([
      '2028-02-01 to 2028-02-29',
      '2028-03-01 to 2028-03-31',
    ]);
  });

  it('is nothing where the comparison is over, and no more than has a place', () => {
    expect(
      beside(window('2026-06-15', '2026-07-05'), window('2026-01-01', '2026-01-09'), 'week'),
    ).to.deep.equal(['2026-01-01 to 2026-01-07', '2026-01-08 to 2026-01-09', null]);
    expect(
      beside(window('2026-06-15', '2026-06-21'), window('2026-01-01', '2026-03-31'), 'week'),
    ).to.deep.equal(['2026-01-01 to 2026-01-07']);
  });

  it('is each day of the comparison at its place, also a year before', () => {
    expect(
      beside(window('2028-02-28', '2028-03-01'), window('2027-02-28', '2027-03-01'), 'day'),
    ).to.deep.equal(['2027-02-28 to 2027-02-28', '2027-03-01 to 2027-03-01', null]);
  });
});
