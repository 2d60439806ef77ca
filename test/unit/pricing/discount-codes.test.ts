import { expect } from 'chai';
import { discountProblem } from '#command/pricing/discounts/validity.ts';
import type { DiscountSituation } from '#command/pricing/discounts/situation.ts';
import { priceBasket } from '#command/pricing/price-basket.ts';
import type { ReferenceDiscount } from '#reference/reference.ts';
import { codeOf, noon, offer, percentOff, pricesOf, units } from '#test/support/builders/basket.ts';

/** Two mugs for 50.00. */
const situation: DiscountSituation = {
  pieces: [
    {
      lineId: 'line',
      productId: 'mug',
      isAddon: false,
      unit: 2500,
      quantity: 2,
      taxRate: 0,
      keys: ['mug'],
    },
  ],
  currency: 'GBP',
  now: noon,
  buyer: { customerId: null, segmentIds: [] },
  countryCode: 'GB',
  shipping: 0,
  shippingOptions: [],
};
const problemWith = (discount: ReferenceDiscount) => discountProblem(discount, situation);

const price = (discounts: ReferenceDiscount[], known = discounts) =>
  priceBasket(
    { lines: [units('mug', 1)], codes: discounts.map(codeOf), shipping: 0 },
    pricesOf({ mug: offer(10_000) }, known),
  );

describe('a discount code', () => {
  it('applies while it is active', () => {
    expect(problemWith(percentOff('TEN', 10))).to.equal(null);
  });

  it('applies from its first moment, even before the job has moved its status', () => {
    expect(problemWith({ ...percentOff('TEN', 10), status: 'Scheduled' })).to.equal(null);
  });

  it('says that it has expired rather than that it is off', () => {
    const past = { startsAt: '2030-01-01T00:00:00.000Z', endsAt: '2030-02-01T00:00:00.000Z' };
    const found = problemWith({ ...percentOff('OLD', 10, past), status: 'Expired' });
    expect(found).to.deep.equal({ errorCode: 'Expired', message: 'OLD has expired.' });
  });

  it('waits for its first day', () => {
    expect(problemWith(percentOff('SOON', 10, { startsAt: '2031-01-01T00:00:00.000Z' }))?.errorCode).to.equal(
      'NotStarted',
    );
  });

  it('does not apply once it has been switched off', () => {
    expect(problemWith({ ...percentOff('TEN', 10), status: 'Disabled' })?.errorCode).to.equal('Inactive');
  });

  it('does not apply once it has been used up', () => {
    const limited = percentOff('FIRST', 10, { totalUsageLimit: 3 });
    expect(problemWith({ ...limited, uses: 2 })).to.equal(null);
    expect(problemWith({ ...limited, uses: 3 })?.errorCode).to.equal('UsageLimitReached');
  });

  it('asks for every minimum that is set', () => {
    const amount = percentOff('BIG', 10, {
      requirementType: 'MinimumPurchaseAmount',
      requirementValue: 5001,
    });
    expect(problemWith(amount)).to.deep.equal({
      errorCode: 'MinimumRequirementNotMet',
      message: 'BIG needs items for at least £50.01.',
    });
    const pieces = percentOff('MANY', 10, { minimumPurchaseAmount: 5000, minimumQuantity: 3 });
    expect(problemWith(pieces)?.message).to.equal('MANY needs at least 3 items.');
  });
});

describe('codes on one basket', () => {
  it('take 60 % off what the first 60 % have left', () => {
    const stacked = { canCombineWithOrderDiscounts: true };
    const { pricing } = price([percentOff('ONE', 60, stacked), percentOff('TWO', 60, stacked)]);
    expect(pricing.discounts.map((taken) => taken.amount)).to.deep.equal([6000, 2400]);
    expect(pricing.totals).to.include({ productDiscount: 8400, total: 1600 });
  });

  it('keep the one of higher rank when they do not go together, and say why the other fell away', () => {
    const { pricing, dropped } = price([percentOff('LATER', 50), percentOff('FIRST', 10, { priority: 1 })]);
    expect(pricing.discounts.map((taken) => taken.code)).to.deep.equal(['FIRST']);
    expect(dropped).to.have.length(1);
    expect(dropped[0]?.problem).to.deep.equal({
      errorCode: 'CannotCombine',
      message: 'LATER cannot be combined with FIRST.',
    });
  });

  it('keep the larger one of equal rank', () => {
    const { pricing } = price([percentOff('SMALL', 5), percentOff('LARGE', 20)]);
    expect(pricing.discounts.map((taken) => taken.code)).to.deep.equal(['LARGE']);
  });

  it('do not go together when only one of them would', () => {
    const open = percentOff('OPEN', 10, { canCombineWithOrderDiscounts: true, priority: 1 });
    const { dropped } = price([open, percentOff('SHUT', 10)]);
    expect(dropped).to.have.length(1);
    expect(dropped[0]).to.include({ kind: 'code', code: 'SHUT' });
  });

  it('fall away with a reason when their rule is gone', () => {
    const { pricing, dropped } = price([percentOff('GONE', 10)], []);
    expect(pricing.totals.productDiscount).to.equal(0);
    expect(dropped[0]?.problem.errorCode).to.equal('NotFound');
  });
});
