import { metaOf } from '#command/engine/request-meta.ts';
import { addressesResponse, addressesBody } from '#contracts/checkout.contract.ts';
import { currencyCookie, memberCookie, placeCookies } from '#http/cookies.ts';
import { ok, route, visitor, type Route } from '#http/route.ts';
import { showing } from '#http/shown-rate.ts';
import { presentationFor } from '#reference/presentation.ts';
import type { CheckoutActions } from './checkout.actions.ts';
import { captureRoutes, type CaptureRouteDeps } from './capture/capture.routes.ts';
import { checkoutDiscountRoutes, type CheckoutDiscountDeps } from './codes/checkout-discounts.routes.ts';
import { checkoutShippingRoutes, type CheckoutShippingDeps } from './checkout-shipping.routes.ts';
import { changedBasket } from './checkout.response.ts';

const file = import.meta.url;
const common = { base: 'checkout', service: 'command', caller: visitor, file } as const;

export interface CheckoutRouteDeps extends CheckoutShippingDeps, CheckoutDiscountDeps, CaptureRouteDeps {
  readonly actions: CheckoutActions;
}

const addressesRoute = (deps: CheckoutRouteDeps): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/addresses',
    summary: 'Save e-mail address, billing and shipping address',
    schemas: { body: addressesBody },
    response: addressesResponse,
    errors: [
      'basket-not-found',
      'invalid-address',
      'amount-too-large',
      'order-being-placed',
      'too-busy',
      'too-many-requests',
    ],
    handle: async (request) => {
      const from = { ip: request.ip, storeUrl: deps.storeUrl(request) };
      const { changed, shippingAddress, signedIn, earlierWarnings } = await deps.actions.changeAddresses(
        request.basketId,
        request.body,
        from,
        metaOf(request),
      );
      const wanted = request.cookies[currencyCookie];
      const { countryCode } = shippingAddress;
      const followed = await deps.actions.followCountry(changed, countryCode, wanted, metaOf(request));
      const presentation = presentationFor(deps, followed ?? wanted);
      const { basket, warnings } = changedBasket(changed, presentation, earlierWarnings);
      const cookies = placeCookies(shippingAddress, followed);
      const { position, basketId } = changed;
      const isOther = basketId !== request.basketId;
      const reply = ok(
        { success: true, message: '', basket, warnings, ...signedIn?.issued },
        {
          cookies: signedIn ? [...cookies, memberCookie(signedIn.issued.token)] : cookies,
          position,
          ...((isOther || signedIn) && { basketId }),
          ...(signedIn && { basketOf: signedIn.memberId }),
        },
      );
      return showing(reply, request, presentation);
    },
  });

/** Checkout up to the choice of payment. */
export const checkoutRoutes = (deps: CheckoutRouteDeps): readonly Route[] => [
  addressesRoute(deps),
  ...captureRoutes(deps),
  ...checkoutShippingRoutes(deps),
  ...checkoutDiscountRoutes(deps),
];
