import { expect } from 'chai';
import { aged, nothingAged } from '#values/ageing.ts';

// docs/rules/account-terms.md#ageing
describe('What is owed by age', () => {
  for (const [dayDue, age] of [
    ['2026-07-01', 'current'],
    ['2026-06-01', 'current'],
    ['2026-05-31', 'thirtyPlus'],
    ['2026-05-02', 'thirtyPlus'],
    ['2026-05-01', 'sixtyPlus'],
    ['2026-04-02', 'sixtyPlus'],
    ['2026-04-01', 'ninetyPlus'],
    ['2019-12-31', 'ninetyPlus'],
  ] as const)
    it(`is ${age} on 1 July, due on ${dayDue}`, () => {
      const before = { ...nothingAged, current: 1, total: 1 };
      const after = aged(before, 250, dayDue, '2026-07-01');
      expect(after).to.deep.equal({ ...before, [age]: before[age] + 250, total: 251 });
    });
});
