import { expect } from 'chai';
import fc from 'fast-check';
import { basketContext } from '#command/contexts/basket/basket.context.ts';
import { basketDecider } from '#command/contexts/basket/basket.decider.ts';
import { holdsOf, type BasketState, type BasketStreamEvent } from '#command/contexts/basket/basket.state.ts';
import { checkoutContext } from '#command/contexts/checkout/checkout.context.ts';
import type { CheckoutCommand } from '#command/contexts/checkout/checkout.commands.ts';
import { checkoutDecider } from '#command/contexts/checkout/checkout.decider.ts';
import { initialChoices, planShipping } from '#command/pricing/shipping-plan.ts';
import { evolve } from '#kernel/evolution.ts';
import { Rejection } from '#kernel/rejection.ts';
import { add, idNamed } from '#test/support/builders/basket.ts';
import { nothingOpen } from '#test/support/builders/checkout.ts';
import { addressOf } from '#test/support/builders/invoice.ts';
import { warehousesWith } from '#test/support/builders/warehouses.ts';

const now = '2030-06-01T12:00:00.000Z';
const from = (minWeightKg: number, surcharge: number) => ({
  countryCode: '*',
  regionCode: null,
  minWeightKg,
  maxWeightKg: null,
  surcharge,
});
const londonCostsMore = {
  countryCode: 'GB',
  pattern: 'SW1',
  matchType: 'Prefix' as const,
  action: 'Surcharge' as const,
  surcharge: 150,
};

/** Two warehouses: what they ask depends on the weight, on the place, and on which of them has the goods. */
const shop = warehousesWith(
  {
    east: {
      options: {
        parcel: { fixedCost: 650, weightTiers: [from(20, 2000), from(2, 400)] },
        courier: { fixedCost: 1050, postcodeRules: [londonCostsMore] },
      },
    },
    west: { options: { van: { fixedCost: 900, weightTiers: [from(5, 700)] } } },
  },
  {
    anvil: { price: 5000, weightKg: 17, stock: { east: 3, west: 4 } },
    tea: { price: 450, weightKg: 0.25, stock: { east: 30 } },
    mug: { price: 900, weightKg: 0.4, stock: { west: 5, east: 2 } },
  },
);

const skus = ['anvil', 'tea', 'mug'] as const;

type Step =
  | { readonly kind: 'set'; readonly sku: string; readonly quantity: number }
  | { readonly kind: 'add'; readonly sku: string; readonly quantity: number }
  | { readonly kind: 'choose'; readonly pick: number }
  | { readonly kind: 'address' }
  | { readonly kind: 'place' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('set' as const),
    sku: fc.constantFrom(...skus),
    quantity: fc.integer({ min: 0, max: 7 }),
  }),
  fc.record({
    kind: fc.constant('add' as const),
    sku: fc.constantFrom(...skus),
    quantity: fc.integer({ min: 1, max: 4 }),
  }),
  fc.record({ kind: fc.constant('choose' as const), pick: fc.nat(3) }),
  fc.constant({ kind: 'address' as const }),
  fc.constant({ kind: 'place' as const }),
);

const address: CheckoutCommand = {
  type: 'ChangeAddresses',
  customerId: idNamed('ada'),
  email: 'ada@example.com',
  billingAddress: addressOf('Ada Lovelace'),
  shippingAddress: addressOf('Ada Lovelace'),
  shippingSameAsBilling: true,
  acceptsMarketing: false,
};

const place: CheckoutCommand = {
  type: 'StartPlacement',
  placementId: idNamed('placement'),
  invoiceId: idNamed('invoice'),
  basketId: idNamed('basket'),
  invoiceNumbersRevision: -1,
  hasAcceptedTerms: false,
  wantedCurrency: undefined,
  shown: null,
  openInvoices: null,
  largeHolds: null,
};

/** Refusals change nothing: they are steps that did not happen. */
const orNothing = (act: () => readonly BasketStreamEvent[]): readonly BasketStreamEvent[] => {
  try {
    return act();
  } catch (error) {
    if (error instanceof Rejection) return [];
    throw error;
  }
};

const checkoutEventsOf = (state: BasketState, command: CheckoutCommand) =>
  checkoutDecider.decide(
    state,
    command,
    checkoutContext({ ...shop, apis: { orders: nothingOpen } })(command)(state),
  );

const eventsOf = (state: BasketState, one: Step): readonly BasketStreamEvent[] => {
  switch (one.kind) {
    case 'address':
      return checkoutEventsOf(state, address);
    case 'place':
      return checkoutEventsOf(state, place);
    case 'choose': {
      if (state.basket === null) return [];
      const plan = planShipping(shop, state.basket, { holds: holdsOf(state) });
      const picked = plan.groups.map(
        ({ groupId, options }) => [groupId, options[one.pick % options.length]?.optionKey ?? ''] as const,
      );
      const { choices } = initialChoices(plan, Object.fromEntries(picked), false, now);
      return checkoutEventsOf(state, {
        type: 'SelectShipping',
        destination: null,
        choices,
        quotedOn: state.basket,
      });
    }
    case 'add': {
      const command = add(one.sku, one.quantity);
      return basketDecider.decide(state, command, basketContext(shop)(command)(state));
    }
    case 'set': {
      const lineId = state.basket?.lines.find(({ sku }) => sku === one.sku)?.lineId ?? '';
      const command = { type: 'ChangeBasketLineQuantity', lineId, quantity: one.quantity } as const;
      return basketDecider.decide(state, command, basketContext(shop)(command)(state));
    }
  }
};

/** What the shop asks for the choices of a basket, for what is in it and where it goes. */
const liveCost = (state: BasketState): number => {
  const { basket } = state;
  if (basket === null) return 0;
  const { groups } = planShipping(shop, basket, { holds: holdsOf(state) });
  return basket.choices.reduce((sum, { groupId, optionKey }) => {
    const group = groups.find((candidate) => candidate.groupId === groupId);
    const option = group?.options.find((candidate) => candidate.optionKey === optionKey);
    return sum + (option?.cost ?? NaN);
  }, 0);
};

describe('shipping, after whatever a shopper does in whatever order', () => {
  it('costs what is asked for the goods in the basket, and an order is charged just that', () => {
    let placements = 0;
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        let state = basketDecider.initial();
        for (const one of steps) {
          const events = orNothing(() => eventsOf(state, one));
          for (const event of events) state = evolve(basketDecider.on, state, event);
          if (state.basket === null) continue;
          expect(state.basket.totals.shipping).to.equal(liveCost(state));
          const started = events.find(({ type }) => type === 'OrderPlacementStarted');
          if (started?.type !== 'OrderPlacementStarted') continue;
          placements++;
          const { content } = started.data;
          expect(content.amounts.shipping).to.equal(liveCost(state));
          expect(content.orders.reduce((sum, { shippingCost }) => sum + shippingCost, 0)).to.equal(
            content.amounts.shipping,
          );
          break;
        }
      }),
      { numRuns: 400 },
    );
    expect(placements).to.be.above(20);
  });
});
