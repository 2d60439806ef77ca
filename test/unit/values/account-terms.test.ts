import { expect } from 'chai';
import { daysUntil, dueDateOf } from '#values/account-terms.ts';

// docs/rules/purchase-orders.md#due
describe('When an invoice is due', () => {
  it('follows from the instant of the sale and the days of the terms', () => {
    expect(dueDateOf('2026-03-01T09:00:00.000Z', 30)).to.equal('2026-03-31T09:00:00.000Z');
    expect(dueDateOf('2026-03-01T09:00:00.000Z', 0)).to.equal('2026-03-01T09:00:00.000Z');
    expect(dueDateOf('2026-03-01T09:00:00.000Z', null)).to.equal(null);
  });

  for (const [now, days] of [
    ['2026-03-01T23:00:00.000Z', 30],
    ['2026-03-31T18:00:00.000Z', 0],
    ['2026-04-01T00:01:00.000Z', -1],
  ] as const) {
    it(`is ${days} days away at ${now}`, () => {
      expect(daysUntil('2026-03-31T09:00:00.000Z', Date.parse(now), 'UTC')).to.equal(days);
    });
  }

  it('counts the days of the shop', () => {
    const [due, now] = ['2026-03-31T23:30:00.000Z', Date.parse('2026-03-31T12:00:00.000Z')];
    expect(daysUntil(due, now, 'Europe/Berlin')).to.equal(1);
  });
});
