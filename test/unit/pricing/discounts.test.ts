import { expect } from 'chai';
import type { BasketPrices } from '#command/pricing/basket-prices.ts';
import { priceBasket, type PriceableBasket } from '#command/pricing/price-basket.ts';
import type { DiscountRule } from '#entities/discount.entity.ts';
import type { ReferenceDiscount } from '#reference/reference.ts';
import type { LineTraits } from '#values/discount-targets.ts';
import { addonOf, offersWith, unitsWith } from '#test/support/builders/addon.ts';
import { codeOf, idNamed, noon, offer, pricesOf, units } from '#test/support/builders/basket.ts';
import { buyGet, freeShipping, ruleNamed, sociable } from '#test/support/builders/discount.ts';

type Target = DiscountRule['targetRules'][number];

const offers = { mug: offer(1000, 20), tea: offer(400) };
const mugAndTea = [units('mug', 2), units('tea', 1)];

const automatic = (name: string, changes: Partial<DiscountRule> = {}): ReferenceDiscount =>
  ruleNamed(name, { method: 'Automatic', ...changes });
const products = { category: 'AmountOffProducts' } as const;
const target = (targetType: Target['targetType'], targetIds: string[], isExclusion = false): Target => ({
  targetType,
  targetIds,
  isExclusion,
});

const price = (
  rules: readonly ReferenceDiscount[],
  basket: Partial<PriceableBasket> = {},
  changes: Partial<BasketPrices> = {},
) =>
  priceBasket(
    {
      lines: mugAndTea,
      codes: rules.filter(({ rule }) => rule.method === 'Code').map(codeOf),
      shipping: 0,
      ...basket,
    },
    pricesOf(offers, rules, changes),
  );

/** Who was dropped, with why. */
const droppedOf = ({ dropped }: ReturnType<typeof price>) =>
  dropped.map((one) => [one.kind, one.problem.errorCode, one.problem.message]);

describe('the lines that a discount names', () => {
  const mugs: Partial<LineTraits> = {
    productTypeId: idNamed('cups'),
    collectionIds: [idNamed('kitchen')],
    filterIds: [idNamed('blue')],
    tags: ['Summer Sale'],
    supplierId: idNamed('Hull Ltd'),
    warehouseId: idNamed('Hull'),
  };
  const traitsOf: BasketPrices['traitsOf'] = (lines) =>
    new Map(
      [...pricesOf(offers).traitsOf(lines, false)].map(([lineId, traits]) => [
        lineId,
        traits.map((one) => (one.sku === 'mug' ? { ...one, ...mugs } : one)),
      ]),
    );
  const taken = (...targetRules: Target[]): number =>
    price([automatic('Rule', { ...products, value: 100, targetRules })], {}, { traitsOf }).pricing.totals
      .productDiscount;

  it('are found by every kind of target', () => {
    const targets: readonly Target[] = [
      target('SpecificProducts', [idNamed('mug')]),
      target('SpecificProducts', [idNamed('root mug')]),
      target('Collections', [idNamed('garden'), idNamed('kitchen')]),
      target('ProductFilters', [idNamed('blue')]),
      target('ProductTypes', [idNamed('cups')]),
      target('Suppliers', [idNamed('Hull Ltd')]),
      target('Warehouses', [idNamed('Hull')]),
      target('Tags', ['SUMMER sale']),
      target('Skus', ['MUG']),
    ];
    for (const one of targets) expect(taken(one), one.targetType).to.equal(2000);
    expect(taken(target('AllProducts', []))).to.equal(2400);
    expect(taken()).to.equal(2400);
    expect(taken(target('Collections', [idNamed('gone')]))).to.equal(0);
  });

  it('are any of those included, without those excluded', () => {
    const [mug, tea] = [target('Skus', ['mug']), target('SpecificProducts', [idNamed('tea')])];
    expect(taken(mug, tea)).to.equal(2400);
    expect(taken({ ...mug, isExclusion: true })).to.equal(400);
    expect(taken(mug, { ...mug, isExclusion: true })).to.equal(0);
    expect(taken(tea, target('AllProducts', [], true))).to.equal(0);
  });

  it('are what any of the warehouses makes them that send them', () => {
    const split: BasketPrices['traitsOf'] = (lines) =>
      new Map(
        [...pricesOf(offers).traitsOf(lines, false)].map(([lineId, [one]]) => [
          lineId,
          one
            ? [
                { ...one, warehouseId: idNamed('Hull') },
                { ...one, warehouseId: idNamed('Leeds') },
              ]
            : [],
        ]),
      );
    const rule = automatic('Leeds', {
      ...products,
      targetRules: [target('Warehouses', [idNamed('Leeds')])],
    });
    expect(price([rule], {}, { traitsOf: split }).pricing.totals.productDiscount).to.equal(240);
  });

  it('bring their add-ons along, as lines of their own', () => {
    const lines = [unitsWith('mug', 2, [addonOf('0')]), units('tea', 1)];
    const withAddon = new Map([...offersWith('mug', 1000, [300], 20), [idNamed('tea'), offer(400)]]);
    const rule = automatic('Mugs', { ...products, targetRules: [target('Skus', ['mug'])] });
    const { pricing } = price([rule], { lines }, { offers: withAddon });
    const [line] = lines;
    expect(pricing.discounts.map(({ lineId, amount }) => [lineId, amount])).to.have.deep.members([
      [line?.lineId, 200],
      [line?.addons?.[0]?.lineId, 60],
    ]);
  });

  it('limit of an order or of shipping only what the requirement is measured on', () => {
    const targetRules = [target('Skus', ['tea'])];
    expect(price([automatic('Tea', { targetRules })]).pricing.totals.productDiscount).to.equal(240);
    const least = { targetRules, minimumPurchaseAmount: 401 };
    expect(price([automatic('Much tea', least)]).pricing.totals.productDiscount).to.equal(0);
    const post = automatic('Post', { category: 'FreeShipping', freeShipping: freeShipping(), ...least });
    const shipped = { shipping: 500, shippingOptions: ['so:parcel'] };
    expect(price([post], shipped).pricing.totals.shippingDiscount).to.equal(0);
  });

  it('must be there for an offer, too, whatever it rewards', () => {
    const offered = { category: 'BuyXGetY', buyXGetY: buyGet(1, 1) } as const;
    expect(price([automatic('Two', offered)]).pricing.totals.productDiscount).to.equal(400);
    const code = ruleNamed('TWO', { ...offered, targetRules: [target('Skus', ['soap'])] });
    expect(droppedOf(price([code]))).to.deep.equal([
      ['code', 'NoApplicableProducts', 'TWO does not apply to this basket.'],
    ]);
  });
});

describe('who may have a discount', () => {
  const forSegment = automatic('Gold', {
    eligibilityRules: [{ eligibilityType: 'CustomerSegments', ids: [idNamed('silver'), idNamed('gold')] }],
  });
  const off = (rule: ReferenceDiscount, buyer?: PriceableBasket['buyer']): number =>
    price([rule], buyer ? { buyer } : {}).pricing.totals.productDiscount;
  const ada = { customerId: idNamed('ada'), segmentIds: [] };

  it('is every customer if none is named', () => {
    expect(off(automatic('All'))).to.equal(240);
    const named = { eligibilityType: 'SpecificCustomers' as const, ids: [idNamed('bob')] };
    const all = { eligibilityType: 'AllCustomers' as const, ids: [] };
    expect(off(automatic('All', { eligibilityRules: [named, all] }))).to.equal(240);
  });

  it('is a customer in one of the segments', () => {
    expect(off(forSegment, { ...ada, segmentIds: [idNamed('gold')] })).to.equal(240);
    expect(off(forSegment, { ...ada, segmentIds: [idNamed('bronze')] })).to.equal(0);
    expect(off(forSegment)).to.equal(0);
  });

  it('is a named customer who is signed in', () => {
    const forAda = ruleNamed('ADA', {
      eligibilityRules: [{ eligibilityType: 'SpecificCustomers', ids: [idNamed('ada')] }],
    });
    expect(off(forAda, ada)).to.equal(240);
    expect(droppedOf(price([forAda]))).to.deep.equal([
      ['code', 'CustomerNotEligible', 'ADA is for certain customers only.'],
    ]);
  });
});

describe('discounts beside one another', () => {
  const names = (priced: ReturnType<typeof price>): string[] =>
    priced.pricing.discounts.map(({ name }) => name);

  it('are kept by rank: priority, codes first, the larger amount, the older, and at last the id', () => {
    const [code, big] = [ruleNamed('CODE', { value: 1 }), automatic('Big', { value: 50 })];
    expect(names(price([big, code]))).to.deep.equal(['CODE']);
    expect(names(price([{ ...big, rule: { ...big.rule, priority: 1 } }, code]))).to.deep.equal(['Big']);
    expect(names(price([automatic('Small', { value: 2 }), big]))).to.deep.equal(['Big']);
    const older = { ...automatic('Older'), createdAt: '2029-01-01T00:00:00.000Z' };
    expect(names(price([automatic('Newer'), older]))).to.deep.equal(['Older']);
    expect(names(price([older, automatic('Newest')]))).to.deep.equal(['Older']);
    const [one, other] = [automatic('One'), automatic('Other')];
    const first = one.id < other.id ? one : other;
    expect(names(price([one, other]))).to.deep.equal([first.rule.name]);
    expect(names(price([other, one]))).to.deep.equal([first.rule.name]);
  });

  it('are combined only if both allow the other’s class', () => {
    const order = automatic('Order', { canCombineWithProductDiscounts: true });
    const each = automatic('Each', { ...products, canCombineWithOrderDiscounts: true, priority: 1 });
    expect(names(price([order, each]))).to.deep.equal(['Each', 'Each', 'Order']);
    const alone = automatic('Each', { ...products, canCombineWithProductDiscounts: true, priority: 1 });
    expect(names(price([order, alone]))).to.deep.equal(['Each', 'Each']);
  });

  it('are cut to what is left: a code that takes nothing is dropped, and excludes no other', () => {
    const all = automatic('All', { ...products, value: 100, priority: 1, ...sociable });
    const code = ruleNamed('CODE', { priority: 2, ...sociable, canCombineWithShippingDiscounts: false });
    const post = automatic('Post', { category: 'FreeShipping', value: 0, ...sociable });
    const priced = price([all, code, post], { shipping: 500, shippingOptions: ['so:parcel'] });
    expect(names(priced)).to.deep.equal(['All', 'All', 'Post']);
    expect(priced.pricing.totals).to.include({ tax: 0, total: 0 });
    expect(droppedOf(priced)).to.deep.equal([
      ['code', 'CannotCombine', 'CODE cannot be combined with Post.'],
    ]);
    expect(droppedOf(price([all, code]))).to.deep.equal([
      ['code', 'NoApplicableProducts', 'CODE does not apply to this basket.'],
    ]);
  });

  it('say first that they do not go together, then that they take nothing off', () => {
    const tea = ruleNamed('SOAP', { ...products, targetRules: [target('Skus', ['soap'])] });
    expect(droppedOf(price([tea]))).to.deep.equal([
      ['code', 'NoApplicableProducts', 'SOAP does not apply to this basket.'],
    ]);
    expect(droppedOf(price([tea, ruleNamed('TEN')]))).to.deep.equal([
      ['code', 'CannotCombine', 'SOAP cannot be combined with TEN.'],
    ]);
  });
});

describe('an automatic discount', () => {
  const ten = automatic('Ten');
  const shown = price([ten]).pricing.discounts;

  it('that is lost is reported once, with the reason', () => {
    const fallen = (rules: readonly ReferenceDiscount[]) => droppedOf(price(rules, { discounts: shown }));
    expect(fallen([{ ...ten, rule: { ...ten.rule, endsAt: '2030-05-31T00:00:00.000Z' } }])).to.deep.equal([
      ['automatic', 'Expired', 'Ten has expired.'],
    ]);
    expect(fallen([{ ...ten, status: 'Disabled' }])).to.deep.equal([
      ['automatic', 'Inactive', 'Ten is not active.'],
    ]);
    expect(fallen([{ ...ten, rule: { ...ten.rule, minimumQuantity: 4 } }])).to.deep.equal([
      ['automatic', 'MinimumRequirementNotMet', 'Ten needs at least 4 items.'],
    ]);
    expect(fallen([])).to.deep.equal([['automatic', 'NotFound', 'Ten is not offered any more.']]);
    expect(fallen([ten, ruleNamed('CODE')])).to.deep.equal([
      ['automatic', 'CannotCombine', 'Ten cannot be combined with CODE.'],
    ]);
    const each = price([automatic('Each', products)]).pricing.discounts;
    expect(each).to.have.length(2);
    expect(price([], { discounts: each }).dropped).to.have.length(1);
  });

  it('that was never applied is lost silently, and so is one that was removed', () => {
    expect(price([ten, ruleNamed('CODE')]).dropped).to.deep.equal([]);
    const { pricing, dropped } = price([ten], { discounts: shown, suppressed: [ten.id] });
    expect([pricing.discounts, dropped]).to.deep.equal([[], []]);
  });

  it('waits for its start, though it is active already', () => {
    const later = automatic('Later', { startsAt: '2031-01-01T00:00:00.000Z' });
    expect(price([{ ...later, status: 'Scheduled' }]).pricing.discounts).to.deep.equal([]);
    expect(price([later]).pricing.discounts).to.deep.equal([]);
  });
});

describe('free shipping', () => {
  const shipped = { shipping: 500, shippingOptions: [`so:${idNamed('parcel')}`] };
  const post = (changes: Parameters<typeof freeShipping>[0] = {}, more: Partial<DiscountRule> = {}) =>
    ruleNamed('POST', {
      category: 'FreeShipping',
      valueType: 'Free',
      value: 0,
      freeShipping: freeShipping(changes),
      ...more,
    });
  const off = (rule: ReferenceDiscount, basket: Partial<PriceableBasket> = shipped): number =>
    price([rule], basket).pricing.totals.shippingDiscount;

  it('goes by country, by what was chosen, and by what it costs', () => {
    expect(off(post())).to.equal(500);
    expect(off(post({ countryScope: 'SelectedCountries', countryCodes: ['gb'] }))).to.equal(500);
    expect(off(post({ countryScope: 'SelectedCountries', countryCodes: ['DE'] }))).to.equal(0);
    expect(off(post({ countryScope: 'ExcludedCountries', countryCodes: ['GB'] }))).to.equal(0);
    expect(off(post({ countryScope: 'ExcludedCountries', countryCodes: ['DE'] }))).to.equal(500);
    const listed = post({ allowedShippingOptionIds: [idNamed('parcel')] });
    expect(off(listed)).to.equal(500);
    expect(off(listed, { ...shipped, shippingOptions: [...shipped.shippingOptions, 'so:other'] })).to.equal(
      0,
    );
    expect(off(listed, { ...shipped, shippingOptions: ['dyn:parcel:EXPRESS'] })).to.equal(0);
    const cheap = { excludeRatesOverAmount: true, excludeRatesOverValue: 499 };
    expect(off(post(cheap))).to.equal(0);
    expect(off(post({ ...cheap, excludeRatesOverValue: 500 }))).to.equal(500);
    expect(off(ruleNamed('POST', { category: 'FreeShipping', freeShipping: null, value: 0 }))).to.equal(500);
  });

  it('is a part of it by a percentage, and all of it by one of 0', () => {
    expect(off(post({}, { valueType: 'Percentage', value: 25 }))).to.equal(125);
    expect(off(post({}, { valueType: 'Percentage', value: 0 }))).to.equal(500);
    expect(off(post({}, { valueType: 'FixedAmount', value: 100 }))).to.equal(500);
  });

  it('waits for a choice, excludes others, and is lost if there is nothing to take off', () => {
    const waiting = price([post()]);
    expect([waiting.pricing.discounts, waiting.dropped]).to.deep.equal([[], []]);
    expect(price([post(), automatic('Ten')]).pricing.discounts).to.deep.equal([]);
    expect(droppedOf(price([post()], { shipping: 0, shippingOptions: ['so:pickup'] }))).to.deep.equal([
      ['code', 'NoApplicableProducts', 'POST does not apply to this basket.'],
    ]);
    const byItself = automatic('Post', { ...post().rule, method: 'Automatic', code: null });
    expect(price([byItself, automatic('Ten')]).pricing.discounts).to.have.length(1);
  });

  it('is not taxed, and takes nothing off the goods', () => {
    const { totals } = price([post()], shipped, { shippingTax: { mode: 'FixedRate', rate: 20 } }).pricing;
    expect(totals).to.include({ subTotal: 2400, productDiscount: 0, shipping: 500, shippingDiscount: 500 });
    expect(totals).to.include({ shippingTax: 0, tax: 400, total: 2800 });
  });
});

describe('a referral', () => {
  const [mug] = mugAndTea;
  const referral = {
    lineId: mug?.lineId ?? '',
    percentage: 15,
    name: 'A friend',
    expiresAt: new Date(noon + 1).toISOString(),
  };

  it('takes its percentage off its line before any rule, and goes with all of them', () => {
    const each = automatic('Each', { ...products, value: 90 });
    const { discounts, totals } = price([each], { referrals: [referral] }).pricing;
    const [first] = discounts;
    expect(first).to.include({
      name: 'A friend',
      code: null,
      amount: 300,
      isReferral: true,
      lineId: mug?.lineId,
    });
    expect(first?.discountId).to.equal(first?.id);
    // 1800 off mugs at 1700 that are left.
    expect(totals.productDiscount).to.equal(300 + 1700 + 360);
  });

  it('is lost silently with its line, and with a warning when it expires', () => {
    const tea = mugAndTea.slice(1);
    const gone = price([], { lines: tea, referrals: [referral] });
    expect([gone.pricing.discounts, gone.dropped]).to.deep.equal([[], []]);
    const late = price([], { referrals: [{ ...referral, expiresAt: new Date(noon).toISOString() }] });
    expect(late.pricing.discounts).to.deep.equal([]);
    expect(late.dropped).to.have.length(1);
    expect(late.dropped[0]).to.include({ kind: 'referral', lineId: referral.lineId });
  });
});
