import { expect } from 'chai';
import { requoteShipping, shippingCost } from '#command/pricing/requote-shipping.ts';
import { initialChoices, planShipping, type ShippingPlan } from '#command/pricing/shipping-plan.ts';
import type { ShippingChoice } from '#events/checkout.events.ts';
import { startedBasket } from '#events/basket-view.ts';
import { idNamed, london, units } from '#test/support/builders/basket.ts';
import { warehousesWith } from '#test/support/builders/warehouses.ts';

const now = '2030-06-01T12:00:00.000Z';
const later = '2030-06-01T13:00:00.000Z';

const shopWith = (parcel: number, more: Readonly<Record<string, object>> = {}) =>
  warehousesWith(
    {
      east: { options: { parcel: { fixedCost: parcel }, ...more } },
      west: { options: { van: { fixedCost: 900 } } },
    },
    { mug: { price: 1000, stock: { east: 5 } }, tea: { price: 400, stock: { west: 2 } } },
  );

const planIn = (
  shop: ReturnType<typeof shopWith>,
  lines: Readonly<Record<string, number>>,
  destination = london,
): ShippingPlan =>
  planShipping(
    shop,
    {
      ...startedBasket('GBP', destination),
      lines: Object.entries(lines).map(([sku, quantity]) => units(sku, quantity)),
    },
    { holds: [] },
  );

const chosenIn = (plan: ShippingPlan): readonly ShippingChoice[] =>
  initialChoices(plan, {}, true, now).choices;

describe('chosen shipping, quoted again', () => {
  const made = chosenIn(planIn(shopWith(500), { mug: 2 }));

  it('keeps a quote for the same goods if the shop asks more now', () => {
    expect(requoteShipping(made, planIn(shopWith(800), { mug: 2 }), later)).to.deep.equal({
      choices: made,
      lost: [],
      isComplete: true,
    });
  });

  it('takes the lower price when the shop asks less', () => {
    const { choices } = requoteShipping(made, planIn(shopWith(300), { mug: 2 }), later);
    expect(choices).to.deep.equal([{ ...made[0], cost: 300, quotedAt: later }]);
  });

  it('asks today’s price for other goods, another destination, or an unknown quote', () => {
    const dearer = shopWith(800);
    const soho = { ...london, postalCode: 'W1D 3QU' };
    const { quotedFor: _, ...unsaid } = made[0] ?? expect.fail('nothing was chosen');
    for (const [choices, plan] of [
      [made, planIn(dearer, { mug: 3 })],
      [made, planIn(dearer, { mug: 2 }, soho)],
      [[unsaid], planIn(dearer, { mug: 2 })],
    ] as const) {
      const quoted = requoteShipping(choices, plan, later);
      expect(shippingCost(quoted.choices)).to.equal(800);
      expect(quoted.choices[0]).to.include({ quotedAt: later });
    }
  });

  it('follows its goods into a new group when the warehouse offers another option beside it', () => {
    const plan = planIn(shopWith(500, { courier: { fixedCost: 100 } }), { mug: 2 });
    const { choices, lost } = requoteShipping(made, plan, later);
    expect(lost).to.deep.equal([]);
    expect(choices[0]).to.deep.include({ groupId: plan.groups[0]?.groupId, cost: 500 });
    expect(choices[0]?.optionKey).to.equal(`so:${idNamed('parcel')}`);
  });

  it('is lost with a warning if the goods come from elsewhere, silently if they were removed', () => {
    const both = chosenIn(planIn(shopWith(500), { mug: 2, tea: 1 }));
    const without = requoteShipping(both, planIn(shopWith(500), { mug: 2 }), later);
    expect([without.choices.length, without.lost, without.isComplete]).to.deep.equal([1, [], true]);

    const moved = requoteShipping(made, planIn(shopWith(500), { tea: 1 }), later);
    expect(moved.choices).to.deep.equal([]);
    expect(moved.lost.map(({ reason }) => reason)).to.deep.equal([
      'parcel is not offered any more for what is in the basket. Choose again how it is shipped.',
    ]);
    expect(moved.isComplete).to.equal(false);
  });
});
