import { metaOf } from '#command/engine/request-meta.ts';
import {
  addToBasket,
  basketMutationAnswer,
  lineItemParams,
  updateBasketLine,
} from '#contracts/basket.contract.ts';
import { countryCookie, currencyCookie, regionCookie } from '#http/cookies.ts';
import { route, visitor, type Route, type RouteRequest } from '#http/route.ts';
import { presentationFor, type PresentationSources } from '#reference/presentation.ts';
import type { BasketActions } from './basket.actions.ts';
import { basketReply, noBasketReply } from './basket.response.ts';

const file = import.meta.url;
const common = {
  base: 'storefront',
  service: 'command',
  caller: visitor,
  answer: basketMutationAnswer,
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

const presenting =
  (sources: PresentationSources) =>
  ({ cookies }: Pick<RouteRequest, 'cookies'>) =>
    presentationFor(sources, cookies[currencyCookie]);

const addRoute = (actions: BasketActions, presentation: ReturnType<typeof presenting>): Route =>
  route({
    ...common,
    method: 'POST',
    path: '/basket/add',
    summary: 'Put a product into the basket',
    schemas: { body: addToBasket },
    errors: [...saleErrors, 'basket-full', 'order-being-placed'],
    isIdempotent: true,
    handle: async (request) => {
      const { basketId, body, cookies } = request;
      const place = { countryCode: cookies[countryCookie], regionCode: cookies[regionCookie] };
      const changed = await actions.add(basketId, body, place, metaOf(request));
      const reply = basketReply(changed, presentation(request));
      return changed.basketId === basketId ? reply : { ...reply, basketId: changed.basketId };
    },
  });

/** Baskets: what changes them. Reading them is the projection service's. */
export const basketRoutes = (actions: BasketActions, sources: PresentationSources): readonly Route[] => {
  const presentation = presenting(sources);
  return [
    addRoute(actions, presentation),
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
        return basketReply(changed, presentation(request));
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
        return changed ? basketReply(changed, presentation(request)) : noBasketReply(presentation(request));
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
