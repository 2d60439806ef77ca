import { expect } from 'chai';
import { isoInstant } from '#kernel/clock.ts';
import { dayBefore, isCalendarDay, startOfDay, startOfNamedDay } from '#values/business-day.ts';

describe('the business day', () => {
  for (const [now, timeZone, start] of [
    ['2026-03-01T12:00:00.000Z', 'UTC', '2026-03-01T00:00:00.000Z'],
    ['2026-03-01T00:00:00.000Z', 'UTC', '2026-03-01T00:00:00.000Z'],
    ['2026-03-01T04:00:00.000Z', 'America/New_York', '2026-02-28T05:00:00.000Z'],
    ['2026-03-29T20:00:00.000Z', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
    ['2026-10-25T22:59:59.999Z', 'Europe/Berlin', '2026-10-24T22:00:00.000Z'],
  ] as const) {
    it(`to which ${now} belongs in ${timeZone} begins at ${start}`, () => {
      expect(isoInstant(startOfDay(Date.parse(now), timeZone))).to.equal(start);
    });
  }

  it('follows the one before it, also at the beginning of a month', () => {
    expect(dayBefore('2026-03-01')).to.equal('2026-02-28');
    expect(dayBefore('2026-01-01')).to.equal('2025-12-31');
  });
});

describe('A day of the calendar', () => {
  it('is written YYYY-MM-DD, and there is one', () => {
    for (const day of ['2026-03-31', '2028-02-29', '0999-12-31'])
      expect(isCalendarDay(day), day).to.equal(true);
    for (const text of [
      '2026-06-31',
      '2026-02-29',
      '2026-3-1',
      '+012026-03',
      '2026-03',
      '2026-03-01T00:00',
      '',
    ])
      expect(isCalendarDay(text), text).to.equal(false);
  });

  for (const [timeZone, starts] of [
    ['UTC', '2026-03-29T00:00:00.000Z'],
    ['Europe/Berlin', '2026-03-28T23:00:00.000Z'],
    ['Pacific/Kiritimati', '2026-03-28T10:00:00.000Z'],
    ['Etc/GMT+12', '2026-03-29T12:00:00.000Z'],
  ] as const)
    it(`starts at ${starts} in ${timeZone}`, () => {
      expect(new Date(startOfNamedDay('2026-03-29', timeZone)).toISOString()).to.equal(starts);
    });
});
