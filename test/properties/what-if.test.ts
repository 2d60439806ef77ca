import { expect } from 'chai';
import fc from 'fast-check';
import { createSalesReplay } from '#command/contexts/discounts/what-if/replay-sales.ts';
import type { RuleChange } from '#command/contexts/discounts/what-if/reprice.ts';
import { anyBasket, basketOf, freeze } from '#test/support/builders/frozen-sale.ts';
import { percentOff } from '#test/support/builders/basket.ts';
import { buyGet, freeShipping, ruleNamed, sociable } from '#test/support/builders/discount.ts';
import { bought, shopWith } from '#test/support/builders/sold-log.ts';
import { recordedEvents } from '#test/support/given.ts';

const rulesOf = (percent: number) => [
  percentOff('OFF', percent, sociable),
  ruleNamed('EACH', { category: 'AmountOffProducts', value: 7, ...sociable }),
  ruleNamed('GIFT', { category: 'BuyXGetY', buyXGetY: buyGet(3, 1), ...sociable }),
  ruleNamed('POST', { category: 'FreeShipping', value: 30, freeShipping: freeShipping(), ...sociable }),
];

const presentments = fc.constantFrom(
  null,
  { currency: 'EUR', rate: '1.17', source: 'manual', quotedAt: '2030-06-01T00:00:00.000Z' },
  { currency: 'JPY', rate: '193.4', source: 'manual', quotedAt: '2030-06-01T00:00:00.000Z' },
);

const changes: readonly RuleChange[] = [
  { kind: 'nothing' },
  { kind: 'removed', discountId: ruleNamed('UNUSED').id },
  {
    kind: 'added',
    discount: ruleNamed('nobody', {
      method: 'Automatic',
      ...sociable,
      minimumPurchaseAmount: 99_999_999_999,
    }),
  },
];

describe('What-if without a difference', () => {
  it('comes out as recorded: nothing changed, a rule that nobody had, a rule that nobody gets', () => {
    fc.assert(
      fc.property(anyBasket, presentments, fc.constantFrom(...changes), (sold, presentment, change) => {
        const { basket, groups } = basketOf(...sold);
        const rules = rulesOf(sold[1]);
        const content = freeze(basket, groups, presentment);
        const unused = ruleNamed('UNUSED', { method: 'Automatic', startsAt: '2031-01-01T00:00:00.000Z' });
        const replay = createSalesReplay({
          from: '2030-06-01',
          to: '2030-06-01',
          change,
          configured: { isShippingTaxable: false },
          cancelled: new Set(),
        });
        const events = [...shopWith(unused, ...rules), ...bought('one', basket, { content, codes: rules })];
        for (const event of recordedEvents(events)) replay.take(event);
        const { days, check, ordersChanged } = replay.result();
        expect(check.differences).to.deep.equal([]);
        expect(check.asRecorded).to.equal(1);
        expect(ordersChanged).to.equal(0);
        const day = days['2030-06-01'];
        expect(day?.recomputed).to.deep.equal(day?.recorded);
      }),
    );
  });
});
