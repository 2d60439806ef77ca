import { expect } from 'chai';
import {
  availableCredit,
  creditUtilization,
  creditWarningLevel,
  daysUntil,
  dueDateOf,
  isOverLimit,
} from '#values/account-terms.ts';

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

// docs/rules/account-terms.md#outstanding
describe('Credit', () => {
  for (const [creditLimit, outstanding, isExceeded, left, percent, level] of [
    [10_000, 0, false, 10_000, 0, 'ok'],
    [10_000, 7999, false, 2001, 79.99, 'ok'],
    [10_000, 8000, false, 2000, 80, 'warning'],
    [10_000, 10_000, false, 0, 100, 'warning'],
    [10_000, 10_001, true, 0, 100.01, 'exceeded'],
    [0, 0, false, 0, 0, 'ok'],
    [0, 1, true, 0, 100, 'exceeded'],
    [null, 90_000, false, null, null, 'ok'],
  ] as const) {
    it(`of ${creditLimit ?? 'any amount'}, of which ${outstanding} is used, is ${level}`, () => {
      const use = { creditLimit, outstanding };
      expect(isOverLimit(use)).to.equal(isExceeded);
      expect(availableCredit(use)).to.equal(left);
      expect(creditUtilization(use)).to.equal(percent);
      expect(creditWarningLevel(use)).to.equal(level);
    });
  }
});
