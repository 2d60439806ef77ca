import type { CommandMeta } from '#command/engine/command-engine.ts';
import { metaOf, stepMeta } from '#command/engine/request-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import { unknownCode } from '#command/pricing/apply-discounts.ts';
import { resolveShippingTax } from '#command/pricing/shipping-tax.ts';
import { presentationOf } from '#contracts/basket-line-answer.ts';
import {
  addressesBody,
  applyDiscountBody,
  initializeBody,
  shippingBody,
  type AddressesBody,
  type InitializeBody,
  type ShippingBody,
} from '#contracts/checkout.contract.ts';
import type { BasketView } from '#events/basket-view.ts';
import { basketIdOf, countryCookie, preferenceCookie, regionCookie } from '#http/cookies.ts';
import type { RateLimit } from '#http/rate-limit.ts';
import {
  ok,
  route,
  visitor,
  type CookieToSet,
  type Reply,
  type Route,
  type RouteRequest,
} from '#http/route.ts';
import { isoInstant } from '#kernel/clock.ts';
import { Rejection } from '#kernel/rejection.ts';
import { isShippingCountry } from '#reference/location.ts';
import { splitName, type Destination } from '#values/address.ts';
import { decimalsOf } from '#values/currency.ts';
import { displayAmount } from '#values/exchange.ts';
import { toDecimal } from '#values/money.ts';
import { countryName, findRegion, isCountry } from '#values/region.ts';
import { emptyBasket, warningsOf } from '../basket/basket.state.ts';
import type { CheckoutActions } from './checkout-actions.ts';
import { checkAddresses } from './check-address.ts';
import { checkoutBasket, itemErrors, shippingAnswer } from './checkout.response.ts';
import { initialChoices, planShipping, selectOptions, type ShippingPlan } from './shipping-plan.ts';

const file = 'command-service/contexts/checkout/checkout.routes.ts';
const common = { base: 'checkout', service: 'command', caller: visitor, file } as const;

export interface CheckoutDeps extends CommandDeps {
  readonly checkout: CheckoutActions;
  /** Finds the customer with an e-mail address, or makes one known; answers the id. */
  readonly ensureCustomer: (
    customer: {
      readonly email: string;
      readonly firstName: string;
      readonly lastName: string;
      readonly acceptsMarketing: boolean;
    },
    meta: CommandMeta,
  ) => Promise<string>;
  readonly discountAttempts: RateLimit;
}

interface Found {
  readonly basketId: string;
  readonly basket: BasketView;
  readonly holds: ShippingPlan['holds'];
}

/** The basket that the cookie names, with something in it. */
const findBasket = async ({ checkout }: CheckoutDeps, { cookies }: RouteRequest): Promise<Found> => {
  const basketId = basketIdOf(cookies);
  if (basketId === null) throw emptyBasket();
  const { basket, holds } = await checkout.load(basketId);
  if (basket === null || basket.status === 'completed' || basket.lines.length === 0) throw emptyBasket();
  return { basketId, basket, holds };
};

const placeCookies = ({ countryCode, regionCode }: Destination): CookieToSet[] => [
  preferenceCookie(countryCookie, countryCode),
  preferenceCookie(regionCookie, regionCode),
];

/** Percent at which the shipping is taxed; 0 when it is not, or not by a known rate. */
const shippingTaxRate = (
  { settings, reference }: CheckoutDeps,
  { destination, totals }: BasketView,
): number => {
  const rule = resolveShippingTax(settings(), reference.tax, destination);
  return rule.mode === 'FixedRate' ? rule.rate : (totals.effectiveShippingTaxRate ?? 0);
};

const groupsOf = (deps: CheckoutDeps, plan: ShippingPlan, basket: BasketView) =>
  shippingAnswer(plan, basket, shippingTaxRate(deps, basket), presentationOf(deps.settings()));

const addresses = (deps: CheckoutDeps) => async (request: RouteRequest<unknown, unknown, AddressesBody>) => {
  const { basketId } = await findBasket(deps, request);
  const settings = deps.settings();
  const checked = checkAddresses(request.body, {
    billingPhoneRequired: settings.billingPhoneRequired,
    shipsTo: (countryCode) => isShippingCountry(deps.reference.shipping, countryCode),
  });
  if (checked.kind === 'invalid') {
    throw new Rejection('invalid-address', 'Some fields need your attention.', { errors: checked.errors });
  }
  const { kind: _, ...given } = checked;
  const meta = metaOf(request);
  const { email, acceptsMarketing } = given;
  const person = { email, acceptsMarketing, ...splitName(given.billingAddress.name) };
  const customerId = await deps.ensureCustomer(person, stepMeta(meta));
  const done = await deps.checkout.send(basketId, { type: 'ChangeAddresses', customerId, ...given }, meta);
  const warnings = warningsOf(done.events);
  const basket = checkoutBasket(basketId, done.state.basket, presentationOf(settings), {
    warnings,
    errors: [],
  });
  return ok(
    { success: true, message: '', basket, warnings },
    { cookies: placeCookies(given.shippingAddress), position: done.position },
  );
};

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
  deps: CheckoutDeps,
  { basketId, basket }: Found,
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
  (deps: CheckoutDeps) => async (request: RouteRequest<unknown, unknown, InitializeBody>) => {
    const { body } = request;
    const found = await findBasket(deps, request);
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
      { type: 'SelectShipping', destination, choices },
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

const shippingGroups = (deps: CheckoutDeps) => async (request: RouteRequest) => {
  const found = await findBasket(deps, request);
  const plan = planShipping(deps, found.basket, found);
  if (plan.unavailable.length > 0) return cannotShip(deps, found, plan, found.basket.destination);
  const basket = checkoutBasket(found.basketId, found.basket, presentationOf(deps.settings()));
  return ok({ success: true, message: '', basket, ...groupsOf(deps, plan, found.basket) });
};

const selectShipping =
  (deps: CheckoutDeps) => async (request: RouteRequest<unknown, unknown, ShippingBody>) => {
    const found = await findBasket(deps, request);
    const plan = planShipping(deps, found.basket, found);
    if (plan.unavailable.length > 0) return cannotShip(deps, found, plan, found.basket.destination);
    const { selections, deliveryDates } = request.body;
    const now = isoInstant(deps.clock.now());
    const { choices, errors } = selectOptions(plan, selections ?? {}, deliveryDates ?? {}, now);
    const [problem] = Object.values(errors);
    if (problem !== undefined) throw new Rejection('shipping-incomplete', problem, { errors });
    const done = await deps.checkout.send(
      found.basketId,
      { type: 'SelectShipping', destination: null, choices },
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

const applyDiscount =
  (deps: CheckoutDeps) =>
  async (request: RouteRequest<unknown, unknown, { code?: string | null | undefined }>) => {
    const { basketId, basket } = await findBasket(deps, request);
    const code = request.body.code?.trim().toUpperCase() ?? '';
    if (code === '') throw new Rejection('invalid-request', 'code: a discount code was expected.');
    if (!deps.discountAttempts.take(basketId, deps.settings().discountAttemptsPerMinute)) {
      throw new Rejection('discount-not-applicable', 'Too many attempts. Wait a minute and try again.');
    }
    const discount = deps.reference.discounts.byCode(code);
    if (!discount) {
      const { errorCode, message } = unknownCode(code);
      throw new Rejection('discount-not-applicable', message, { errorCode });
    }
    const { id: discountId, rule } = discount;
    const done = await deps.checkout.send(
      basketId,
      { type: 'ApplyDiscountCode', discountId, code, name: rule.name },
      metaOf(request),
    );
    const presentation = presentationOf(deps.settings());
    const after = done.state.basket ?? basket;
    const offOf = ({ totals }: BasketView): number =>
      displayAmount(
        totals.productDiscount + totals.shippingDiscount,
        presentation.storeCurrency,
        presentation.display,
      );
    const warnings = warningsOf(done.events);
    return ok(
      {
        success: true,
        message: `${code} has been applied.`,
        basket: checkoutBasket(basketId, after, presentation, { warnings, errors: [] }),
        discountDelta: toDecimal(Math.abs(offOf(after) - offOf(basket)), presentation.display.currency),
        warnings,
      },
      { position: done.position },
    );
  };

/** Checkout up to the choice of payment (specification 4.2). */
export const checkoutRoutes = (deps: CheckoutDeps): readonly Route[] => [
  route({
    ...common,
    method: 'POST',
    path: '/addresses',
    summary: 'Save e-mail address, billing and shipping address',
    schemas: { body: addressesBody },
    errors: ['basket-not-found', 'invalid-address', 'order-being-placed'],
    handle: addresses(deps),
  }),
  route({
    ...common,
    method: 'POST',
    path: '/initialize',
    summary: 'Begin checkout for a country: groups, options and, if wanted, a first choice of shipping',
    schemas: { body: initializeBody },
    errors: ['basket-not-found', 'invalid-request', 'cannot-ship', 'order-being-placed'],
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
    errors: ['basket-not-found', 'cannot-ship', 'shipping-incomplete', 'order-being-placed'],
    handle: selectShipping(deps),
  }),
  route({
    ...common,
    method: 'POST',
    path: '/discount/apply',
    summary: 'Apply a discount code',
    schemas: { body: applyDiscountBody },
    errors: ['basket-not-found', 'discount-not-applicable', 'order-being-placed'],
    handle: applyDiscount(deps),
  }),
];
