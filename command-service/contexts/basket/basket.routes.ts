import { metaOf } from '#command/engine/request-meta.ts';
import type { CommandDeps } from '#command/engine/service-deps.ts';
import {
  addToBasket,
  basketMutationResponse,
  lineItemParams,
  updateBasketLine,
} from '#contracts/basket.contract.ts';
import { countryCookie, currencyCookie, regionCookie } from '#http/cookies.ts';
import type { ReferralCookies } from '#http/referral-cookie.ts';
import { route, visitor, type Reply, type Route, type RouteRequest } from '#http/route.ts';
import { showing } from '#http/shown-rate.ts';
import { presentationFor } from '#reference/presentation.ts';
import type { BasketActions, ChangedBasket } from './basket.actions.ts';
import { basketReply, noBasketReply } from './basket.response.ts';

const file = import.meta.url;
const common = {
  base: 'storefront',
  service: 'command',
  caller: visitor,
  response: basketMutationResponse,
  file,
} as const;
const saleErrors = [
  'product-not-found',
  'product-not-purchasable',
  'add-on-invalid',
  'out-of-stock',
  'quantity-too-large',
  'amount-too-large',
];

export interface BasketRouteDeps extends Pick<CommandDeps, 'settings' | 'reference' | 'clock'> {
  readonly referrals: ReferralCookies;
}

const presenting =
  (sources: Pick<CommandDeps, 'settings' | 'reference'>) =>
  ({ cookies }: Pick<RouteRequest, 'cookies'>) =>
    presentationFor(sources, cookies[currencyCookie]);

const shownReply = (
  sources: Pick<CommandDeps, 'settings' | 'reference'>,
  request: Pick<RouteRequest, 'cookies'>,
  changed: ChangedBasket,
): Reply => {
  const presentation = presenting(sources)(request);
  return showing(basketReply(changed, presentation), request, presentation);
};

/** What a link has promised this shopper; what is over or altered is forgotten. */
const promisedIn = ({ referrals, clock }: BasketRouteDeps, { cookies }: Pick<RouteRequest, 'cookies'>) => {
  const offer = referrals.read(cookies, clock.now());
  if (!offer) return { referral: null, forgotten: offer === null ? [referrals.forget] : [] };
  const { offerId, discountPercentage: percentage, discountCode, checkoutExpiryUtc: expiresAt } = offer;
  const name = discountCode ?? `${percentage} % off`;
  return { referral: { offerId, percentage, name, expiresAt }, forgotten: [] };
};

const addRoute = (actions: BasketActions, deps: BasketRouteDeps): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/basket/add',
    summary: 'Put a product into the basket',
    schemas: { body: addToBasket },
    errors: [...saleErrors, 'basket-full', 'order-being-placed', 'too-many-requests'],
    isIdempotent: true,
    handle: async (request) => {
      const { basketId, body, cookies, ip } = request;
      const place = { countryCode: cookies[countryCookie], regionCode: cookies[regionCookie] };
      const { referral, forgotten } = promisedIn(deps, request);
      const changed = await actions.add(basketId, { ...body, referral }, place, ip, metaOf(request));
      const shown = shownReply(deps, request, changed);
      const reply = { ...shown, cookies: [...forgotten, ...(shown.cookies ?? [])] };
      return changed.basketId === basketId ? reply : { ...reply, basketId: changed.basketId };
    },
  });

/** Baskets: what changes them. Reading them is the projection service's. */
export const basketRoutes = (actions: BasketActions, deps: BasketRouteDeps): readonly Route[] => {
  const presentation = presenting(deps);
  return [
    addRoute(actions, deps),
    route({
      ...common,
      method: 'POST',
      path: '/basket/update',
      summary: 'Change the quantity of a line',
      schemas: { body: updateBasketLine },
      errors: [
        ...saleErrors,
        'basket-not-found',
        'line-not-found',
        'line-is-add-on',
        'line-is-discount',
        'order-being-placed',
      ],
      handle: async (request) => {
        const { lineItemId, quantity } = request.body;
        const changed = await actions.changeQuantity(request.basketId, lineItemId, quantity, metaOf(request));
        return shownReply(deps, request, changed);
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/basket/{lineItemId}',
      summary: 'Take a line out of the basket',
      schemas: { params: lineItemParams },
      errors: ['line-is-add-on', 'order-being-placed'],
      handle: async (request) => {
        const { lineItemId } = request.params;
        const changed = await actions.removeLine(request.basketId, lineItemId, metaOf(request));
        return changed ? shownReply(deps, request, changed) : noBasketReply(presentation(request));
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/basket/clear',
      summary: 'Empty the basket and forget it',
      errors: ['order-being-placed'],
      handle: async (request) => {
        const cleared = await actions.clear(request.basketId, metaOf(request));
        const position = cleared ? { position: cleared.position } : {};
        return noBasketReply(presentation(request), { ...position, basketId: null });
      },
    }),
  ];
};
