import type { CommandMeta } from '#command/engine/command-engine.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { gatherPrices } from '#command/pricing/basket-prices.ts';
import { discountIdsOf, priceable } from '#command/pricing/priceable.ts';
import { priceBasket } from '#command/pricing/price-basket.ts';
import {
  initialChoices,
  planShipping,
  selectOptions,
  type ShippingPlan,
} from '#command/pricing/shipping-plan.ts';
import { autoSelectOption } from '#command/pricing/quote-shipping.ts';
import { basketEvents } from '#events/basket.events.ts';
import { changedBasket, type BasketView } from '#events/basket-view.ts';
import type { BasketPricing } from '#events/pricing.fields.ts';
import { isoInstant } from '#kernel/clock.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { Location } from '#reference/location.ts';
import type { Destination } from '#values/address.ts';
import type { Minor } from '#values/money.ts';
import { countryName, findRegion, isCountry, regionsOf } from '#values/region.ts';
import type { CheckoutApi, ShippingQuotes, ShippingSelection } from './checkout.commands.ts';
import { createKeptPlans, type KeptPlans } from './kept-plans.ts';
import { change, changing, findBasket, type CheckoutDeps, type FoundBasket } from './found-basket.ts';

/** How a basket ships, or why it does not: then nothing has been changed. */
export interface Shipping {
  readonly found: FoundBasket;
  readonly plan: ShippingPlan;
  /** Where it was to go. */
  readonly destination: Destination;
}

/** Where checkout begins: a country, a region of it, and what was chosen before. */
export interface Beginning {
  readonly countryCode?: string | null | undefined;
  readonly stateCode?: string | null | undefined;
  readonly previousShippingSelections?: Readonly<Record<string, string>> | null | undefined;
  readonly autoSelectShipping?: boolean | null | undefined;
}

/** The region of a country by code or name; none where the catalogue has no regions for it. */
const regionFrom = (country: string, given: string): string | null => {
  const region = given === '' ? null : findRegion(country, given);
  if (region !== null || given === '' || regionsOf(country).length === 0) return region?.regionCode ?? null;
  throw new Rejection('invalid-request', `stateCode: must be a region of ${countryName(country)}.`);
};

const destinationFrom = ({ countryCode, stateCode }: Beginning, current: Destination): Destination => {
  const country = countryCode?.trim().toUpperCase() ?? '';
  if (!isCountry(country)) {
    throw new Rejection('invalid-request', 'countryCode: must be an ISO 3166-1 country code of two letters.');
  }
  const regionCode = regionFrom(country, stateCode?.trim() ?? '');
  const stays = country === current.countryCode && (regionCode === null || regionCode === current.regionCode);
  return stays ? current : { countryCode: country, regionCode, postalCode: null };
};

/** How a basket ships to a place, with what carriers say where there are any to ask. */
const askedPlan = async (
  deps: CommandDeps,
  found: FoundBasket,
  destination: Destination = found.basket.destination,
  plan: ShippingPlan = planShipping(deps, found.basket, found, destination),
): Promise<ShippingPlan> => {
  const rates = await deps.apis.shipping.ratesFor(plan.groups, destination);
  return rates === null ? plan : planShipping(deps, found.basket, found, destination, rates);
};

/** How the basket ships as it is. */
const showShipping =
  (deps: CommandDeps) =>
  async (basketId: string | null): Promise<Shipping> => {
    const found = await findBasket(deps, basketId);
    const { destination } = found.basket;
    return { found, plan: await askedPlan(deps, found), destination };
  };

/** Moves the basket to a country and chooses how it ships, if wanted. `changed` null: it cannot be shipped there. */
const initialize = (deps: CheckoutDeps) => (basketId: string | null, given: Beginning, meta: CommandMeta) =>
  changing(deps, basketId, async (found) => {
    const destination = destinationFrom(given, found.basket.destination);
    const plan = await askedPlan(deps, found, destination);
    const shipping: Shipping = { found, plan, destination };
    if (plan.unavailable.length > 0) return { shipping, changed: null };
    const made = found.basket.choices;
    const kept = Object.fromEntries(made.map(({ groupId, optionKey }) => [groupId, optionKey]));
    const previous = { ...kept, ...given.previousShippingSelections };
    const now = isoInstant(deps.clock.now());
    const isAutomatic = given.autoSelectShipping ?? true;
    const { choices, restored } = initialChoices(plan, previous, isAutomatic, now, made);
    const quotedOn = { lines: found.basket.lines, destination };
    const command = { type: 'SelectShipping', destination, choices, quotedOn } as const;
    const changed = await deps.taxes.estimate(await change(deps, found, command, meta), meta);
    return { shipping, changed, isAutoSelected: choices.length > 0 && restored === 0 };
  });

/** `changed` null: something in the basket cannot be shipped. */
const selectShipping =
  (deps: CheckoutDeps, planOf: KeptPlans) =>
  (basketId: string | null, given: ShippingSelection, meta: CommandMeta) =>
    changing(deps, basketId, async (found) => {
      const { destination } = found.basket;
      const plan = await askedPlan(deps, found, destination, planOf(found));
      const shipping: Shipping = { found, plan, destination };
      if (plan.unavailable.length > 0) return { shipping, changed: null };
      const now = isoInstant(deps.clock.now());
      const selections = given.selections ?? {};
      const isMeant = ({ groupId }: { readonly groupId: string }): boolean =>
        !given.isPartial || groupId in selections;
      const { choices, errors } = selectOptions(
        { ...plan, groups: plan.groups.filter(isMeant) },
        selections,
        given.deliveryDates ?? {},
        now,
        found.basket.choices,
      );
      const [problem] = Object.values(errors);
      if (problem !== undefined) throw new Rejection('shipping-incomplete', problem, { errors });
      const command = { type: 'SelectShipping', destination: null, choices, quotedOn: found.basket } as const;
      const changed = await deps.taxes.estimate(await change(deps, found, command, meta), meta);
      return { shipping, changed };
    });

/** What a basket would cost to ship, and what it would come to then. */
export interface ShippingEstimate {
  readonly basketId: string;
  readonly basket: BasketView;
  readonly cost: Minor;
  readonly groups: number;
}

const { BasketRepriced } = basketEvents.create;

type OptionsChosen = Parameters<ShippingQuotes['offBy']>[0];

/** What the basket would come to with a choice of options. Its prices are gathered once, for any number of choices. */
const pricingWith = (deps: CommandDeps, found: FoundBasket, destination: Destination) => {
  const { basket, usedDiscountIds, holds } = found;
  const prices = gatherPrices(deps, {
    goods: basket.lines,
    discountIds: discountIdsOf(basket),
    destination,
    usedDiscountIds,
    holds,
  });
  return (options: OptionsChosen): BasketPricing => {
    const shipping = options.reduce((sum, { cost }) => sum + cost, 0);
    const shippingOptions = options.map(({ optionKey }) => optionKey);
    return priceBasket({ ...priceable(basket, []), shipping, shippingOptions }, prices).pricing;
  };
};

/**
 * What it would cost to ship the basket to a place by the cheapest option of each group. Nothing is recorded. Errors:
 * Rejection `basket-not-found`, `cannot-ship`.
 */
const estimate =
  (deps: CommandDeps) =>
  async (
    basketId: string | null,
    { countryCode, regionCode }: Pick<Location, 'countryCode' | 'regionCode'>,
  ): Promise<ShippingEstimate> => {
    const found = await findBasket(deps, basketId);
    const destination = { countryCode, regionCode, postalCode: null };
    const { groups, unavailable } = await askedPlan(deps, found, destination);
    const [problem] = unavailable;
    if (problem) throw new Rejection('cannot-ship', problem.message, { unavailableItems: unavailable });
    const cheapest = groups.map(({ options, groupName, rateError }) => {
      const option = autoSelectOption(options, 'cheapest');
      if (option) return option;
      throw new Rejection('cannot-ship', rateError ?? `Nothing is offered for ${groupName}.`);
    });
    const pricing = pricingWith(deps, found, destination)(cheapest);
    const basket = changedBasket(found.basket, BasketRepriced({ destination, pricing }));
    return { basketId: found.basketId, basket, cost: pricing.totals.shipping, groups: groups.length };
  };

/** Every way to ship the basket as it is, with what discounts take off each. */
const quotes =
  (deps: CommandDeps, planOf: KeptPlans): CheckoutApi['shippingQuotes'] =>
  async (basketId) => {
    const found = await findBasket(deps, basketId);
    const { basket } = found;
    const own = planOf(found);
    const plan = await askedPlan(deps, found, basket.destination, own);
    const priced = pricingWith(deps, found, basket.destination);
    return {
      basket,
      plan,
      asksCarriers: plan !== own,
      offBy: (options) => {
        const { totals, discounts } = priced(options);
        const names = discounts.flatMap(({ category, name }) => (category === 'FreeShipping' ? [name] : []));
        return { amount: totals.shippingDiscount, names };
      },
    };
  };

/** Takes back what was chosen. */
const deselectShipping =
  (deps: CheckoutDeps): CheckoutApi['deselectShipping'] =>
  async (basketId, meta) => {
    await changing(deps, basketId, async (found) => {
      const command = {
        type: 'SelectShipping',
        destination: null,
        choices: [],
        quotedOn: found.basket,
      } as const;
      return { changed: await deps.taxes.estimate(await change(deps, found, command, meta), meta) };
    });
  };

/** What checkout does about shipping. */
export const shippingActions = (deps: CheckoutDeps) => {
  const planOf = createKeptPlans(deps);
  return {
    shipping: showShipping(deps),
    initialize: initialize(deps),
    selectShipping: selectShipping(deps, planOf),
    deselectShipping: deselectShipping(deps),
    estimateShipping: estimate(deps),
    shippingQuotes: quotes(deps, planOf),
  };
};
