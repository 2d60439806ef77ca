import { metaOf } from '#command/engine/request-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { resolveShippingTax } from '#command/pricing/shipping-tax.ts';
import { presentationOf } from '#contracts/basket-line-answer.ts';
import {
  initializeBody,
  shippingBody,
  type InitializeBody,
  type ShippingBody,
} from '#contracts/checkout.contract.ts';
import type { BasketView } from '#events/basket-view.ts';
import { ok, route, visitor, type Reply, type Route, type RouteRequest } from '#http/route.ts';
import { isoInstant } from '#kernel/clock.ts';
import { Rejection } from '#kernel/rejection.ts';
import type { Destination } from '#values/address.ts';
import { decimalsOf } from '#values/currency.ts';
import { countryName, findRegion, isCountry } from '#values/region.ts';
import { warningsOf } from '../basket/basket.state.ts';
import type { CheckoutActions } from './checkout-actions.ts';
import { checkoutBasket, itemErrors, placeCookies, shippingAnswer } from './checkout.response.ts';
import { findBasket, type FoundBasket } from './find-basket.ts';
import {
  initialChoices,
  planShipping,
  selectOptions,
  type ShippingPlan,
} from '#command/pricing/shipping-plan.ts';

const file = 'command-service/contexts/checkout/checkout-shipping.routes.ts';
const common = { base: 'checkout', service: 'command', caller: visitor, file } as const;

export interface CheckoutShippingDeps extends CommandDeps {
  readonly checkout: CheckoutActions;
}

/** Percent at which the shipping is taxed; 0 when it is not, or not by a known rate. */
const shippingTaxRate = (
  { settings, reference }: CheckoutShippingDeps,
  { destination, totals }: BasketView,
): number => {
  const rule = resolveShippingTax(settings(), reference.tax, destination);
  return rule.mode === 'FixedRate' ? rule.rate : (totals.effectiveShippingTaxRate ?? 0);
};

const groupsOf = (deps: CheckoutShippingDeps, plan: ShippingPlan, basket: BasketView) =>
  shippingAnswer(plan, basket, shippingTaxRate(deps, basket), presentationOf(deps.settings()));

const destinationFrom = ({ countryCode, stateCode }: InitializeBody, current: Destination): Destination => {
  const country = countryCode?.trim().toUpperCase() ?? '';
  if (!isCountry(country)) {
    throw new Rejection(
      'invalid-request',
      'countryCode: an ISO 3166-1 country code of two letters was expected.',
    );
  }
  const regionCode = findRegion(country, stateCode?.trim() ?? '')?.regionCode ?? null;
  const stays = country === current.countryCode && (regionCode === null || regionCode === current.regionCode);
  return stays ? current : { countryCode: country, regionCode, postalCode: null };
};

const cannotShip = (
  deps: CheckoutShippingDeps,
  { basketId, basket }: FoundBasket,
  plan: ShippingPlan,
  place: Destination,
): Reply => {
  const errors = Object.fromEntries(plan.unavailable.map(({ message }, index) => [`error${index}`, message]));
  const message =
    plan.unavailable[0]?.message ?? `Nothing can be shipped to ${countryName(place.countryCode)}.`;
  const shown = checkoutBasket(
    basketId,
    basket,
    presentationOf(deps.settings()),
    itemErrors(plan.unavailable),
  );
  return {
    status: 422,
    json: { success: false, message, errors, basket: shown, ...groupsOf(deps, plan, basket) },
  };
};

const initialize =
  (deps: CheckoutShippingDeps) => async (request: RouteRequest<unknown, unknown, InitializeBody>) => {
    const { body } = request;
    const found = await findBasket(deps.checkout, request);
    const destination = destinationFrom(body, found.basket.destination);
    const plan = planShipping(deps, found.basket, found, destination);
    if (plan.unavailable.length > 0) return cannotShip(deps, found, plan, destination);
    const now = isoInstant(deps.clock.now());
    const made = found.basket.choices;
    const kept = Object.fromEntries(made.map(({ groupId, optionKey }) => [groupId, optionKey]));
    const previous = { ...kept, ...body.previousShippingSelections };
    const { choices, restored } = initialChoices(plan, previous, body.autoSelectShipping ?? true, now, made);
    const done = await deps.checkout.send(
      found.basketId,
      { type: 'SelectShipping', destination, choices, quotedOn: { lines: found.basket.lines, destination } },
      metaOf(request),
    );
    const basket = done.state.basket ?? found.basket;
    const presentation = presentationOf(deps.settings());
    const warnings = warningsOf(done.events);
    return ok(
      {
        success: true,
        message: '',
        basket: checkoutBasket(found.basketId, basket, presentation, { warnings, errors: [] }),
        ...groupsOf(deps, plan, basket),
        shippingAutoSelected: choices.length > 0 && restored === 0,
        currencyDecimalPlaces: decimalsOf(presentation.display.currency),
        requiresAccount: basket.lines.some((line) => line.isDigital),
      },
      { cookies: placeCookies(destination), position: done.position },
    );
  };

const shippingGroups = (deps: CheckoutShippingDeps) => async (request: RouteRequest) => {
  const found = await findBasket(deps.checkout, request);
  const plan = planShipping(deps, found.basket, found);
  if (plan.unavailable.length > 0) return cannotShip(deps, found, plan, found.basket.destination);
  const basket = checkoutBasket(found.basketId, found.basket, presentationOf(deps.settings()));
  return ok({ success: true, message: '', basket, ...groupsOf(deps, plan, found.basket) });
};

const selectShipping =
  (deps: CheckoutShippingDeps) => async (request: RouteRequest<unknown, unknown, ShippingBody>) => {
    const found = await findBasket(deps.checkout, request);
    const plan = planShipping(deps, found.basket, found);
    if (plan.unavailable.length > 0) return cannotShip(deps, found, plan, found.basket.destination);
    const { selections, deliveryDates } = request.body;
    const now = isoInstant(deps.clock.now());
    const { choices, errors } = selectOptions(plan, selections ?? {}, deliveryDates ?? {}, now);
    const [problem] = Object.values(errors);
    if (problem !== undefined) throw new Rejection('shipping-incomplete', problem, { errors });
    const done = await deps.checkout.send(
      found.basketId,
      { type: 'SelectShipping', destination: null, choices, quotedOn: found.basket },
      metaOf(request),
    );
    const basket = done.state.basket ?? found.basket;
    const warnings = warningsOf(done.events);
    const shown = checkoutBasket(found.basketId, basket, presentationOf(deps.settings()), {
      warnings,
      errors: [],
    });
    return ok(
      { success: true, message: '', basket: shown, ...groupsOf(deps, plan, basket), warnings },
      { position: done.position },
    );
  };

/** Where the basket goes and how (specification 4.2). */
export const checkoutShippingRoutes = (deps: CheckoutShippingDeps): readonly Route[] => [
  route({
    ...common,
    method: 'POST',
    path: '/initialize',
    summary: 'Begin checkout for a country: groups, options and, if wanted, a first choice of shipping',
    schemas: { body: initializeBody },
    errors: [
      'basket-not-found',
      'invalid-request',
      'cannot-ship',
      'shipping-incomplete',
      'amount-too-large',
      'order-being-placed',
    ],
    handle: initialize(deps),
  }),
  route({
    ...common,
    method: 'GET',
    path: '/shipping-groups',
    summary: 'How the basket ships: groups and their options',
    errors: ['basket-not-found', 'cannot-ship'],
    handle: shippingGroups(deps),
  }),
  route({
    ...common,
    method: 'POST',
    path: '/shipping',
    summary: 'Choose an option for every shipping group',
    schemas: { body: shippingBody },
    errors: [
      'basket-not-found',
      'cannot-ship',
      'shipping-incomplete',
      'amount-too-large',
      'order-being-placed',
    ],
    handle: selectShipping(deps),
  }),
];
