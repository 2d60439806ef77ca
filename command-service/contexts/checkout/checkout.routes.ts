import { metaOf } from '#command/engine/request-meta.ts';
import { addressesBody, applyDiscountBody } from '#contracts/checkout.contract.ts';
import type { BasketView } from '#events/basket-view.ts';
import { currencyCookie } from '#http/cookies.ts';
import { ok, route, visitor, type Route } from '#http/route.ts';
import { presentationFor } from '#reference/presentation.ts';
import { displayAmount } from '#values/exchange.ts';
import { toDecimal } from '#values/money.ts';
import type { CheckoutActions } from './checkout.actions.ts';
import type { CodeAttempts } from './code-attempts.ts';
import { checkoutShippingRoutes, type CheckoutShippingDeps } from './checkout-shipping.routes.ts';
import { changedBasket, placeCookies } from './checkout.response.ts';

const file = import.meta.url;
const common = { base: 'checkout', service: 'command', caller: visitor, status: 200, file } as const;

export interface CheckoutRouteDeps extends CheckoutShippingDeps {
  readonly actions: CheckoutActions;
  readonly codeAttempts: CodeAttempts;
}

const addressesRoute = (deps: CheckoutRouteDeps): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/addresses',
    summary: 'Save e-mail address, billing and shipping address',
    schemas: { body: addressesBody },
    errors: ['basket-not-found', 'invalid-address', 'amount-too-large', 'order-being-placed'],
    handle: async (request) => {
      const changed = await deps.actions.changeAddresses(request.basketId, request.body, metaOf(request));
      const wanted = request.cookies[currencyCookie];
      const { countryCode } = changed.shippingAddress;
      const followed = await deps.actions.followCountry(changed, countryCode, wanted, metaOf(request));
      const presentation = presentationFor(deps, followed ?? wanted);
      const { basket, warnings } = changedBasket(changed, presentation);
      return ok(
        { success: true, message: '', basket, warnings },
        { cookies: placeCookies(changed.shippingAddress, followed), position: changed.position },
      );
    },
  });

/** Checkout up to the choice of payment. */
export const checkoutRoutes = (deps: CheckoutRouteDeps): readonly Route[] => [
  addressesRoute(deps),
  ...checkoutShippingRoutes(deps),
  route({
    ...common,
    method: 'POST',
    path: '/discount/apply',
    summary: 'Apply a discount code',
    schemas: { body: applyDiscountBody },
    errors: [
      'invalid-request',
      'basket-not-found',
      'discount-not-applicable',
      'amount-too-large',
      'order-being-placed',
      'too-many-requests',
    ],
    handle: async (request) => {
      const changed = await deps.actions.applyDiscountCode(
        request.basketId,
        request.body.code,
        (basketId, isKnownCode) => deps.codeAttempts.take(basketId, request, isKnownCode),
        metaOf(request),
      );
      const presentation = presentationFor(deps, request.cookies[currencyCookie]);
      const { storeCurrency, display } = presentation;
      const offOf = ({ totals }: BasketView): number =>
        displayAmount(totals.productDiscount + totals.shippingDiscount, storeCurrency, display);
      const { basket, warnings } = changedBasket(changed, presentation);
      return ok(
        {
          success: true,
          message: `${changed.code} has been applied.`,
          basket,
          discountDelta: toDecimal(Math.abs(offOf(changed.basket) - offOf(changed.before)), display.currency),
          warnings,
        },
        { position: changed.position },
      );
    },
  }),
];
