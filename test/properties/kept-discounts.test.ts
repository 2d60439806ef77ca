import { expect } from 'chai';
import fc from 'fast-check';
import { noTotals } from '#events/basket-view.ts';
import { discountsAfter, recordedAfter } from '#events/kept-discounts.ts';
import type { TakenDiscount } from '#events/pricing.fields.ts';
import { idNamed } from '#test/support/builders/basket.ts';

const taken: fc.Arbitrary<TakenDiscount> = fc
  .record({
    rule: fc.constantFrom('spring', 'summer', 'autumn'),
    of: fc.constantFrom(null, 'mug', 'tea', 'cup'),
    name: fc.constantFrom('Sale', 'Renamed sale'),
    amount: fc.integer({ min: 1, max: 3 }),
    isReferral: fc.boolean(),
  })
  .map(({ rule, of, name, amount, isReferral }) => ({
    id: idNamed(`${rule} of ${of}`),
    discountId: idNamed(rule),
    name,
    code: null,
    category: 'AmountOffProducts',
    lineId: of === null ? null : idNamed(of),
    amount,
    ...(isReferral ? { isReferral } : {}),
  }));

const list = fc.uniqueArray(taken, { selector: ({ id }) => id, maxLength: 8 });

describe('discounts as events record them that come after others', () => {
  it('are read back as they were, and none is written out that only takes off another amount', () => {
    fc.assert(
      fc.property(list, list, (before, discounts) => {
        const pricing = { totals: noTotals, discounts, changedLines: [] };
        const recorded = recordedAfter(before, pricing);
        expect(discountsAfter(before, recorded)).to.deep.equal(discounts);
        const known = new Set(before.map((one) => JSON.stringify({ ...one, amount: 0 })));
        const added = discounts.filter((one) => !known.has(JSON.stringify({ ...one, amount: 0 })));
        expect(recorded.discounts).to.deep.equal(added);
      }),
    );
  });
});
