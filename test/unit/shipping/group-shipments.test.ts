import { expect } from 'chai';
import type { AddonChoice } from '#command/pricing/addons.ts';
import { groupShipments, type Shipments } from '#command/pricing/group-shipments.ts';
import { estimatedDelivery, isDeliveryDateOffered } from '#command/pricing/delivery-dates.ts';
import { autoSelectOption, type QuotedOption } from '#command/pricing/quote-shipping.ts';
import type { ShippingOption } from '#entities/shipping-option.entity.ts';
import type { Destination } from '#values/address.ts';
import { addonNamed, chosen } from '#test/support/builders/addon.ts';
import { idNamed } from '#test/support/builders/basket.ts';
import {
  costIn,
  optionNamed,
  productNamed,
  referenceOf,
  serves,
  warehouseNamed,
} from '#test/support/builders/reference.ts';

const to = (
  countryCode: string,
  postalCode: string | null = null,
  regionCode: string | null = null,
): Destination => ({
  countryCode,
  regionCode,
  postalCode,
});

const heavy = { packages: [{ weight: 2, lengthCm: null, widthCm: null, heightCm: null }] };

describe('shipping groups', () => {
  const shop = referenceOf(
    warehouseNamed('east', [serves('GB')]),
    warehouseNamed('west', [serves('GB'), serves('FR')]),
    optionNamed('post', 'east'),
    optionNamed('van', 'east', { fixedCost: 900, isNextDay: true, daysFrom: 1, daysTo: 1 }),
    optionNamed('boat', 'west'),
    productNamed('mug', { shelves: { east: 2, west: 5 } }),
    productNamed('bowl', { shelves: { east: 9 } }),
    productNamed('sofa', {
      shelves: { east: 9 },
      variant: { shippingRestrictionMode: 'AllowList', allowedShippingOptionIds: [idNamed('van')] },
    }),
    productNamed('crate', {
      shelves: { east: 9 },
      variant: { shippingRestrictionMode: 'AllowList', allowedShippingOptionIds: [idNamed('boat')] },
    }),
    productNamed('song', { root: { isDigitalProduct: true } }),
  );
  const group = (basket: Readonly<Record<string, number>>, destination = to('GB')): Shipments => {
    const lines = Object.entries(basket).map(([sku, quantity]) => ({
      lineId: sku,
      quantity,
      sellable: shop.sellable(sku),
      addons: [],
    }));
    return groupShipments(shop, lines, destination);
  };

  it('hold what leaves one warehouse with the same options', () => {
    const { groups, unshippable } = group({ mug: 2, bowl: 1, sofa: 1, song: 1 });
    expect(unshippable).to.deep.equal([]);
    expect(
      groups.map(({ groupName, lines }) => [groupName, lines.map(({ lineId }) => lineId)]),
    ).to.deep.equal([
      ['east', ['mug', 'bowl']],
      ['east', ['sofa']],
    ]);
    expect(groups[0]?.options.map(({ name, cost }) => [name, cost])).to.deep.equal([
      ['post', 500],
      ['van', 900],
    ]);
  });

  it('keep their ids from one request to the next, with another quantity or a further line', () => {
    const [one] = group({ bowl: 1 }).groups;
    const [other] = group({ bowl: 3, mug: 1 }).groups;
    expect(one?.groupId).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab]/);
    expect(other?.groupId).to.equal(one?.groupId);
  });

  it('split a line that no warehouse has whole', () => {
    const { groups } = group({ mug: 6 });
    expect(groups.map(({ groupName, lines }) => [groupName, lines[0]?.quantity])).to.deep.equal([
      ['east', 2],
      ['west', 4],
    ]);
  });

  it('leave out what cannot be sent, and say why', () => {
    const stock = group({ mug: 8 }).unshippable[0];
    expect(stock).to.include({ reason: 'stock', requestedQuantity: 8, availableQuantity: 7 });
    expect(stock?.message).to.include('mug').and.to.include('8').and.to.include('7');
    const place = group({ bowl: 1, mug: 1 }, to('FR'));
    expect(place.unshippable).to.deep.equal([
      { lineId: 'bowl', reason: 'destination', message: 'bowl cannot be shipped to France.' },
    ]);
    expect(place.groups).to.have.length(1);
    expect(group({ crate: 1 }).unshippable[0]?.reason, 'no option may carry it').to.equal('destination');
  });

  it('say how long it takes', () => {
    const descriptions = group({ bowl: 1 }).groups[0]?.options.map((option) => option.deliveryDescription);
    expect(descriptions).to.deep.equal(['3-5 days', 'Next day']);
  });
});

describe('the cost of shipping', () => {
  /** What the option asks for so many boxes of 2 kg; null when it is not offered. */
  const cost = (option: Partial<ShippingOption>, destination: Destination, boxes = 1): number | null => {
    const shop = referenceOf(
      warehouseNamed('east'),
      optionNamed('post', 'east', { fixedCost: null, ...option }),
      productNamed('box', { shelves: { east: 99 }, variant: heavy }),
    );
    const lines = [{ lineId: 'box', quantity: boxes, sellable: shop.sellable('box'), addons: [] }];
    return groupShipments(shop, lines, destination).groups[0]?.options[0]?.cost ?? null;
  };

  it('is that of the region, else of the country, else of all, else the fixed one', () => {
    const costs = [costIn('*', 900), costIn('US', 700), costIn('US', 1500, 'HI')];
    expect(cost({ costs }, to('US', null, 'HI'))).to.equal(1500);
    expect(cost({ costs }, to('US', null, 'CA'))).to.equal(700);
    expect(cost({ costs }, to('DE'))).to.equal(900);
    expect(cost({ costs: [costIn('US', 700)], fixedCost: 400 }, to('DE'))).to.equal(400);
    expect(cost({ costs: [costIn('US', 700)] }, to('DE')), 'not offered there').to.equal(null);
    expect(cost({}, to('DE')), 'free').to.equal(0);
  });

  it('counts what add-ons weigh, for every unit', () => {
    const from = (minWeightKg: number, surcharge: number) => ({
      countryCode: '*',
      regionCode: null,
      minWeightKg,
      maxWeightKg: null,
      surcharge,
    });
    const lid = addonNamed('Lid', { Oak: { weightKg: 1.5 }, Paper: {} });
    const shop = referenceOf(
      warehouseNamed('east'),
      optionNamed('post', 'east', { fixedCost: 0, weightTiers: [from(7, 300)] }),
      productNamed('box', { shelves: { east: 9 }, root: { options: [lid] }, variant: heavy }),
    );
    const costOf = (quantity: number, ...addons: readonly AddonChoice[]) => {
      const line = { lineId: 'box', quantity, sellable: shop.sellable('box'), addons };
      return groupShipments(shop, [line], to('GB')).groups[0]?.options[0]?.cost;
    };
    expect(costOf(2, chosen('Lid', 'Oak'))).to.equal(300);
    expect(costOf(2, chosen('Lid', 'Paper'))).to.equal(0);
    expect(costOf(1, chosen('Lid', 'Oak'))).to.equal(0);
  });

  it('grows with the weight, by the closest tier', () => {
    const weightTiers = [
      { countryCode: '*', regionCode: null, minWeightKg: 4, maxWeightKg: null, surcharge: 300 },
      { countryCode: 'GB', regionCode: null, minWeightKg: 4, maxWeightKg: 8, surcharge: 100 },
    ];
    const option = { fixedCost: 500, weightTiers };
    expect(cost(option, to('GB'), 1)).to.equal(500);
    expect(cost(option, to('GB'), 2), 'the lower bound counts').to.equal(600);
    expect(cost(option, to('GB'), 4), 'the upper one does not').to.equal(800);
    expect(cost(option, to('FR'), 2)).to.equal(800);
  });

  it('follows the closest postcode rule, a block before a surcharge', () => {
    type Rule = ShippingOption['postcodeRules'][number];
    const rule = (matchType: Rule['matchType'], pattern: string, surcharge: number | null): Rule => ({
      countryCode: 'GB',
      pattern,
      matchType,
      action: surcharge === null ? 'Block' : 'Surcharge',
      surcharge: surcharge ?? 0,
    });
    const postcodeRules = [
      rule('Prefix', 'IV', 200),
      rule('OutcodeRange', 'IV21-IV28', 800),
      rule('Exact', 'IV27 4AA', null),
      rule('Prefix', 'BT', 100),
      rule('Prefix', 'BT', null),
    ];
    const option = { fixedCost: 500, postcodeRules };
    expect(cost(option, to('GB', 'iv1 1aa'))).to.equal(700);
    expect(cost(option, to('GB', 'IV24 3AA'))).to.equal(1300);
    expect(cost(option, to('GB', 'IV27-4AA'))).to.equal(null);
    expect(cost(option, to('GB', 'BT1 1AA'))).to.equal(null);
    expect(cost(option, to('GB')), 'no postcode yet').to.equal(500);
    expect(cost(option, to('FR', 'IV1 1AA'))).to.equal(500);
    const zip = { ...rule('NumericRange', '90000-90999', 150), countryCode: 'US' };
    expect(cost({ fixedCost: 500, postcodeRules: [zip] }, to('US', '90210-1234'))).to.equal(650);
    expect(cost({ fixedCost: 500, postcodeRules: [zip] }, to('US', '902101234'))).to.equal(500);
  });

  it('is not offered to excluded places', () => {
    const excludedRegions = [
      { countryCode: 'FR', regionCode: null },
      { countryCode: 'US', regionCode: 'HI' },
    ];
    const option = { fixedCost: 500, excludedRegions };
    expect(cost(option, to('FR'))).to.equal(null);
    expect(cost(option, to('US', null, 'HI'))).to.equal(null);
    expect(cost(option, to('US', null, 'CA'))).to.equal(500);
  });
});

describe('the option that is chosen for a shopper', () => {
  const option = (name: string, cost: number, daysTo: number): QuotedOption => ({
    optionKey: `so:${name}`,
    shippingOptionId: name,
    name,
    providerKey: 'flat-rate',
    serviceCode: null,
    cost,
    daysFrom: 1,
    daysTo,
    isNextDay: false,
    nextDayCutOffTime: null,
    deliveryDescription: '',
    allowsDeliveryDateSelection: true,
    minDeliveryDays: 2,
    maxDeliveryDays: 10,
    allowedDaysOfWeek: [1, 2, 3, 4, 5],
    isDeliveryDateGuaranteed: false,
    quotedAt: null,
    fallbackReason: null,
  });
  const offered = [option('slow', 300, 9), option('fast', 900, 1), option('fair', 300, 4)];

  it('is the cheapest or the fastest, and of equals the other thing counts', () => {
    expect(autoSelectOption(offered, 'cheapest')?.name).to.equal('fair');
    expect(autoSelectOption(offered, 'fastest')?.name).to.equal('fast');
    expect(autoSelectOption([], 'cheapest')).to.equal(undefined);
  });

  it('takes a date on an allowed day, not too early and not too late', () => {
    const monday = '2030-06-03';
    const isOffered = (date: string): boolean => isDeliveryDateOffered(option('x', 1, 1), date, monday);
    expect(isOffered('2030-06-05')).to.equal(true);
    for (const date of ['2030-06-04', '2030-06-08', '2030-06-14', '2030-02-30', 'tomorrow']) {
      expect(isOffered(date), date).to.equal(false);
    }
  });
});

describe('the day on which goods arrive', () => {
  const noon = Date.parse('2030-12-30T12:00:00Z');
  const slow = { isNextDay: false, nextDayCutOffTime: null, daysTo: 5 };
  const next = { isNextDay: true, nextDayCutOffTime: '14:30', daysTo: 5 };
  const at = (time: string): number => Date.parse(`2030-12-30T${time}Z`);

  it('is the last day that the option names', () => {
    expect(estimatedDelivery(slow, noon)).to.equal('2031-01-04');
    expect(estimatedDelivery({ ...slow, daysTo: 0 }, noon)).to.equal('2030-12-30');
  });

  it('is tomorrow for a next-day option, and a day later from the minute of its cut-off on', () => {
    expect(estimatedDelivery({ ...next, nextDayCutOffTime: null }, at('23:59:59'))).to.equal('2030-12-31');
    expect(estimatedDelivery(next, at('14:29:59'))).to.equal('2030-12-31');
    expect(estimatedDelivery(next, at('14:30:00'))).to.equal('2031-01-01');
  });
});
