import { expect } from 'chai';
import { initialChoices, planShipping, selectOptions } from '#command/pricing/shipping-plan.ts';
import type { ShippingChoice } from '#events/checkout.events.ts';
import { startedBasket, type BasketView } from '#events/basket-view.ts';
import type { Destination } from '#values/address.ts';
import { idNamed, lineOf, london, units } from '#test/support/builders/basket.ts';
import { warehousesWith } from '#test/support/builders/warehouses.ts';

const now = '2030-06-01T12:00:00.000Z';

const shop = warehousesWith(
  {
    east: {
      options: {
        parcel: { fixedCost: 500 },
        courier: {
          fixedCost: 900,
          daysFrom: 1,
          daysTo: 1,
          allowsDeliveryDateSelection: true,
          minDeliveryDays: 2,
          maxDeliveryDays: 5,
        },
      },
    },
    west: { serves: ['GB'], options: { van: { fixedCost: 300 } } },
  },
  {
    mug: { price: 1000, stock: { east: 5 } },
    tea: { price: 400, stock: { west: 2, east: 3 } },
    pen: { price: 100 },
  },
);

const basketWith = (lines: Readonly<Record<string, number>>): BasketView => ({
  ...startedBasket('GBP', london),
  lines: Object.entries(lines).map(([sku, quantity]) => units(sku, quantity)),
});

const plan = (
  lines: Readonly<Record<string, number>>,
  to: Destination = london,
  holds: [string, string, number][] = [],
) =>
  planShipping(
    shop,
    basketWith(lines),
    {
      holds: holds.map(([sku, warehouse, quantity]) => ({
        productId: idNamed(sku),
        warehouseId: idNamed(warehouse),
        quantity,
      })),
    },
    to,
  );

const france: Destination = { countryCode: 'FR', regionCode: null, postalCode: null };
const parcel = `so:${idNamed('parcel')}`;
const courier = `so:${idNamed('courier')}`;

/** The one group of a plan. */
const only = (planned: ReturnType<typeof plan>) => {
  expect(planned.groups).to.have.length(1);
  return planned.groups[0] ?? expect.fail('there is no group');
};

describe('how a basket ships', () => {
  it('makes a group for what leaves one warehouse, with what it can travel by', () => {
    const group = only(plan({ mug: 2 }));
    expect(group).to.deep.include({ groupName: 'east', warehouseId: idNamed('east') });
    expect(group.options.map(({ optionKey, cost }) => [optionKey, cost])).to.have.deep.members([
      [parcel, 500],
      [courier, 900],
    ]);
    expect(group.lines.map(({ lineId, quantity }) => [lineId, quantity])).to.deep.equal([
      [lineOf('mug').lineId, 2],
    ]);
  });

  it('splits a line over warehouses when none has enough, and reserves in each', () => {
    const split = plan({ tea: 4 });
    expect(split.groups.map(({ groupName, lines }) => [groupName, lines[0]?.quantity])).to.deep.equal([
      ['west', 2],
      ['east', 2],
    ]);
    expect(split.holds).to.deep.equal([
      { productId: idNamed('tea'), warehouseId: idNamed('west'), quantity: 2 },
      { productId: idNamed('tea'), warehouseId: idNamed('east'), quantity: 2 },
    ]);
  });

  it('reserves nothing that is not tracked', () => {
    expect(plan({ pen: 1000 }).holds).to.deep.equal([]);
  });

  it('reports what is short, with both numbers, and what cannot be shipped there', () => {
    expect(plan({ mug: 6 }).unavailable).to.deep.equal([
      {
        lineItemId: lineOf('mug').lineId,
        sku: 'mug',
        name: 'mug',
        reason: 'stock',
        message: 'mug: 6 wanted, 5 available.',
        requestedQuantity: 6,
        availableQuantity: 5,
      },
    ]);
    const nowhere = warehousesWith(
      { east: { serves: ['GB'], options: { parcel: {} } } },
      { mug: { price: 1, stock: { east: 1 } } },
    );
    const [item] = planShipping(nowhere, basketWith({ mug: 1 }), { holds: [] }, france).unavailable;
    expect(item).to.deep.include({ reason: 'destination', message: 'mug cannot be shipped to France.' });
  });

  it('counts what the basket holds already as its own', () => {
    const sources = warehousesWith(
      { east: { options: { parcel: {} } } },
      { mug: { price: 1, stock: { east: 2 } } },
    );
    const holds = [{ productId: idNamed('mug'), warehouseId: idNamed('east'), quantity: 1 }];
    expect(planShipping(sources, basketWith({ mug: 3 }), { holds }).unavailable).to.deep.equal([]);
    expect(planShipping(sources, basketWith({ mug: 3 }), { holds: [] }).unavailable).to.have.length(1);
  });
});

describe('choosing how to ship', () => {
  const planned = plan({ mug: 1 });
  const group = only(planned);

  it('finds a choice by group, by warehouse, or by any option that the group offers', () => {
    for (const selections of [
      { [group.groupId]: courier },
      { [group.warehouseId]: courier },
      { elsewhere: courier },
    ]) {
      const { choices, errors } = selectOptions(planned, selections, {}, now);
      expect(errors).to.deep.equal({});
      expect(choices[0]).to.deep.include({
        groupId: group.groupId,
        optionKey: courier,
        cost: 900,
        quotedAt: now,
      });
    }
  });

  it('takes the bare id of an option', () => {
    const { choices } = selectOptions(planned, { [group.groupId]: idNamed('parcel') }, {}, now);
    expect(choices[0]?.optionKey).to.equal(parcel);
  });

  it('tells what is missing or not offered, by group', () => {
    for (const selections of [
      {},
      { [group.groupId]: `so:${idNamed('van')}` },
      { [group.groupId]: 'nonsense' },
    ]) {
      const { choices, errors } = selectOptions(planned, selections, {}, now);
      expect(choices).to.deep.equal([]);
      expect(Object.keys(errors)).to.deep.equal([group.groupId]);
    }
  });

  it('takes a date by group before one by option, and refuses one that cannot be had', () => {
    const select = (dates: Readonly<Record<string, string>>, key = courier) =>
      selectOptions(planned, { [group.groupId]: key }, dates, now);
    const dates = { [group.groupId]: '2030-06-04', [courier]: '2030-06-05' };
    expect(select(dates).choices[0]?.deliveryDate).to.equal('2030-06-04');
    expect(select({ [courier]: '2030-06-05' }).choices[0]?.deliveryDate).to.equal('2030-06-05');
    for (const date of ['2030-06-02', '2030-06-07', 'soon']) {
      expect(Object.keys(select({ [courier]: date }).errors), date).to.deep.equal([group.groupId]);
    }
    expect(Object.keys(select({ [group.groupId]: '2030-06-04' }, parcel).errors)).to.deep.equal([
      group.groupId,
    ]);
  });

  it('promises a date where the option does, also of a quote that is kept from before', () => {
    const select = (
      wanted: Readonly<Record<string, string>>,
      of = planned,
      made?: readonly ShippingChoice[],
    ) => selectOptions(of, { [group.groupId]: courier }, wanted, now, made).choices;
    const dated = { [courier]: '2030-06-04' };
    const options = group.options.map((option) => ({ ...option, isDeliveryDateGuaranteed: true }));
    const promising = { ...planned, groups: [{ ...group, options }] };
    const promised = select(dated, promising);
    const isPromised = ([choice]: readonly ShippingChoice[]) => choice?.isDeliveryDateGuaranteed ?? false;
    expect(isPromised(promised)).to.equal(true);
    expect(isPromised(select(dated, promising, promised))).to.equal(true);
    expect(isPromised(select({}, promising, promised)), 'no date, nothing to promise').to.equal(false);
    expect(isPromised(select(dated, planned, promised)), 'not promised any more').to.equal(false);
    expect(isPromised(select(dated))).to.equal(false);
  });

  it('keeps at the start what was chosen before, else chooses the cheapest when it may', () => {
    const { groupId } = group;
    expect(initialChoices(planned, { [groupId]: courier }, true, now)).to.deep.include({ restored: 1 });
    const chosen = initialChoices(planned, { [groupId]: `so:${idNamed('gone')}` }, true, now);
    expect([chosen.restored, chosen.choices[0]?.optionKey]).to.deep.equal([0, parcel]);
    expect(initialChoices(planned, {}, false, now).choices).to.deep.equal([]);
  });

  it('keeps a date that was chosen with the option, as long as it can be had', () => {
    const { choices: made } = selectOptions(
      planned,
      { [group.groupId]: courier },
      { [courier]: '2030-06-04' },
      now,
    );
    const again = (key: string, at: string) =>
      initialChoices(planned, { [group.groupId]: key }, true, at, made).choices[0]?.deliveryDate;
    expect(again(courier, now)).to.equal('2030-06-04');
    expect(again(parcel, now)).to.equal(null);
    expect(again(courier, '2030-06-03T12:00:00.000Z')).to.equal(null);
  });
});
