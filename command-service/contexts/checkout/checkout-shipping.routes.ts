import { metaOf } from '#command/engine/request-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { resolveShippingTax } from '#command/pricing/shipping-tax.ts';
import { checkoutBasketResponse } from '#contracts/basket-response.ts';
import type { BasketPresentation } from '#contracts/basket-line-response.ts';
import {
  initializeBody,
  initializedResponse,
  shippingBody,
  shippingChosenResponse,
  shippingGroupsResponse,
} from '#contracts/checkout.contract.ts';
import type { BasketView } from '#events/basket-view.ts';
import { placeQuery } from '#contracts/places.contract.ts';
import { estimatedShippingResponse } from '#contracts/storefront.contract.ts';
import { currencyCookie, placeCookies, placeOf } from '#http/cookies.ts';
import { ok, route, visitor, type Reply, type Route, type RouteRequest } from '#http/route.ts';
import { Rejection } from '#kernel/rejection.ts';
import { requestedLocation } from '#reference/location.ts';
import { showing } from '#http/shown-rate.ts';
import { presentationFor } from '#reference/presentation.ts';
import { decimalsOf } from '#values/currency.ts';
import { countryName } from '#values/region.ts';
import type { CheckoutActions } from './checkout.actions.ts';
import type { Shipping } from './checkout-shipping.actions.ts';
import { changedBasket, estimateResponse, itemErrors, shippingResponse } from './checkout.response.ts';

const file = import.meta.url;
const common = { base: 'checkout', service: 'command', caller: visitor, file } as const;

export interface CheckoutShippingDeps extends Pick<CommandDeps, 'settings' | 'reference' | 'clock'> {
  readonly actions: CheckoutActions;
  /** Base URL of links in mails; null: not configured. */
  readonly storeUrl: (request: Pick<RouteRequest, 'baseUrl'>) => string | null;
}

/** Percent at which the shipping is taxed; 0 when it is not, or not by a known rate. */
const shippingTaxRate = (
  { settings, reference }: CheckoutShippingDeps,
  { destination, totals }: BasketView,
): number => {
  const rule = resolveShippingTax(settings(), reference.tax, destination);
  return rule.mode === 'FixedRate' ? rule.rate : (totals.effectiveShippingTaxRate ?? 0);
};

const groupsOf = (
  deps: CheckoutShippingDeps,
  { plan }: Shipping,
  basket: BasketView,
  presentation: BasketPresentation,
) =>
  shippingResponse(plan, basket, {
    taxRate: shippingTaxRate(deps, basket),
    presentation,
    now: deps.clock.now(),
  });

const cannotShip = (
  deps: CheckoutShippingDeps,
  shipping: Shipping,
  request: Pick<RouteRequest, 'cookies'>,
): Reply => {
  const presentation = presentationFor(deps, request.cookies[currencyCookie]);
  const { found, plan, destination } = shipping;
  const { basketId, basket } = found;
  const code = 'cannot-ship';
  // Of no field: which lines cannot be sent stands in the basket's errors.
  const errors = { '': plan.unavailable.map((one) => one.message).join(' ') };
  const message =
    plan.unavailable[0]?.message ?? `Nothing can be shipped to ${countryName(destination.countryCode)}.`;
  const remarks = itemErrors(plan.unavailable);
  const shown = checkoutBasketResponse(basketId, basket, presentation, remarks);
  const groups = groupsOf(deps, shipping, basket, presentation);
  const json = { success: false, code, message, errors, basket: shown, ...groups };
  return showing({ status: 422, code, json }, request, presentation);
};

const initializeRoute = (deps: CheckoutShippingDeps): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/initialize',
    summary: 'Begin checkout for a country: groups, options and, if wanted, a first choice of shipping',
    schemas: { body: initializeBody },
    response: initializedResponse,
    errors: [
      'basket-not-found',
      'invalid-request',
      'cannot-ship',
      'shipping-incomplete',
      'amount-too-large',
      'order-being-placed',
    ],
    handle: async (request) => {
      const { basketId, body, ip } = request;
      const from = { ip, storeUrl: deps.storeUrl(request) };
      const begun = await deps.actions.takeDefaultAddresses(basketId, body, from, metaOf(request));
      const done = await deps.actions.initialize(basketId, begun, metaOf(request));
      const { shipping, changed } = done;
      const wanted = request.cookies[currencyCookie];
      if (changed === null) return cannotShip(deps, shipping, request);
      const { countryCode } = shipping.destination;
      const followed = await deps.actions.followCountry(changed, countryCode, wanted, metaOf(request));
      const presentation = presentationFor(deps, followed ?? wanted);
      const reply = ok(
        {
          success: true,
          message: '',
          ...changedBasket(changed, presentation),
          ...groupsOf(deps, shipping, changed.basket, presentation),
          shippingAutoSelected: done.isAutoSelected,
          currencyDecimalPlaces: decimalsOf(presentation.display.currency),
          requiresAccount: changed.basket.lines.some((line) => line.isDigital),
        },
        { cookies: placeCookies(shipping.destination, followed), position: changed.position },
      );
      return showing(reply, request, presentation);
    },
  });

const groupsRoute = (deps: CheckoutShippingDeps): Route =>
  route({
    ...common,
    method: 'GET',
    path: '/shipping-groups',
    summary: 'How the basket ships: groups and their options',
    response: shippingGroupsResponse,
    errors: ['basket-not-found', 'cannot-ship'],
    handle: async (request) => {
      const shipping = await deps.actions.shipping(request.basketId);
      const { found, plan } = shipping;
      if (plan.unavailable.length > 0) return cannotShip(deps, shipping, request);
      const presentation = presentationFor(deps, request.cookies[currencyCookie]);
      const basket = checkoutBasketResponse(found.basketId, found.basket, presentation);
      const groups = groupsOf(deps, shipping, found.basket, presentation);
      return showing(ok({ success: true, message: '', basket, ...groups }), request, presentation);
    },
  });

const selectRoute = (deps: CheckoutShippingDeps): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/shipping',
    summary: 'Choose an option for every shipping group',
    schemas: { body: shippingBody },
    response: shippingChosenResponse,
    errors: [
      'basket-not-found',
      'cannot-ship',
      'shipping-incomplete',
      'amount-too-large',
      'order-being-placed',
    ],
    handle: async (request) => {
      const { basketId, body } = request;
      const { shipping, changed } = await deps.actions.selectShipping(basketId, body, metaOf(request));
      if (changed === null) return cannotShip(deps, shipping, request);
      const presentation = presentationFor(deps, request.cookies[currencyCookie]);
      const { basket, warnings } = changedBasket(changed, presentation);
      const groups = groupsOf(deps, shipping, changed.basket, presentation);
      const answer = { success: true, message: '', basket, ...groups, warnings };
      return showing(ok(answer, { position: changed.position }), request, presentation);
    },
  });

const isNoEstimate = (error: unknown): error is Rejection =>
  error instanceof Rejection && (error.code === 'basket-not-found' || error.code === 'cannot-ship');

const estimateRoute = (deps: CheckoutShippingDeps): Route =>
  route({
    ...common,
    base: 'storefront',
    method: 'GET',
    path: '/basket/estimated-shipping',
    summary: 'What it would cost to ship the basket to a place, by the cheapest option of each group',
    schemas: { query: placeQuery },
    response: estimatedShippingResponse,
    errors: ['amount-too-large'],
    handle: async (request) => {
      const { basketId, cookies, query } = request;
      const settings = deps.settings();
      const location = requestedLocation(query, placeOf(cookies), settings, deps.reference.shipping);
      const presentation = presentationFor(deps, cookies[currencyCookie]);
      try {
        const estimate = await deps.actions.estimateShipping(basketId, location);
        return showing(ok(estimateResponse(estimate, presentation)), request, presentation);
      } catch (error) {
        if (!isNoEstimate(error)) throw error;
        return ok({ success: false, code: error.code, message: error.message });
      }
    },
  });

/** Where the basket goes and how. */
export const checkoutShippingRoutes = (deps: CheckoutShippingDeps): readonly Route[] => [
  estimateRoute(deps),
  initializeRoute(deps),
  groupsRoute(deps),
  selectRoute(deps),
];
