import { expect } from 'chai';
import { createKeptPlans } from '#command/contexts/checkout/kept-plans.ts';
import { startedBasket } from '#events/basket-view.ts';
import { defaultStoreSettings } from '#values/store-settings.ts';
import { unitsWith } from '#test/support/builders/addon.ts';
import { idNamed, london } from '#test/support/builders/basket.ts';
import {
  applyTo,
  optionNamed,
  productNamed,
  referenceOf,
  stockCounted,
  warehouseNamed,
} from '#test/support/builders/reference.ts';
import { recordedEvents, type GivenEvent } from '#test/support/given.ts';

// docs/rules/agent-sessions.md#shipping
describe('How a basket ships, kept', () => {
  const basket = { ...startedBasket('GBP', london), lines: [unitsWith('mug', 2, [])] };
  const holds: readonly never[] = [];
  const open = () => {
    const reference = referenceOf(
      warehouseNamed('east'),
      optionNamed('post', 'east'),
      productNamed('mug', { shelves: { east: 5 } }),
      productNamed('jar', { shelves: { east: 5 } }),
    );
    const settings = { ...defaultStoreSettings };
    const planOf = createKeptPlans({ reference, settings: () => settings });
    const happen = (...events: readonly GivenEvent[]) => applyTo(reference, recordedEvents(events));
    return { planOf, happen };
  };
  const leftOf = (sku: string, stock: number) => stockCounted(sku, 'east', stock, 5);

  it('is worked out once while nothing that it follows from changes, whatever else is sold', () => {
    const { planOf, happen } = open();
    const plan = planOf({ basket, holds });
    happen(leftOf('jar', 1));
    expect(planOf({ basket, holds })).to.equal(plan);
  });

  it('is another one as soon as its goods, its options or its basket are others', () => {
    const { planOf, happen } = open();
    const costs = () =>
      planOf({ basket, holds }).groups.flatMap(({ options }) => options.map(({ cost }) => cost));
    expect(costs()).to.deep.equal([500]);
    happen(optionNamed('van', 'east', { fixedCost: 900 }));
    expect(costs()).to.deep.equal([500, 900]);
    happen(leftOf('mug', 1));
    expect(planOf({ basket, holds }).unavailable.map(({ reason }) => reason)).to.deep.equal(['stock']);
    const one = { ...basket, lines: [unitsWith('mug', 1, [])] };
    expect(planOf({ basket: one, holds }).unavailable).to.deep.equal([]);
    const own = [{ productId: idNamed('mug'), warehouseId: idNamed('east'), quantity: 2 }];
    expect(planOf({ basket, holds: own }), 'with units of its own').not.to.equal(planOf({ basket, holds }));
  });
});
