import type { CommandDeps } from '#command/engine/service-deps.ts';
import { metaOf } from '#command/engine/request-meta.ts';
import {
  addToBasket,
  basketMutationAnswer,
  lineItemParams,
  updateBasketLine,
  type AddToBasket,
} from '#contracts/basket.contract.ts';
import { presentationOf } from '#contracts/basket-line-answer.ts';
import { countryCookie, regionCookie } from '#http/cookies.ts';
import { route, visitor, type Reply, type Route, type RouteRequest } from '#http/route.ts';
import { derivedId, newId } from '#kernel/ids.ts';
import { Rejection } from '#kernel/rejection.ts';
import { currentLocation } from '#reference/location.ts';
import type { BasketCommand } from './basket.commands.ts';
import { basketContext } from './basket.context.ts';
import { basketDecider } from './basket.decider.ts';
import { basketReply, noBasketReply } from './basket.response.ts';

const file = 'command-service/contexts/basket/basket.routes.ts';
const common = {
  base: 'storefront',
  service: 'command',
  caller: visitor,
  answer: basketMutationAnswer,
  file,
} as const;
const stockErrors = [
  'product-not-found',
  'product-not-purchasable',
  'out-of-stock',
  'quantity-too-large',
  'amount-too-large',
];

const isMissing = (error: unknown): boolean =>
  error instanceof Rejection && error.code === 'basket-not-found';

/** Runs a command on the basket that the cookie names; null when there is none. */
const createBasketDesk = (deps: CommandDeps) => {
  const contextFor = basketContext(deps);
  const presentation = () => presentationOf(deps.settings());

  const execute = async (
    basketId: string,
    command: BasketCommand,
    request: RouteRequest,
    isNewId = false,
  ): Promise<Reply> => {
    const executed = await deps.commands.execute({
      decider: basketDecider,
      id: basketId,
      command,
      context: contextFor(command),
      meta: metaOf(request),
      isNewId,
    });
    return basketReply(basketId, executed, presentation());
  };

  const onCookiesBasket = async (command: BasketCommand, request: RouteRequest): Promise<Reply | null> => {
    const { basketId } = request;
    if (basketId === null) return null;
    try {
      return await execute(basketId, command, request);
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  };

  /** A basket of its own for everyone who has none: nobody chooses the id of a basket. */
  const inNewBasket = async (command: BasketCommand, request: RouteRequest): Promise<Reply> => {
    const basketId = request.commandId === undefined ? newId() : derivedId('basket', request.commandId);
    const reply = await execute(basketId, command, request, true);
    return { ...reply, basketId };
  };

  return { presentation, onCookiesBasket, inNewBasket };
};

const add = (deps: CommandDeps) => {
  const desk = createBasketDesk(deps);
  return async (request: RouteRequest<unknown, unknown, AddToBasket>): Promise<Reply> => {
    const { productId, quantity, addons } = request.body;
    if (addons.length > 0)
      throw new Rejection('add-on-invalid', 'Invalid add-on: this product has no such option.');
    const command = { type: 'AddBasketLine', productId, quantity, startFor: null } as const;
    const added = await desk.onCookiesBasket(command, request);
    if (added !== null) return added;
    const chosen = {
      countryCode: request.cookies[countryCookie],
      regionCode: request.cookies[regionCookie],
    };
    const { shipping } = deps.reference;
    const { countryCode, regionCode, postalCode } = currentLocation(chosen, deps.settings(), shipping);
    return desk.inNewBasket({ ...command, startFor: { countryCode, regionCode, postalCode } }, request);
  };
};

/** Baskets: what changes them (specification 4.1). Reading them is the projection service's. */
export const basketRoutes = (deps: CommandDeps): readonly Route[] => {
  const desk = createBasketDesk(deps);
  return [
    route({
      ...common,
      method: 'POST',
      path: '/basket/add',
      summary: 'Put a product into the basket',
      schemas: { body: addToBasket },
      errors: [...stockErrors, 'basket-full', 'add-on-invalid', 'order-being-placed'],
      isIdempotent: true,
      handle: add(deps),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/basket/update',
      summary: 'Change the quantity of a line',
      schemas: { body: updateBasketLine },
      errors: [...stockErrors, 'basket-not-found', 'line-not-found', 'order-being-placed'],
      handle: async (request) => {
        const { lineItemId: lineId, quantity } = request.body;
        const command = { type: 'ChangeBasketLineQuantity', lineId, quantity } as const;
        const reply = await desk.onCookiesBasket(command, request);
        if (reply === null) throw new Rejection('basket-not-found', 'There is no basket.');
        return reply;
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/basket/{lineItemId}',
      summary: 'Take a line out of the basket',
      schemas: { params: lineItemParams },
      errors: ['order-being-placed'],
      handle: async (request) => {
        const command = { type: 'RemoveBasketLine', lineId: request.params.lineItemId } as const;
        return (await desk.onCookiesBasket(command, request)) ?? noBasketReply(desk.presentation());
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/basket/clear',
      summary: 'Empty the basket and forget it',
      errors: ['order-being-placed'],
      handle: async (request) => {
        const cleared = await desk.onCookiesBasket({ type: 'ClearBasket' }, request);
        const position = cleared?.position === undefined ? {} : { position: cleared.position };
        return noBasketReply(desk.presentation(), { ...position, basketId: null });
      },
    }),
  ];
};
